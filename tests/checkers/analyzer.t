#!/bin/bash
# analyzer.t - analyzer.sh fails of a warning that nobody expects, of one that is gone, and of one
# whose reason nobody explains; of three lines of C, and of nothing else.
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
    sed 's/^/# /' out
  fi
}
cat >leak.c <<'END'
#include <stdlib.h>
int forget(int n);
int forget(int n) {
  char *text = malloc(8);
  if (!text || n) return 1;
  free(text);
  return 0;
}
END
echo 'int nothing;' >clean.c
# list ROW…: an expected list.
list() {
  printf '%s\n' "# gcc $(gcc -dumpversion)" '# stored: an owner frees it.' "$@" >list
}
analyze() { "$here/analyzer.sh" list "$@" >out 2>&1; }

list
analyze clean.c
ok "what has no warning holds" test $? = 0
analyze clean.c leak.c
ok "a warning that nobody expects fails" test $? = 1
ok "by its file, function and kind" grep -qx '  leak.c forget malloc-leak 1' out
ok "and where it is" grep -q 'leak.c:5:' out
list 'leak.c forget malloc-leak 1 stored'
analyze leak.c
ok "one that is expected holds" test $? = 0
analyze clean.c
ok "one that is gone fails" grep -q '^expected, and not there' out
list 'leak.c forget malloc-leak 2 stored'
analyze leak.c
ok "so do fewer of them" test $? = 1
list 'leak.c forget malloc-leak 1 because'
analyze leak.c
ok "a reason is one that the list explains" grep -q '^without a reason' out
echo 'int broken(' >broken.c
analyze broken.c
ok "what cannot be compiled does not hold" test $? = 2
sed -i 's/^# gcc .*/# gcc 1/' list
analyze leak.c
ok "with another gcc nothing is compared, and that is said" grep -q '^not compared' out
ok "each row of the list is of a function that is there" test -z "$(cd "$here/../.." &&
  grep -v '^#' tests/checkers/analyzer.txt | while read -r file function _; do
    [ -z "$file" ] || grep -qs "\<$function(" "$file" || echo "$file $function"
  done)"
echo "1..$checks"
[ "$failed" = 0 ]
