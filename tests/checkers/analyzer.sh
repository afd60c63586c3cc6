#!/bin/bash
# analyzer.sh - what gcc's -fanalyzer says of core and lua is what is expected of it: a new warning
# fails, and so does one that is gone.
#   analyzer.sh                        all of core and lua, against analyzer.txt
#   analyzer.sh EXPECTED FILE.c…       these files, against another list
# A row of the list has no line number: file, function, kind, how many of these, and the reason for
# which each was read and found to be false; the reasons are explained at its top. Versions of gcc
# find different ones: with another one than the list names nothing is compared.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
expected=$here/analyzer.txt
[ $# = 0 ] || { expected=$(realpath "$1") && shift; } || exit 2
CC=${CC:-gcc}
wanted=$(sed -n 's/^# gcc //p' "$expected")
version=$($CC -dumpversion) || exit 2
[ "$version" = "$wanted" ] || { echo "not compared: gcc $version, the list is of $wanted"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ $# = 0 ]; then
  cd "$root" || exit 2
  mapfile -t files < <(find core lua -name '*.c' | sort)
  libpq=$(pkg-config --cflags libpq) || { echo "libpq-dev is missing: make deps"; exit 2; }
else
  files=("$@")
fi
# shellcheck disable=SC2046
flags=(-std=gnu11 -O0 -D_GNU_SOURCE -I. $(pkg-config --cflags \
  $(sed -n 's/^PKG_NAMES := //p' "$root/Makefile")) ${libpq:-} -fanalyzer -fdiagnostics-plain-output
  -fdiagnostics-path-format=none)
# Each file's in one piece: they are written side by side.
analyze() {
  local out
  out=$(LC_ALL=C "$@" -c -o /dev/null 2>&1) || { printf '%s\n' "$out" >&2; return 255; }
  [ -z "$out" ] || printf '%s\n' "$out"
}
export -f analyze
if ! printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I '{}' bash -c 'analyze "$@"' - "$CC" \
  "${flags[@]}" '{}' >"$dir/said"; then
  echo "what cannot be compiled is not analysed"
  exit 2
fi

perl -ne '
  $function = "$1 $2" if /^([^:]+): In function \x27(.+)\x27:$/; # a macro has a place of its own
  $times{"$function $1"}++ if /^[^:]+:\d+:\d+: warning: .*\[-Wanalyzer-([a-z-]+)\]$/;
  END { print "$_ $times{$_}\n" for keys %times }' "$dir/said" | sort >"$dir/found"
grep -v '^#' "$expected" | sed '/^$/d' >"$dir/rows"
awk '{ print $1, $2, $3, $4 }' "$dir/rows" | sort >"$dir/wanted"

failed=0
report() {
  [ -s "$2" ] || return
  failed=1
  echo "$1:"
  sed 's/^/  /' "$2"
}
comm -23 "$dir/found" "$dir/wanted" >"$dir/new"
comm -13 "$dir/found" "$dir/wanted" >"$dir/gone"
awk 'NR == FNR { if (/^# [a-z-]+: /) { sub(":", "", $2); known[$2] = 1 } next }
  !($5 in known)' "$expected" "$dir/rows" >"$dir/unread"
report "new, or more of them" "$dir/new"
[ ! -s "$dir/new" ] || cut -d' ' -f1 "$dir/new" | sort -u | while read -r file; do
  grep -F "$file:" "$dir/said" | grep Wanalyzer | sed 's/^/    /'
done
report "expected, and not there: take them off the list" "$dir/gone"
report "without a reason that the list explains" "$dir/unread"
echo "files ${#files[@]} warnings $(awk '{ sum += $4 } END { print sum + 0 }' "$dir/found")" \
  "expected $(awk '{ sum += $4 } END { print sum + 0 }' "$dir/wanted")"
exit $failed
