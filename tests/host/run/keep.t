#!/bin/bash
# keep.t - a profile's settings of checkpoints and of successful sessions: one checkpoint that is
# replaced, nothing left of a success.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
write_flow idempotent

echo 'return { name = "one", extends = "default", checkpoints = "single" }' >"$dir/one.lua"
begin run "$dir/flow.lua" --profile "$dir/one.lua" --session s
let_on 1
reach
let_on 2
reach
exits 0 "while it runs" --json sessions checkpoints s
ok "the earlier checkpoints are gone" test "$(grep -c . <<<"$out")" -le 2
die
begin resume s
steps 3 4
ended
is "it goes on from the one that is left" "$code $(cell "$out" result)" "0 4"
is "with nothing done twice but what was under way" \
  "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | sort -n | tail -n 2 | tr '\n' ' ')" "1 2 "
exits 0 "the store" store verify

echo 'return { name = "gone", extends = "default", on_success = "delete" }' >"$dir/gone.lua"
begin --json run "$dir/flow.lua" --profile "$dir/gone.lua" --session gone
kill -INT "$pid"
let_on 1
ended
exits 0 "a session that paused" sessions show gone
begin --json resume gone
steps 2 3 4
ended
is "one that succeeds tells its result" "$code $(json "$out" '$d->{result}')" "0 4"
exits 3 "and is gone" sessions show gone
begin run "$dir/flow.lua" --profile "$dir/gone.lua" --session gone
kill -INT "$pid"
let_on 1
ended
is "its id is free again" "$code" 8
exits 0 "the store" store verify
finish
