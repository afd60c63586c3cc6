#!/bin/bash
# test_coverage.t - what coverage.pl counts of a program of a few lines is what was run of it, and
# nothing is left out that nobody ran.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
checks=0 failed=0
echo "TAP version 13"
ok() {
  local name=$1
  shift
  checks=$((checks + 1))
  if "$@" >/dev/null; then echo "ok $checks - $name"; else
    failed=$((failed + 1))
    echo "not ok $checks - $name"
    sed 's/^/# /' report
  fi
}
type -P gcov >/dev/null || { echo "1..0 # SKIP gcov is not installed"; exit 0; }
unset GCOV HOLES GCOV_PREFIX

mkdir -p build core/in core/out other
cat >core/in/half.h <<'END'
static inline int sign(int n) {
  return n < 0 ? -1 : 1;
}
END
cat >core/in/half.c <<'END'
#include "core/in/half.h"
int half(int n);
int half(int n) {
  if (n % 2)
    return -1;
  return sign(n) * n / 2;
}
END
cat >core/out/never.c <<'END'
int small(void);
int small(void) { return 1; }
int large(int n);
int large(int n) {
  n++;
  n += small();
  return n;
}
END
cat >core/out/unlinked.c <<'END'
int unlinked(void);
int unlinked(void) { return 3; }
END
cat >other/main.c <<'END'
#include <signal.h>
#include <stdlib.h>
int half(int n);
int main(int argc, char **argv) {
  int is_even = half(atoi(argv[1])) >= 0;
  if (argc > 2) raise(SIGKILL);
  return !is_even;
}
END
for file in core/in/half core/out/never core/out/unlinked other/main; do
  mkdir -p "build/${file%/*}"
  gcc -O0 --coverage -I. -c -o "build/$file.o" "$file.c" || exit 1
done
gcc --coverage -o program build/core/in/half.o build/core/out/never.o build/other/main.o || exit 1

# says LINE: there is this row, however wide its columns are.
says() { tr -s ' ' <report | grep -qxF -- "$1"; }
report() { "$here/coverage.pl" build "$@" >report 2>&1; }

report
ok "that nothing has run is an error" test $? != 0
ok "and said" grep -q 'no program of build has run' report
{ ./program 4 killed; } 2>/dev/null
report
ok "what was killed has counted nothing" test $? != 0
./program 4
report
ok "a program that ran has" test $? = 0
ok "lines, branches and functions of a room, those of its headers, too" \
  says 'core/in 6 83.3% 4 50.0% 2 0'
ok "a room of which nothing ran, with what no program had" says 'core/out 6 0.0% 0 - 3 3'
ok "the sum of all rooms" says 'all 12 41.7% 4 50.0% 5 3'
ok "no room that was not asked for" test "$(grep -c other report)" = 0
ok "functions that never ran, the largest first" test "$(sed -n '/^never/,$p' report |
  awk '{ print $NF }' | tr '\n' ' ')" = '3: large small unlinked '
ok "with their place" says ' 4 lines core/out/never.c:4 large'
./program 3
report
ok "another run adds to what was counted" says 'core/in 6 100.0% 4 75.0% 2 0'
HOLES=1 report
ok "as many functions as are asked for" test "$(sed '1,/^never/d' report | wc -l)" = 1
report other
ok "a room is asked for by its folder" says 'all 4 100.0% 2 50.0% 1 0'
report nothing
ok "a folder that is not there is an error" grep -q 'no objects of nothing' report

echo "1..$checks"
[ "$failed" = 0 ]
