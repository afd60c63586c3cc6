#!/bin/bash
# reported_ends.t - an effect of class once that is given up for a pause or a cancel: its own report
# of its end is recorded, not doubted; an effect that never began is begun another time.
. "$(dirname "$0")/../tap.sh"
server=$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server
agent=$CKRUN_BUILD/tests/effect/acp/tool_acp_agent
child=$CKRUN_BUILD/tests/effect/process/tool_child
cd "$dir" || exit 1
mkfifo there

# begin SESSION FLOW: in the background, as $pid.
begin() {
  "$CKRUN" run "$2" --session "$1" --grace 100ms >"$1.out" 2>"$1.err" </dev/null &
  pid=$!
}
# ended SESSION: waits for it.
ended() {
  wait "$pid"
  code=$?
  out=$(cat "$1.out") err=$(cat "$1.err")
}
# Waits until the session's log has that.
logged() { until "$CKRUN" sessions log "$1" 2>/dev/null | grep -q "$2"; do :; done; }

# ---- commands ----
for way in finish regret wait; do
  cat >"$way.lua" <<END
local flow = require "ck.flow"
local work = { class = "once", argv = { "$child", "$way", "$dir/there" } }
return flow.custom { name = "$way", tools = { work = work }, run = function(ctx)
  local it = ctx.effect { kind = "tool", class = "once",
    request = { name = "work", index = 0, arguments = {} } }
  return it.status .. ": " .. (it.error or ctx.parse and tostring(it.result.done))
end }
END
  begin "$way" "$way.lua"
  read -r -n 1 _ <there
  kill -TERM "$pid"
  ended "$way"
  if [ "$way" = wait ]; then is "$way: a command that dies of it is in doubt" "$code" 75 &&
    continue; fi
  is "$way: a command that exits by itself is not in doubt: exit 8" "$code" 8
  run resume "$way"
  is "$way: and goes on" "$code" 0
  has "$way: with what it said" "$out" "$([ "$way" = finish ] && echo 'ok: true' ||
    echo 'error: work: exit status 3')"
  is "$way: it was begun once" "$("$CKRUN" sessions log "$way" --kind intent | grep -c .)" 1
done
begin cancelled finish.lua
read -r -n 1 _ <there
exits 0 "a session is cancelled inside such a command" cancel cancelled
ended cancelled
is "its run leaves nothing in doubt: exit 1" "$code" 1
has "what the command said is recorded" "$("$CKRUN" sessions log cancelled --json --kind outcome)" \
  '"status":"ok"'

cat >exec.lua <<END
local flow = require "ck.flow"
return flow.graph { start = "work",
  nodes = { work = flow.exec { argv = { "$child", "finish", "$dir/there" } } },
  edges = { work = flow.done } }
END
begin exec exec.lua
read -r -n 1 _ <there
kill -TERM "$pid"
ended exec
is "a program that exits by itself is not in doubt, either" "$code" 8
run resume exec
is "it goes on" "$code $("$CKRUN" sessions log exec --kind intent | grep -c .)" "0 1"

# ---- MCP ----
# mcp NAME: calls that tool of the server.
mcp() {
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.custom { processes = { box = flow.mcp { argv = { "$server" } } }, run = function(ctx)
  local it = ctx.effect { kind = "tool", class = "once", request = { server = "box", name = "$1" } }
  return it.status .. ": " .. it.result
end }
END
}
for tool in hang give-up obey; do
  mcp "$tool"
  begin "mcp-$tool" "$tool.lua"
  logged "mcp-$tool" notifications/progress
  kill -TERM "$pid"
  ended "mcp-$tool"
  if [ "$tool" = obey ]; then is "$tool: a call of which the server says nothing more is in doubt" \
    "$code" 75 && continue; fi
  is "$tool: one that it answers is not" "$code" 8
  run resume "mcp-$tool"
  is "$tool: it goes on" "$code $("$CKRUN" sessions log "mcp-$tool" --kind intent | grep -c .)" \
    "0 1"
done

# ---- ACP ----
# prompt NAME PROMPT ARGV: a graph of one turn.
prompt() {
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.graph { start = "turn", processes = { coder = flow.acp { argv = { $3 } } },
  nodes = { turn = flow.prompt { process = "coder", prompt = "$2" } },
  edges = { turn = flow.done } }
END
}
prompt turn hang "\"$agent\""
begin turn turn.lua
logged turn working
kill -TERM "$pid"
ended turn
is "a turn that the agent broke off is not in doubt: exit 8" "$code" 8
has "it is recorded as that" "$("$CKRUN" sessions log turn --json --kind outcome)" \
  '"stop_reason":"cancelled"'
run resume turn
is "it goes on" "$code" 0
has "by asking the agent to go on" "$("$CKRUN" sessions log turn --json --kind intent)" \
  'was interrupted before its end. See what is done already, and go on from there.\n\nhang'
has "which it does" "$("$CKRUN" sessions log turn --json --kind outcome)" 'I went on.'
begin gone turn.lua
logged gone working
exits 0 "a session is cancelled inside such a turn" cancel gone
ended gone
is "its run leaves nothing in doubt, either" "$code" 1

# ---- never begun ----
prompt late hello "\"sh\", \"-c\", \"if [ -e ready ]; then exec $agent; else exec $agent mute; fi\""
begin late late.lua
logged late 'intent.*hello'
kill -TERM "$pid"
ended late
is "a turn whose prompt was never sent is not in doubt: exit 8" "$code" 8
has "that is recorded" "$("$CKRUN" sessions log late --json --kind outcome)" \
  'not begun: the session was to end'
touch ready
run resume late
is "it is begun another time" "$code $("$CKRUN" sessions log late --json --kind outcome | \
  grep -c 'Hello, world.')" "0 1"
exits 0 "the store is sound" store verify
finish
