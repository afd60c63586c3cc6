#!/bin/bash
# graph.t - a graph at the command line: missing nodes and keys are reported before anything runs.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# graph NAME EDGE: two nodes; the second, NAME, reads a key.
graph() {
  cat >flow.lua <<END
local flow = require "ck.flow"
return flow.graph {
  start = "first",
  nodes = {
    first = flow.lua(function(ctx) -- which may write any key
      ctx.effect { kind = "exec", class = "once",
        request = { argv = { "sh", "-c", "echo first >>log" } } }
    end),
    $1 = flow.lua { reads = { "key" }, run = function(ctx) return ctx.memory.key end },
  },
  edges = { first = $2, $1 = flow.done },
}
END
}

graph second '"second"'
exits 1 "a graph whose second node misses a key" run flow.lua --profile graph --session missing
has "it is told" "$err" \
  "node 'second': it reads memory.key, which is not there: give it with --set key=…"
refused 5 "resume without the key" \
  "node second reads memory.key, which the checkpoint does not have; --set gives it a value" \
  resume missing
exits 0 "resume with the key" resume missing --set key=7
has "goes on" "$out" "result	7"
is "behind the node that had completed" "$(wc -l <log)" 1

exits 1 "another one" run flow.lua --profile graph --session renamed
graph other '"other"'
exits 5 "resume of a graph that has changed" resume renamed
has "it is told" "$err" "has changed since the session was started"
refused 5 "resume of a graph that lacks the node" 'node "second", where checkpoint' resume renamed \
  --accept-changed --set key=7

graph second '"secnod"'
refused 2 "a graph with an edge to nowhere" \
  "the edge of node 'first' leads to 'secnod', which is no node; did you mean 'second'?" run \
  flow.lua
finish
