#!/bin/bash
# option_agents.t - an agent that a shipped policy's option names, and that the flow does not have,
# is an error that names the agents it has: before a run, a resume and in the dry run.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "wait", nodes = {
    wait = flow.lua(function(ctx) ctx.pause("here") end),
    ask = flow.agent { name = "asker", prompt = "x", model = "m" },
    tell = flow.agent { name = "writer", prompt = "y", model = "m" } },
  edges = { wait = "ask", ask = "tell", tell = flow.done } }
E
echo '{"cassette":1}' >none.jsonl
# profile AGENTS: Lua.
profile() { echo "return { name = \"p\", extends = \"graph\", policies = { \"every_boundary\"," \
  "{ \"same_model\", agents = $1 } } }" >p.lua; }
start() { run run flow.lua --profile ./p.lua --cassette none.jsonl "$@"; }
profile '{ "asker", "writer" }'
start --session s
is "agents that the flow has" "$code" 8
profile '{ "asker", "writr" }'
refused 5 "one that is misspelt" 'option agents of policy same_model: flow g has no agent "writr",'\
' so it would hold for nobody; it has asker, writer' \
  run flow.lua --profile ./p.lua --cassette none.jsonl
exits 5 "so at a resume" resume s --accept-changed
has "by name" "$err" 'has no agent "writr"'
exits 5 "and in the dry run" resume s --accept-changed --dry-run
has "too" "$out" 'has no agent "writr"'
profile '{ "somebody" }'
start
is "one that is nobody's, alone" "$code $(grep -c 'has no agent "somebody"' <<<"$err")" "5 1"
profile '{ "asker", "somebody" }'
start --session t
is "beside one of the flow: another flow's, maybe, which is told" \
  "$code $(grep -c 'p.lua: option agents of policy same_model: flow g has no agent "somebody"$' \
    <<<"$err")" "8 1"
profile '{ "*" }'
start
is "everyone" "$code" 8
profile '{ "asker" }'
start --option 'same_model.agents=["askr"]'
is "one of a run's own option" "$code $(grep -c 'has no agent "askr"' <<<"$err")" "5 1"
echo 'return { name = "own", version = 1, options = { agents = { "x" } } }' >own.lua
start --policy ./own.lua
is "what a policy of one's own calls agents is its own" "$code" 8
finish
