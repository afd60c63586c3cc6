#!/usr/bin/env bash
# flows.t - the examples of flows hold what they show: failed, killed or paused on the way, and
# nothing done twice.
set -u
cd "$(dirname "$0")/../.." || exit 1
count=0
check() {
  count=$((count + 1))
  if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; sed 's/^/# /' \
    <<<"$out"; fi
}

out=$(examples/research/demo.sh 2>&1)
check $? 'research: a graph runs, fails for a key, and goes on with it'
grep -q 'it reads memory.token, which is not there' <<<"$out"
check $? 'research: it says which key is missing'
grep -q 'publications  *1$' <<<"$out" && grep -q 'files that hold the key  *0$' <<<"$out"
check $? 'research: it publishes once, and keeps the key nowhere'

out=$(examples/pipeline/demo.sh 2>&1)
check $? 'pipeline: steps are killed among their like, and go on'
grep -q '{"bytes":28,"lines":3,"weather":"not known","words":6}' <<<"$out" &&
  grep -q 'more than once  *0$' <<<"$out"
check $? 'pipeline: with the same results, and nothing done twice'

out=$(examples/custom_flow/demo.sh 2>&1)
check $? 'custom_flow: a kind of flow of its own is stopped, and goes on'
[ "$(grep -c '^ *1 [A-Z]' <<<"$out")" = 4 ]
check $? 'custom_flow: each item was done once'
echo "1..$count"
