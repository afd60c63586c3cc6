#!/bin/bash
# test_stages.t - both halves of a test run are run and reported, whatever the first says; the exit
# code tells whether either failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset CKRUN_BUILD PROVEFLAGS MAKEFLAGS MAKELEVEL MFLAGS
checks=0 failed=0
echo "TAP version 13"
ok() {
  local name=$1
  shift
  checks=$((checks + 1))
  if "$@" >/dev/null; then echo "ok $checks - $name"; else
    failed=$((failed + 1))
    echo "not ok $checks - $name"
    sed 's/^/#   /' out >&2
  fi
}

# script NAME: of what is on stdin; it writes down when it begins and ends, and in which
# environment.
script() {
  { echo '#!/bin/sh'; echo "echo \"begin \$CKRUN_BUILD \${OWN:-}\" >>'$dir/log'"; cat; } >"$1"
  chmod +x "$1"
}
end='echo "end $CKRUN_BUILD ${OWN:-}" >>'"'$dir/log'"
script good.t <<<"echo 'ok 1 - it holds'; echo 1..1; $end"
script slow.t <<<"echo 'ok 1 - it holds'
n=0; while [ \$n -lt 20000 ]; do n=\$((n + 1)); done
echo 1..1; $end"
script bad.t <<<"echo \"not ok 1 - the wish of \$CKRUN_BUILD\"; echo 1..1; $end; exit 1"
script dead.t <<<'echo "ok 1 - the last word"; kill -9 $$'

# halves FIRST SECOND: the tests of each.
halves() {
  : >log
  # shellcheck disable=SC2086
  PROVEFLAGS=-j4 "$here/stages.sh" CKRUN_BUILD=one OWN=mine $1 -- CKRUN_BUILD=two $2 >out 2>&1
  code=$?
}
results() { grep '^Result: ' out | tr '\n' ' '; }
# The number of the line that holds the text.
line() { grep -nF -- "$1" out | tail -n 1 | cut -d: -f1; }

halves "./good.t ./slow.t" "./good.t"
ok "two halves that hold hold" test "$code $(results)" = "0 Result: PASS Result: PASS "
ok "the second begins when the first has ended" test \
  "$(grep -n ' two' log | head -n 1 | cut -d: -f1)" = 5
ok "each in its environment" test "$(sort -u log | tr '\n' ' ')" = \
  "begin one mine begin two  end one mine end two  "
ok "nothing is reported again" test -z "$(grep '^==' out)"

halves "./bad.t ./good.t" "./good.t"
ok "when the first fails the second is run all the same" grep -q 'end two' log
ok "both say how they end, and the whole fails" test "$code $(results)" = \
  "1 Result: FAIL Result: PASS "
ok "what failed is reported behind the second" test "$(line 'the wish of one')" -gt \
  "$(line 'Result: PASS')"

halves "./good.t" "./bad.t"
ok "the whole fails when the second does" test "$code $(results)" = "1 Result: PASS Result: FAIL "
ok "what failed is reported, and not what failed another time" test "$(grep '^==' out)" = \
  "== bad.t: exit 1"
ok "which is the second's" test "$(grep -c 'the wish of two' out)" -ge 1

halves "./bad.t ./dead.t" "./bad.t"
ok "both fail" test "$code $(results)" = "1 Result: FAIL Result: FAIL "
ok "all is reported behind the second, each half for itself" test \
  "$(sed -n "$(line 'Result: FAIL'),\$p" out | grep -E '^(==|not ok)' | tr '\n' ' ')" = \
  "== bad.t: exit 1 not ok 1 - the wish of one == dead.t: exit 137 \
== bad.t: exit 1 not ok 1 - the wish of two "

halves "./bad.t" ""
halves "" "./good.t"
ok "a half without tests holds" test "$code $(results)" = "0 Result: PASS "
ok "and says so, and nothing of another time" test "$(head -n 1 out) $(grep -c '^==' out)" = \
  "no tests 0"
"$here/stages.sh" CKRUN_BUILD=one ./bad.t >out 2>&1
ok "one half alone fails when it does" test $? = 1

# What the Makefile runs.
make -n -C "$here/.." test >out 2>&1
ok "make test runs one such pair" test "$(grep -c 'tests/stages\.sh' out)" = 1
ok "the release first, then what is sanitized" test \
  "$(grep -A1 'tests/stages\.sh' out | grep -o " CKRUN_BUILD='[^']*/\(release\|asan\)'\| -- " | \
  sed "s,.*/,,; s,',," | tr -d '\n')" = "release -- asan"
echo "1..$checks"
[ "$failed" = 0 ]
