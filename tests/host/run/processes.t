#!/bin/bash
# processes.t - MCP servers and ACP agents in a whole session: recorded, replayed, awaited, in
# doubt, resolved.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
server=$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server
agent=$CKRUN_BUILD/tests/effect/acp/tool_acp_agent

cat >tools.lua <<EOF
local flow = require "ck.flow"
local mcp = require "ck.flow.mcp"
local process = require "ck.flow.process"
local servers = { box = flow.mcp { argv = { "$server" } } }
return flow.custom {
  processes = servers,
  run = function(ctx)
    local names = {}
    for i, tool in ipairs(mcp.offer(ctx, process.declare(servers))) do
      names[i] = tool.name .. "=" .. tool.class
    end
    local sum = ctx.effect { kind = "tool", class = "once",
      request = { server = "box", name = "add", arguments = { a = 2, b = 3 } } }
    local slow = ctx.effect { kind = "tool", class = "once",
      request = { server = "box", name = "slow" } }
    local bad = ctx.effect { kind = "tool", class = "once",
      request = { server = "box", name = "fail" } }
    ctx.now(); ctx.random(); ctx.facts.known = 1
    return { tools = table.concat(names, " "), sum = sum.result, slow = slow.result,
      bad = bad.status .. ": " .. bad.result }
  end,
}
EOF
run run tools.lua --session tools
is "a flow calls the tools of a server" "$code" 0
has "their results come back" "$out" '"sum":"5"'
has "an error is a result, too" "$out" '"bad":"error: no such\ncity"'
has "its tools are listed with their classes" "$out" 'echo=pure add=idempotent fail=once'
is "three were called: to list them, and to read a clock, a number or a fact, is no call" \
  "$(json "$("$CKRUN" --json sessions show tools)" \
  '$d->{totals}{tool_calls} // $d->{tool_calls}')" 3
run sessions log tools
is "progress is recorded" "$(grep -c 'notifications/progress' <<<"$out")" 3

# A model that calls the tools of a server, over HTTP, and again from a recording, without model and
# server.
serve model <<EOF
{"turn":0,"answer":{"text":"I add.","calls":[{"name":"add","arguments":{"a":2,"b":3}},\
{"name":"fail","arguments":{}},{"name":"sum_up","arguments":{"a":4,"b":5}}],\
"usage":{"input":100,"output":10}}}
{"turn":1,"answer":{"text":"It is 5.","usage":{"input":200,"output":10}}}
EOF
cat >model.lua <<EOF
return { name = "model", extends = "default", constraints = { tool_calls = 3 },
  secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)",
    model = "m", key = "main", retries = 0 } } }
EOF
adder() {
  cat >adder.lua <<EOF
local flow = require "ck.flow"
return flow.agent { name = "adder", prompt = "Add.",
  tools = { box = flow.mcp { argv = { "$1" } }${2:-} } }
EOF
}
adder "$server"
run run adder.lua --profile ./model.lua --session adder --input '"2+3?"' --record recording.jsonl
has "a model uses the tools of a server" "$out" '"text":"It is 5."'
is "to ask for its tools is no call of one" \
  "$(json "$("$CKRUN" --json sessions show adder)" \
  '$d->{totals}{tool_calls} // $d->{tool_calls}')" 3
sent=$(cat model.log)
add='{"name":"add","description":"add it","parameters":{"type":"object"}}'
has "it is told what they take" "$sent" '{"type":"function","function":'"$add"'}'
has "it gets their results" "$sent" '"role":"tool","tool_call_id":"call_t0_0","content":"5"'
has "and their errors" "$sent" '"content":"no such\ncity"'
has "a tool whose name no provider takes is offered under another" "$sent" \
  '{"type":"function","function":{"name":"sum_up",'
has "and called by its own" "$sent" '"role":"tool","tool_call_id":"call_t0_2","content":"9"'
ok "what it sent was valid on the wire" test -z "$(grep '"problem":"' model.log)"
adder /nowhere/at.all
run run adder.lua --cassette recording.jsonl --input '"2+3?"'
has "a recording needs neither model nor server" "$out" '"text":"It is 5."'
adder "$server" ', add = flow.command { argv = { "cat" } }'
run run adder.lua --profile ./model.lua --input '"2+3?"'
is "a tool of the flow's with the name of a server's: exit 1" "$code" 1
has "both are named" "$err" \
  "the tool 'add' is offered by the flow itself and by the MCP server 'box'"
adder "$server" ", again = flow.mcp { prefix = 'b_', argv = { '$server' } }"
before=$(wc -l <model.log)
run run adder.lua --profile ./model.lua --input '"2+3?"'
is "two servers may have tools of one name: exit 0" "$code" 0
has "where one has a prefix" "$(tail -n +$((before + 1)) model.log)" '"name":"b_add"'

cat >prompt.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { coder = flow.acp { argv = { "$agent" } } },
  run = function(ctx)
    if not ctx.position then
      local first = ctx.effect { kind = "agent", class = "once",
        request = { process = "coder", prompt = "hello" } }
      ctx.memory.first = first.result.text
      ctx.boundary("step_complete", { position = { path = "step#2" } })
    end
    local turn = ctx.effect { kind = "agent", class = "once",
      request = { process = "coder", prompt = ctx.input } }
    return { first = ctx.memory.first, second = turn.result and turn.result.text or turn.error,
      status = turn.status }
  end,
}
EOF
profile() {
  cat >profile.lua <<EOF
return { name = "p", extends = "default", policies = { "every_boundary" },
  permissions = { edit = "$1" } }
EOF
}

profile allow
run run prompt.lua --profile ./profile.lua --session allowed --input '"edit"'
has "a permission is given by rule" "$out" 'optionId\":\"yes\"'
has "what an agent says is the result" "$out" '"first":"Hello, world."'
run sessions log allowed
has "who decided is recorded" "$out" '"by":"rule"'

profile ask
run run prompt.lua --profile ./profile.lua --session asked --input '"edit"'
is "without a person the session waits" "$code" 8
has "and says for what" "$err" "the agent 'coder' asks for permission: Change it (edit)"
run resume asked --dry-run
has "which a dry run says" "$out" "the agent 'coder' asks for permission: Change it (edit)"
exits 0 "a person answers from elsewhere" answer asked allow
run resume asked
is "it goes on" "$code" 0
has "the agent gets the answer" "$out" 'optionId\":\"yes\"'
run run prompt.lua --profile ./profile.lua --session ruled --input '"edit"'
profile allow
run resume ruled --accept-changed
is "or it goes on under another rule" "$code" 0
has "the turn is made again" "$out" 'optionId\":\"yes\"'

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  profile ask
  mkfifo keys
  command="'$CKRUN' run prompt.lua --profile ./profile.lua --session typed --input '\"edit\"'"
  (script -qec "$command" /dev/null <keys >terminal.out 2>&1; echo $? >terminal.code) &
  typing=$!
  exec 7>keys
  until grep -q '> $' terminal.out || ! kill -0 $typing 2>/dev/null; do read -rt 0.01 <> <(:) ||
    :; done
  echo allow >&7
  wait $typing
  exec 7>&-
  has "a person at the terminal is asked" "$(cat terminal.out)" \
    "the agent 'coder' asks for permission: Change it (edit)"
  run sessions log typed
  has "and the agent gets the answer" "$out" 'optionId\":\"yes\"'
  has "it is recorded that a person decided" "$out" '"by":"person","option":"yes"'
else
  skip "script(1) is missing: no terminal to ask at"
fi

for word in die blurt; do
  profile reject
  run run prompt.lua --profile ./profile.lua --session "$word" --input "\"$word\""
  is "$word: a turn whose agent is gone is in doubt" "$code" 75
  if [ "$word" = blurt ]; then has "what the agent wrote is shown" "$err" \
    'it wrote a line that is no JSON: "Thinking about'; fi
  run resume "$word"
  is "$word: it is not made again in silence" "$code" 75
  key=$("$CKRUN" resolve "$word" 2>/dev/null | awk '{ print $1; exit }')
  run resolve "$word" "${key:-main/step#2/agent/1}" done
  is "$word: a person says that it is done" "$code" 0
  run resume "$word"
  is "$word: then it goes on" "$code" 0
done

# An agent that cannot load its session gets its tail when it is prompted again in another process.
cat >tail.lua <<EOF
local flow = require "ck.flow"
return flow.graph {
  start = "first",
  processes = { coder = flow.acp { argv = { "$agent" } } },
  nodes = {
    first = flow.prompt { process = "coder", prompt = "hello", session = "conversation" },
    rest = flow.lua(function(ctx) ctx.pause("for a while") end),
    second = flow.prompt { process = "coder", prompt = "pid", session = "conversation" },
  },
  edges = { first = "rest", rest = "second", second = flow.done },
}
EOF
run run tail.lua --session tail
is "a session of an agent pauses" "$code" 8
run resume tail
is "and goes on" "$code" 0
has "the agent is told what it did" "$("$CKRUN" sessions log tail --json | \
  grep 'second#1/agent/1/tail')" 'Hello, world.'
has "it is known by the name of its process" "$("$CKRUN" sessions tail tail coder)" 'Hello, world.'

# ---- ends ----

# Gone, or dead and not collected by whoever inherited it.
gone() {
  local state
  for _ in $(seq 6000); do
    state=$(awk '{ sub(/.*[)] /, ""); print $1 }' "/proc/$1/stat" 2>/dev/null)
    case $state in '' | Z | X) return 0 ;; esac
    read -rt 0.01 <> <(:) || :
  done
  return 1
}

# server_flow FILE CLASS TOOL MODE [ARGUMENT [TIMEOUT]]
server_flow() {
  cat >"$1" <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = {
    box = flow.mcp { argv = { "$server", "$4", "${5:-none}" }, timeout_s = ${6:-600} },
  },
  run = function(ctx)
    local pid = ctx.effect { kind = "tool", class = "pure",
      request = { server = "box", name = "pid" } }
    local it = ctx.effect { kind = "tool", class = "$2",
      request = { server = "box", name = "$3" } }
    return { pid = pid.result, status = it.status }
  end,
}
EOF
}

for mode in grandchild grandchild-away; do
  server_flow daemon.lua pure add "$mode" "$dir/$mode.pid"
  run run daemon.lua
  is "$mode: the session is completed" "$code" 0
  until [ -s "$mode.pid" ]; do read -rt 0.01 <> <(:) || :; done
  ok "$mode: what a server left behind ends with the session" gone "$(cat "$mode.pid")"
done

# Killed while a server works on a call.
for class in once pure; do
  server_flow killed.lua "$class" hang good
  "$CKRUN" run killed.lua --session "killed-$class" >/dev/null 2>&1 &
  running=$!
  until "$CKRUN" sessions log "killed-$class" 2>/dev/null | \
    grep -q 'intent.*"name":"hang"'; do :; done
  pid=$("$CKRUN" sessions log "killed-$class" | awk '/outcome.*tool pid/ { print $(NF - 1) }')
  { kill -9 "$running"; wait "$running"; } 2>/dev/null
  ok "$class: the server ends with the program that talks to it" gone "$pid"
  for limit in 1 10 100; do # until the call has been made, on a machine of any speed
    [ "$class" = once ] || server_flow killed.lua "$class" hang good none "$limit"
    run resume "killed-$class" --accept-changed
    [ "$code" = 8 ] || break
  done
done
is "a call that is done once is in doubt then" \
  "$("$CKRUN" sessions list --status in_doubt | grep -c '^killed-once')" 1
has "a pure one is made again, and is too late" "$out" '"status":"unknown"'

# One that reports progress for ever, while it may be silent for ten minutes.
server_flow busy.lua pure tick good none '600, total_s = 0.05'
sed -i 's/name = "tick" }/name = "tick", arguments = { count = 1000000 } }/' busy.lua
run run busy.lua --session busy
has "a call that never ends is ended" "$out" '"status":"unknown"'
has "and its outcome says by what" "$("$CKRUN" sessions log busy --json)" \
  'after 0.05 s, the most that one request to it may take'

broken() {
  cat >broken.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { coder = flow.acp { argv = { $1 } } },
  run = function(ctx)
    return ctx.effect { kind = "agent", class = "once",
      request = { process = "coder", prompt = "hello" } }.result
  end,
}
EOF
}
broken '"sh", "-c", "echo Welcome to my shell; cat"'
run run broken.lua --session broken
is "an agent that speaks nonsense: the session pauses" "$code" 8
has "the line is shown" "$err" 'it wrote a line that is no JSON: "Welcome to my shell"'
broken "\"$agent\""
run resume broken --accept-changed
is "and can be resumed with another agent" "$code" 0
finish
