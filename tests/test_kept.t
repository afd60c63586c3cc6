#!/bin/bash
# test_kept.t - what a failing test has said is reported again at the end, and nothing of those that
# held.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export CKRUN_BUILD=$dir
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
  fi
}

# script NAME: of what is on stdin.
script() {
  { echo '#!/bin/sh'; cat; } >"$1"
  chmod +x "$1"
}
script good.t <<<'echo "ok 1 - it holds"; echo "# noise" >&2; echo 1..1'
script bad.t <<<'echo "ok 1 - before"; echo "not ok 2 - the wish"; echo "# got $1"
echo "ok 3 - after"; echo "# failed at 7" >&2; echo 1..3; exit 1'
script dead.t <<<'echo "ok 1 - the last word"; echo "it hurts" >&2; kill -9 $$'

ok "nothing has failed before anything ran" test -z "$("$here/kept.sh" --report 2>&1)"
ok "a test that holds holds" "$here/kept.sh" ./good.t
ok "its output goes on to prove" test "$("$here/kept.sh" ./good.t 2>&1)" = $'ok 1 - it holds\n1..1'
"$here/kept.sh" ./bad.t this >out
ok "a test that fails fails" test $? = 1
ok "and says all that it says" test "$(wc -l <out)" = 5
"$here/kept.sh" ./dead.t >out 2>&1
ok "so does one that is killed" test $? = 137
"$here/kept.sh" --report >report
for text in 'bad.t: exit 1' 'not ok 2 - the wish' '# got this' '# failed at 7' 'dead.t: exit 137' \
  'the last word' 'it hurts'; do
  ok "reported again: $text" grep -qF -- "$text" report
done
ok "what held is not" test -z "$(grep -E 'before|after|it holds|noise' report)"
ok "all of it is kept" cmp report output/failed.txt
"$here/kept.sh" ./bad.t >out 2>&1
script bad.t <<<'echo "ok 1 - now"; echo 1..1'
"$here/kept.sh" ./bad.t >out
ok "what holds again is not reported any more" test -z "$("$here/kept.sh" --report | grep bad.t)"
echo "1..$checks"
[ "$failed" = 0 ]
