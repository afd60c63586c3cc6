#!/bin/bash
# scenarios.t - places where chance alone led the oracle and ckrun apart, written by hand.
. "$(dirname "$0")/oracle.sh"

# ---- what was lost, and begun again, in what a person has left behind ----
cat >"$dir/starts.lua" <<'LUA'
return { name = "starts", extends = "default",
  policies = { { "every_boundary", on_node_complete = false } } }
LUA
cat >"$dir/back.lua" <<'LUA'
local flow = require "ck.flow"
return flow.graph {
  name = "back", start = "a",
  nodes = {
    a = function() return 1 end,
    b = flow.exec { class = "idempotent", argv = { "sh", "-c",
      "test -e died || { touch died; kill -9 $PPID; sleep 1; }" } },
    c = flow.lua(function(ctx) if not ctx.memory.on then ctx.pause("look") end end),
  },
  edges = { a = "b", b = "c", c = flow.done },
}
LUA
cd "$dir" || exit 1
exits 137 "a program that is lost with its run" run back.lua --session back --profile ./starts.lua
exits 8 "is begun again" resume back
compare "begun again" '{}' back
exits 0 "a person goes back to before it" resume back --clean --set on=true
is "its outcome is taken over, and nothing tried again on this way" \
  "$("$CKRUN" --json sessions checkpoints back | perl -MJSON::PP -ne '$d = decode_json($_);
    print $d->{clean} ? "clean " : "no " if !$d->{abandoned}')" "clean clean clean clean clean "
compare "taken over" '{}' back

# ---- a run that replayed, and ended without a checkpoint: each outcome is in the tail once ----
cat >"$dir/turns.lua" <<'LUA'
return { name = "turns", extends = "loop", policies = { "tool_rounds" } }
LUA
cat >"$dir/doubt.lua" <<'LUA'
local flow = require "ck.flow"
return flow.agent {
  name = "solo", prompt = "You act.", user = flow.ask {}, stop = function() return true end,
  tools = {
    look = flow.command { argv = { "printf", "seen" }, class = "pure", description = "Looks." },
    act = flow.command { argv = { "sh", "-c", "kill -9 $PPID; sleep 1" }, class = "once",
      description = "Acts." },
  },
}
LUA
# calls NAME ID: a model's answer that calls a tool.
calls() {
  printf '{"scope":"main","kind":"model","cost_micros":100,"usage":{"input_tokens":9,'
  printf '"output_tokens":1},"message":{"role":"assistant","content":null,"tool_calls":['
  printf '{"id":"%s",' "$2"
  printf '"type":"function","function":{"name":"%s","arguments":"{}"}}]}}\n' "$1"
}
{
  echo '{"cassette":1}'
  echo '{"scope":"main","kind":"ask","answer":"Act."}'
  calls look c1
  echo '{"scope":"main","kind":"tool","index":0,"name":"look","arguments":"{}","result":"seen"}'
  calls act c2
} >"$dir/doubt.jsonl"
# What the agent's tail has: keys of effects and roles of messages; nothing of a boundary.
tail_of_solo() {
  "$CKRUN" --json sessions tail doubt solo | perl -MJSON::PP -e 'print join ", ",
    map { join " ", grep defined, $_->{body}{key}, $_->{body}{message}{role} }
    @{ decode_json(join "", <>)->{events} }'
}
exits 137 "an act that is lost" run doubt.lua --session doubt --profile ./turns.lua \
  --cassette doubt.jsonl
exits 75 "is in doubt" resume doubt
is "the outcome that is replayed is told once" "$(tail_of_solo)" "system, main/start/ask/1 user, \
main/start/model/1 assistant, main/start/tool/1 tool, , main/agent#2/model/1 assistant"
compare "in doubt" '{}' doubt

# ---- facts: put once, whatever is resumed or left behind, for the sessions that come ----
export CKRUN_STORE=sqlite:$dir/facts.db
cat >"$dir/facts.lua" <<'LUA'
local flow = require "ck.flow"
return flow.graph {
  name = "facts", start = "a",
  nodes = {
    a = function(ctx)
      ctx.facts.put("runs", (ctx.facts.get "runs" or 0) + 1)
      ctx.facts.put("runs", "its own", "ann")
      ctx.facts.put("gone", true)
      ctx.facts.put("gone", nil)
    end,
    b = flow.exec { class = "idempotent", argv = { "sh", "-c",
      "test -e fallen || { touch fallen; kill -9 $PPID; sleep 1; }" } },
  },
  edges = { a = "b", b = flow.done },
}
LUA
exits 137 "a session that keeps facts is killed" run facts.lua --session one
exits 0 "it goes on" resume one
exits 0 "another one begins" run facts.lua --session two
is "each counted once, what was put with nil is gone" \
  "$("$CKRUN" facts list | cut -f1,2,4)" $'\truns\t2\nann\truns\t"its own"'
compare "facts" '{}' one two
is "the facts of all sessions were compared" "$(grep -c 'facts (' "$dir/compared")" 1

# ---- rounds of a branch that was left: its money counts, its rounds do not ----
export CKRUN_STORE=sqlite:$dir/rounds.db
. "$root/tests/host/served.sh"
serve rounds <<'END'
{"answer":{"text":"An opinion.","usage":{"input":1000,"output":50}},"times":0}
END
cat >"$dir/rounds.lua" <<'LUA'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 5,
  agents = { ann = flow.agent { name = "ann", prompt = "Answer." } },
  orchestrator = function(_, round, ask) ask { target = "ann", message = "Round " .. round } end }
LUA
cat >"$dir/two.lua" <<LUA
return { name = "two", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { rounds = 2 }, policies = { "every_boundary" },
  models = { default = { api = "openai", base_url = "http://127.0.0.1:$port/v1",
    model = "test-model", key = "main", retries = 0, stream = false, max_tokens = 100,
    price = { input = 3, output = 15 } } } }
LUA
exits 8 "two rounds are made" run rounds.lua --profile ./two.lua --session rounds
compare "two rounds" '{"constraints":{"rounds":2}}' rounds
exits 8 "resumed behind the first, another second one is" resume rounds "$("$CKRUN" --json \
  sessions checkpoints rounds | perl -MJSON::PP -ne 'my $c = decode_json($_);
    print $c->{id} if $c->{kind} eq "round_complete" && !$n++')"
is "three were paid for" "$(requests rounds)" 3
compare "a round that was left" '{"constraints":{"rounds":2}}' rounds

# ---- what an agent process tells on its way is its own, and nobody else's ----
cat >"$dir/beside.lua" <<LUA
local flow = require "ck.flow"
return flow.graph {
  name = "beside", start = "code",
  processes = { coder = flow.acp { argv = { "$CKRUN_BUILD/tests/effect/acp/tool_acp_agent" } } },
  nodes = { code = flow.prompt { process = "coder", prompt = "hello" },
    bob = flow.agent { name = "bob", prompt = "You look on." },
    eve = flow.agent { name = "eve", prompt = "You too." } },
  edges = { code = "bob", bob = "eve", eve = flow.done },
}
LUA
exits 0 "agents beside an agent process" run beside.lua --profile ./two.lua --session beside \
  --input '"Well?"'
ok "which told something on its way" test -n "$("$CKRUN" sessions log beside --kind update)"
compare "beside" '{"constraints":{"rounds":2}}' beside
exits 3 "somebody who had no part in it has no tail" sessions tail beside nobody
finish
