#!/bin/bash
# apply.t - each mutant can still be put into the sources, says which promise it breaks, and names
# tests that are there; what is wrong with one is told.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
checks=0 failed=0
echo "TAP version 13"
is() {
  checks=$((checks + 1))
  if [ "$2" = "$3" ]; then echo "ok $checks - $1"; else
    failed=$((failed + 1))
    echo "not ok $checks - $1"
    printf '#   got: %s\n#  want: %s\n' "$2" "$3"
  fi
}
mutant() { perl "$here/mutant.pl" "$@" 2>&1; }

# ---- the mutants of this tree ----
is "every mutant can be put into the sources, and all that it names is there" \
  "$(mutant check "$root" "$here"/*.patch)" ""
is "there are at least 60" "$(($(ls "$here"/*.patch | wc -l) >= 60))" 1

# ---- what is wrong with one is told ----
mkdir -p "$dir/core" "$dir/tests"
printf 'one();\nif (a)\n  two();\nthree();\nif (a)\n  four();\n' >"$dir/core/a.c"
printf '| what is promised | `tests/own.t` |\n' >"$dir/tests/REQUIREMENTS.md"
touch "$dir/tests/own.t" "$dir/tests/other.t" "$dir/core/README.md"
header='name: m
breaks: it does not do two
promise: what is promised
killed-by: tests/own.t
also-killed-by: tests/other.t SEED=3'
# patch HUNK: m.patch, with that hunk of core/a.c.
patch() { printf '%s\n--- a/core/a.c\n+++ b/core/a.c\n%s\n' "$header" "$1" >"$dir/m.patch"; }
check() { mutant check "$dir" "$dir/m.patch" | sed "s,^$dir/m.patch: ,,"; }

patch $'@@ -7,2 +7,1 @@\n if (a)\n-  two();'
is "one whose lines have moved applies" "$(check)" ""
mutant apply "$dir" "$dir/m.patch"
is "and changes what it says" "$(tr -d '\n' <"$dir/core/a.c")" "one();if (a)three();if (a)  four();"
is "once applied it does not any more" "$(check)" \
  "core/a.c: the lines at 'if (a)' stand there 0 times, not once"
patch $'@@ -2,1 +2,1 @@\n-if (a)\n+if (b)'
is "a place that is not the only one is told" "$(check)" \
  "core/a.c: the lines at 'if (a)' stand there 2 times, not once"
patch $'@@ -1,1 +1,1 @@\n-ne();\n+none();'
is "part of a line is no line" "$(check)" \
  "core/a.c: the lines at 'ne();' stand there 0 times, not once"
header=${header/other/another}
patch $'@@ -1,1 +0,0 @@\n-one();'
is "a test that is not there is told" "$(check)" "there is no test tests/another.t"
header='name: n
breaks: it
promise: nobody promised
killed-by: tests/own.t
also-killed-by: tests/own.t
kills: all'
patch $'@@ -1,1 +0,0 @@\n-one();'
is "so is a header that is wrong" "$(check | sort)" \
  "its header has an unknown 'kills:'
its name is n
neither tests/REQUIREMENTS.md nor core/README.md promises 'nobody promised'
tests/own.t is named twice"
header='name: m
breaks: it
promise: what is promised'
patch ''
is "and one that changes nothing" "$(check)" "it changes nothing"
echo "1..$checks"
[ "$failed" = 0 ]
