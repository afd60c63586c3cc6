#!/bin/bash
# run_checkpoint_laps.t - the run checkpoint of a graph that went round a loop: each completed node
# once, with the result of its own lap; going round is no iteration.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >laps.lua <<'FLOW'
local flow = require "ck.flow"
return flow.graph { start = "a", nodes = {
    a = function(ctx)
      ctx.memory.lap = (ctx.memory.lap or 0) + 1
      return "a" .. ctx.memory.lap
    end,
    b = function(ctx) return "b" .. ctx.memory.lap end,
    m = function() return "M" end,
    c = flow.exec { argv = { "false" } } },
  edges = { a = "b", m = "c", c = flow.done,
    b = flow.choose { to = { "a", "m" },
      function(ctx) return ctx.memory.lap < 3 and "a" or "m" end } } }
FLOW
for profile in graph portable; do
  exits 1 "$profile: three laps, then a failure" run laps.lua --profile $profile --session $profile
  document=$("$CKRUN" sessions export $profile --format run-checkpoint)
  is "$profile: each node with its lap's result" "$(json "$document" 'my %name = map
    { map { $_->{id} => $_->{function}{name} } @{$_->{tool_calls} // []} } @{$d->{history}};
    join " ", map { $_->{role} eq "tool" ? "$name{$_->{tool_call_id}}=$_->{content}" : () }
      @{$d->{history}}')" "a=a1 b=b1 a=a2 b=b2 a=a3 b=b3 m=M"
  is "$profile: seven nodes are complete" "$(json "$document" '$d->{lastCompletedIteration}')" 7
  is "$profile: the eighth failed" "$(json "$document" '$d->{failurePoint}')" \
    '{"iteration":8,"phase":"tool","stage":"c"}'
done
finish
