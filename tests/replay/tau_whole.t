#!/usr/bin/env bash
# tau_whole.t - every recorded airline session runs to its end, undisturbed; also under the
# sanitizers.
set -u
data=${CKRUN_DATA:-../shared/data}/tau_bench
set -- "$data"/*.json
[ -e "$1" ] || { echo "1..0 # SKIP no recorded sessions: $data is not there"; exit 0; }
file=$(realpath "$1")
flow=$(realpath "$(dirname "$0")/../../examples/airline/flow.lua")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CKRUN_STORE="sqlite:$work/tau.db"
failed=0
for index in $(seq 0 49); do
  "$CKRUN" run "$flow" --cassette "$file#$index" --session "tau-$index" >"$work/out" 2>&1 ||
    { failed=$((failed + 1)); sed "s/^/# $index: /" "$work/out" | tail -5; }
done
echo 1..2
[ "$failed" = 0 ] && echo 'ok 1 - all 50 run to their end' ||
  echo "not ok 1 - $failed of 50 did not"
"$CKRUN" store verify >"$work/out" 2>&1 && echo 'ok 2 - their store is whole' ||
  { echo 'not ok 2 - their store is whole'; sed 's/^/# /' "$work/out"; }
