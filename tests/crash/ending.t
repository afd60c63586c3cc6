#!/bin/bash
# ending.t - what a flow does behind its last boundary is done once, also where it is killed between
# the checkpoint of its end and the session's: between them old checkpoints are pruned.
# Every 5th point is tried; KILL_EVERY=1 tries all.
. "$(dirname "$0")/lib.sh"

every=${KILL_EVERY:-5}
# The mark shows that the run began.
start() { echo begun >count.log && bounded "$@" "$CKRUN" --store "$store" run "$here/ending.lua" \
  --profile "$work/keep.lua" --session s; }
by_count() { attack "call:$1" env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so"; }
expect() {
  fresh
  start env >out 2>err && summary s >"$work/expected" && grep -q '"memory.ends":1,' "$work/expected"
}
count_calls() {
  fresh
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err
  seq 2 $((2 * $(cat "$work/calls") + 10)) | awk -v every="$every" 'NR % every == 0' \
    >"$work/points"
}

# The checkpoint of its end is there, the event of its end is not.
is_between() {
  rm -rf probe && mkdir probe && cp s.db s.db-* s.db.* probe/ 2>/dev/null
  ckrun_at "sqlite:$PWD/probe/s.db" --json sessions log s --all >probe/log 2>/dev/null
  grep -q '"boundary":"final"\|"kind":"final"' probe/log && ! grep -q session_completed probe/log
}
find_between() {
  local at
  for at in $(seq $((2 * $(cat "$work/calls"))) -2 2); do
    begin_anew "$at"
    is_between && return 0
  done
  say "no call lies between them"
  false
}

begin
folder ending
echo 'return { name = "k", policies = { "tool_rounds", { "keep_recent", count = 1 } } }' \
  >"$work/keep.lua"
check "undisturbed it ends once" expect
if have_compiler && build_kill_at; then
  check "its calls are counted" count_calls
  check "killed before and after each of $(cat \
    "$work/calls") calls it ends as undisturbed" in_two by_count "$work/points"
  check "killed between the checkpoint of its end and its end" find_between
  ckrun resume s >resumed 2>err
  check "a resume ends it" grep -qxF "$(printf 'result\t{"ends":1}')" resumed
  check "with what it had done" test "$(ckrun --json sessions inspect s | grep -c \
    '"memory.ends":1,"memory.rounds":4,"memory.told":\["the end"\]')" = 1
else
  skip "killed before and after each of its calls" "there is no compiler for the library that kills"
fi

fresh
start env >out 2>err
ckrun sessions fork s --session fork >out 2>err
ckrun resume fork >resumed 2>err
check "a fork of its end has ended as it has" grep -qxF "$(printf 'result\t{"ends":1}')" resumed
ckrun sessions fork s --session edited --set memory.ends=5 >out 2>err
ckrun resume edited >resumed 2>err
check "with an edit it goes on from its last boundary" grep -qxF \
  "$(printf 'result\t{"ends":6}')" resumed

# A policy that masks whatever holds an address reaches the result, not the position.
cat >mask.lua <<'END_OF_POLICY'
local function has(value)
  if type(value) == "table" then
    for _, one in pairs(value) do if has(one) then return true end end
  end
  return type(value) == "string" and value:find("@", 1, true) ~= nil
end
return { name = "mask", version = 1, redact = function(item)
  if has(item.value) then return ck.mask end
end }
END_OF_POLICY
cat >mail.lua <<'END_OF_FLOW'
local flow = require "ck.flow"
return flow.custom { name = "mail", run = function(ctx)
  if not ctx.position then
    local file = ctx.memory.n
    ctx.memory.n = (file or 0) + 1
    ctx.boundary("tool_round", { position = { path = "round#1" } })
  end
  ctx.memory.ends = (ctx.memory.ends or 0) + 1
  return { to = "bob@example.org", ends = ctx.memory.ends }
end }
END_OF_FLOW
state_of() { ckrun --json sessions inspect "$1" |
  grep -oE '"memory.ends":[0-9]+|"memory.n":[0-9]+' | tr '\n' ' '; }
fresh
ckrun run mail.lua --policy ./mask.lua --session s >out 2>err
ckrun sessions fork s --session masked >out 2>err
ckrun resume masked --policy ./mask.lua >resumed 2>err
check "with a masked result it has ended" grep -qx 'status.completed' resumed
check "and nothing is done anew" test "$(state_of masked)" = \
  '"memory.ends":1 "memory.n":1 '
check "the result stays masked" test "$(grep -c 'bob@' resumed; ckrun --json sessions inspect s |
  grep -c 'bob@')" = "$(printf '0\n0')"

# One that would mask positions is not asked about them: nothing there is content.
cat >all.lua <<'END_OF_POLICY'
return { name = "all", version = 1, redact = function() return ck.drop end }
END_OF_POLICY
fresh
ckrun run mail.lua --policy ./all.lua --session s >out 2>err
ckrun sessions fork s --session masked >out 2>err
ckrun resume masked --policy ./all.lua >resumed 2>err
check "under a policy that drops all it has ended, too" grep -qx 'status.completed' resumed
check "and nothing is done anew" test "$(ckrun --json sessions inspect masked |
  grep -c '"position.main":{"cut":2,"at":{"path":"round#1"},"done":true')" = 1
finish
