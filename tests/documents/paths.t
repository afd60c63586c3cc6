#!/usr/bin/env bash
# paths.t - what documents name exists: files, folders, rooms, symbols of C, commands of the
# program.
set -u
cd "$(dirname "$0")/../.." || exit 1
CKRUN=${CKRUN:?the path of the program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

check() {
  count=$((count + 1))
  if [ -z "$2" ]; then echo "ok $count - $1"; return; fi
  echo "not ok $count - $1"
  sed 's/^/# /' <<<"$2"
}

# Paths below the folders of the sources that are missing; of a path with a placeholder NAME the
# folder is looked up.
missing_paths() {
  local path='(core|lua|tests|policies|examples)/[A-Za-z0-9_./-]*[A-Za-z0-9_]'
  grep -oEh "(^|[^A-Za-z0-9_./-])$path" "$@" | grep -oE "$path" | sort -u |
    while IFS= read -r path; do
      case $path in *NAME*) is=$(dirname "${path%%NAME*}x") ;; *) is=$path ;; esac
      [ -e "$is" ] || echo "$path"
    done
}

grep -rohE --include='*.[ch]' '\b(ck|CK)_[A-Za-z0-9_]+' core lua | sort -u >"$work/symbols"

# Symbols that no source has, except placeholders; one that ends in _ is the beginning of several.
missing_symbols() {
  grep -oEh '\b(ck|CK)_[A-Za-z0-9_]+' "$@" | sort -u | while IFS= read -r symbol; do
    case $symbol in
      *NAME* | *noun* | *NOUN*) ;;
      *_) grep -q "^$symbol" "$work/symbols" ;;
      *) grep -qx "$symbol" "$work/symbols" ;;
    esac || echo "$symbol"
  done
}

# Commands named as `ckrun WORD` or `ckrun WORD WORD`, in a code span or behind "$ ".
missing_commands() {
  grep -oEh '(`|^\$ )ckrun [a-z][a-z]+( [a-z]+)?' "$@" | sed 's/^.*ckrun //' | sort -u |
    while read -r first second; do
      "$CKRUN" help "$first" ${second:+"$second"} >/dev/null 2>&1 ||
        "$CKRUN" help "$first" >/dev/null 2>&1 ||
        echo "ckrun $first${second:+ $second}"
    done
}

# Functions named with their file, as `ck_name` (`core/….c`), that are not defined there.
misplaced_functions() {
  perl -0777 -ne 'while (/`(ck_\w+)`\s+\(`([\w\/.]+\.c)`/g) {
    open my $in, "<", $2 or next;
    my $text = do { local $/; <$in> };
    print "$1 is not in $2\n" if $text !~ /^\w[^;\n=]*\b$1\(/m;
  }' "$@"
}

# Rooms, folders of core and lua with files in them, that core/README.md has no row for.
missing_rooms() {
  find core/*/ lua -type f | sed 's|/[^/]*$||' | sort -u |
    while IFS= read -r room; do grep -qF "\`$room\`" "$1" || echo "$room"; done
}

# What a repository's first page shows: nothing else lies at the top.
top='CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md SECURITY.md core examples lua policies
  tests'
strangers_at_top() {
  git ls-files | sed 's|/.*||' | sort -u | grep -v '^\.' | while IFS= read -r name; do
    [[ " "$(echo $top)" " == *" $name "* ]] || echo "$name"
  done
}

mapfile -t documents < <(find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort)
check 'there are documents' "$([ "${#documents[@]}" -ge 8 ] || echo "${documents[*]}")"
check 'every path that a document names exists' "$(missing_paths "${documents[@]}")"
check 'every C symbol that a document names exists' "$(missing_symbols "${documents[@]}")"
check 'every command that a document names exists' "$(missing_commands "${documents[@]}")"

check 'functions are in the files that documents give for them' \
  "$(misplaced_functions "${documents[@]}")"
[ ! -e .git ] || check 'at the top is what belongs there' "$(strangers_at_top)"
check 'every room of core and lua is in core/README.md' "$(missing_rooms core/README.md)"

cat >"$work/broken.md" <<'END_OF_DOCUMENT'
See `core/nowhere.c`, `core/no/NAME.c`, `core/base/NAME.c`, (tests/nothing/), `lua/README.md`.
Call `ck_no_such_thing`, CK_E_NEVER; not `ck_value` and `ck_value_`. `ck_value_free`
(`core/base/log.c`), `ck_log_line` (`core/base/log.c`).

    $ ckrun help
$ ckrun fly there
Try `ckrun jump`, `ckrun sessions list`.
END_OF_DOCUMENT
found=$(for kind in paths symbols commands; do missing_$kind "$work/broken.md"; done
  misplaced_functions "$work/broken.md")
want="core/no/NAME.c core/nowhere.c tests/nothing CK_E_NEVER ck_no_such_thing ckrun fly there"
want="$want ckrun jump ck_value_free is not in core/base/log.c"
check 'what is not there is found' "$([ "$(tr '\n' ' ' <<<"$found")" = "$want " ] || echo "$found")"
check 'so is a room without a row' "$(missing_rooms "$work/broken.md" | grep -qx core/base ||
  echo none)"
echo "1..$count"
