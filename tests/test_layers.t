#!/bin/sh
# test_layers.t - what sources look like from outside: includes by the table of rooms, libraries in
# one place each, first lines, lengths, no goto.
# With a folder as argument that tree is checked; without, the repository's, and then one in which
# every rule is broken.
given=${1:-}
self=$(realpath "$0")
cd "${given:-$(dirname "$0")/..}" || exit 1
checks=0
failed=0
echo "TAP version 13"

# is_empty NAME OFFENDERS: one check; the offenders are shown.
is_empty() {
  checks=$((checks + 1))
  if [ -z "$2" ]; then
    echo "ok $checks - $1"
  else
    failed=$((failed + 1))
    echo "not ok $checks - $1"
    printf '%s\n' "$2" | head -20 | sed 's/^/# /' >&2
  fi
}

# files DIRS NAMES…: the files below those folders that are there.
files() {
  dirs=$(for dir in $1; do [ -d "$dir" ] && echo "$dir"; done)
  shift
  [ -n "$dirs" ] || return 0
  for name in "$@"; do find $dirs -type f -name "$name"; done | sort
}

# includes DIRS: every include as "file: path", quoted or in angle brackets.
includes() {
  list=$(files "$1" '*.c' '*.h')
  [ -n "$list" ] || return 0
  grep -H '^[[:space:]]*#[[:space:]]*include' $list | sed -E 's/:[^"<]*(["<])([^">]*).*/: \1\2/'
}

# Own includes that the table of rooms does not allow, as "file: path".
table=$(dirname "$self")/rooms.txt
breaches=$(includes 'core lua' | grep ': "' | \
  awk -v table="$table" "$(cat "$(dirname "$self")/rooms.awk")"'
  BEGIN { read_rooms(table) }
  {
    from = substr($1, 1, length($1) - 1)
    path = substr($2, 2)
    if (from == "core/ckrun.h") next
    if (!known[room(from)]) print room(from) " is not in the table of rooms: " from
    else if (!may_use(room(from), room(path)) && !allowed[room(from), path]) print
  }')

# room ROOM USES…: no file of the room includes anything else.
room() {
  name=$1
  shift
  is_empty "$name includes only ${*:-itself}" "$(printf '%s\n' "$breaches" | grep "^$name/[^/]*: ")"
}

# only NAME HEADERS PLACES: those headers (a pattern) are included in those files (a pattern) alone.
only() {
  is_empty "$1 only in $(echo "$3" | tr '|' ' ')" \
    "$(includes 'core lua' | grep -E ": [\"<]($2)" | grep -vE "^($3)")"
}

while IFS=: read -r name uses; do
  case $name in core/* | lua/*) ;; *) continue ;; esac
  room "$name" $uses
done <"$table"
is_empty "every folder of sources is in the table of rooms" \
  "$(printf '%s\n' "$breaches" | grep 'is not in the table')"
is_empty "every room of the table is there" "$(
  [ -n "$given" ] || sed -n 's/^\([a-z]*\/[^:]*\):.*/\1/p' "$table" | \
    while read -r name; do [ -d "$name" ] || echo "$name"; done)"

only "Lua's headers" '(lua|lauxlib|lualib|luaconf)\.h' 'lua/'
only sqlite3.h 'sqlite3\.h' 'core/store/sqlite/'
only libpq-fe.h 'libpq-fe\.h' 'core/store/postgres/'
only "uv.h and curl" 'uv\.h|uv/|curl/' 'core/(effect|host)/'
only pcre2.h 'pcre2' '(core/redact|lua)/'

is_empty "quoted includes are rooted at the repository and there" \
  "$(includes 'core lua tests examples' | grep ': "' |
  while IFS= read -r line; do
    path=${line#*: \"}
    case $path in core/* | lua/* | tests/*) [ -f "$path" ] && continue ;; esac
    echo "$line"
  done)"

is_empty "line 1 of a C file is: /* its name - its purpose" "$(
  for file in $(files 'core lua tests examples' '*.c' '*.h'); do
    read -r first <"$file"
    case $first in "/* ${file##*/} - "????????*) ;; *) echo "$file" ;; esac
  done)"

is_empty "line 1 of a Lua file says its purpose" "$(
  for file in $(files 'lua policies examples' '*.lua'); do
    read -r first <"$file"
    case $first in '-- '????????* | '--- '????????*) ;; *) echo "$file" ;; esac
  done)"

is_empty "no C file has a goto" "$(
  list=$(files 'core lua tests examples' '*.c' '*.h')
  [ -z "$list" ] || grep -HnE '^([^"]*[ ;{)])?goto [a-z_]+;' $list)"

# too_long DIRS NAME WISHED ALLOWED: above the first number is a note, above the second a failure.
too_long() {
  list=$(files "$1" "$2" | grep -v '^lua/ck/meta.lua$') # it is generated
  [ -n "$list" ] || list=/dev/null
  wc -l $list | awk -v wished="$3" -v allowed="$4" -v verdict="$5" '$2 != "total" && $1 > wished {
    if (verdict == ($1 > allowed)) print $2 ": " $1 " lines" }'
}

# lengths DIRS NAME WISHED ALLOWED: the note and the check.
lengths() {
  too_long "$@" 0 | sed 's/^/# long: /' >&2
  is_empty "no $2 file of $1 is longer than $4 lines" "$(too_long "$@" 1)"
}

lengths 'core lua' '*.c' 400 450
lengths 'tests examples' '*.c' 450 550
lengths 'core lua tests' '*.h' 150 200
lengths 'lua policies tests examples' '*.lua' 200 250

# Each rule must see its breach: a tree in which all are broken has no check that holds.
if [ -z "$given" ]; then
  bad=$(mktemp -d)
  trap 'rm -rf "$bad"' EXIT
  while IFS=: read -r name uses; do
    case $name in core/* | lua/*) ;; *) continue ;; esac
    mkdir -p "$bad/$name"
    printf '%s\n' '#include "core/host/unknown/none.h"' '#include <lua.h>' \
      ' # include <sqlite3.h>' '#include <libpq-fe.h>' '#include <uv.h>' >"$bad/$name/bad.c"
  done <"$table"
  mkdir -p "$bad/core/unknown" "$bad/tests"
  echo '#include "core/base/none.h"' >"$bad/core/unknown/bad.c"
  echo '#include <pcre2.h>' >"$bad/core/base/long.h"
  echo '  if (!made) goto done;' >"$bad/core/base/goto.c"
  yes 'return' | head -n 551 | tee -a "$bad/core/base/long.h" "$bad/core/base/long.c" \
    "$bad/tests/long.c" >"$bad/lua/vm/long.lua"
  held=$("$self" "$bad" 2>/dev/null | grep '^ok' | grep -v 'every room of the table is there')
  is_empty "every rule sees its breach" "$held"
fi

echo "1..$checks"
[ "$failed" = 0 ]
