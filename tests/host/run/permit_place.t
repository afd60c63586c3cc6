#!/bin/bash
# permit_place.t - where an effect would begin, as permit is shown it, is the same in the dry run,
# in the resume behind it and in a simulation of the session: what failed before, the node, the
# agents above.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# words WORD: the policy asks in these, and says where.
words() {
  cat >sees.lua <<E
local function say(effect, at)
  local message = at.message or {}
  local text = {}
  for _, value in ipairs { effect.kind, effect.class, at.scope, at.node or "-", at.agent or "-",
    at.depth, at.last_error or "-", at.next.tool or "-", at.next.class, message.role or "-",
    message.length or "-", at.is_clean } do text[#text + 1] = tostring(value) end
  return "PLACE " .. table.concat(text, "|")
end
return { name = "sees", version = 1,
  permit = function(effect, at)
    if effect.kind == "exec" or effect.tool == "send" then
      return ck.ask("$1 " .. say(effect, at))
    end
  end }
E
}
# place TEXT: of the first line that has one.
place() { grep -oE 'PLACE [^";(]*' <<<"$1" | sed 's/^PLACE //; s/ $//; 1q'; }
# walk SESSION: from question to question; each is asked in other words by the dry run and the
# resume. The places as these say them are in SESSION.dry and SESSION.live.
walk() {
  local word=A
  place "$err" >"$1.live"
  : >"$1.dry"
  while [ "$code" = 8 ]; do
    [ "$word" = A ] && word=B || word=A
    words "$word"
    place "$("$CKRUN" resume "$1" --dry-run --accept-changed 2>&1)" >>"$1.dry"
    run resume "$1" --accept-changed
    place "$err" >>"$1.twice"
    run answer "$1" allow
    run resume "$1"
    [ "$code" = 8 ] && place "$err" >>"$1.live"
  done
}

# ---- a node that is tried again ----
cat >graph.lua <<'E'
local flow = require "ck.flow"
local function run(text) return flow.exec { class = "idempotent", argv = { "sh", "-c", text },
  retry = { times = 2, backoff_ms = 1 } } end
return flow.graph { start = "first", nodes = {
  first = run "[ -e tried ] || { touch tried; exit 7; }", second = run "true" },
  edges = { first = "second", second = flow.done } }
E
echo 'return { name = "p", extends = "graph", policies = { "./sees.lua" } }' >p.lua
words A
run run graph.lua --profile ./p.lua --session g
walk g
is "only behind a failed try is a failure; the next node has none" "$(cat g.live)" \
"exec|idempotent|main|first|-|0|-|-|idempotent|-|-|true
exec|idempotent|main|first|-|0|sh: exit status 7|-|idempotent|-|-|false
exec|idempotent|main|second|-|0|-|-|idempotent|-|-|false"
is "the dry run of each resume shows the same" "$(cat g.dry)" "$(cat g.live)"
is "and so does the resume" "$(cat g.twice)" "$(cat g.live)"

# ---- a session that failed ----
cat >fails.lua <<'E'
return require "ck.flow".graph { start = "third", nodes = { third = require "ck.flow".exec {
  class = "idempotent", argv = { "sh", "-c", "exit 9" } } },
  edges = { third = require "ck.flow".done } }
E
words A
run run fails.lua --profile ./p.lua --session f
run answer f allow
exits 1 "a node that fails" resume f
behind="exec|idempotent|main|third|-|0|node 'third': sh: exit status 9|-|idempotent"
words B
is "the dry run has what the session failed of" \
  "$(place "$("$CKRUN" resume f --dry-run --accept-changed 2>&1)")" "$behind|-|-|false"
exits 8 "the resume asks" resume f --accept-changed
is "and has the same" "$(place "$err")" "$behind|-|-|false"

# ---- an agent below another one ----
serve panel <<'E'
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"ann","message":"Send it."}}]}}
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"bob","message":"Send it."}}]}}
{"answer":{"calls":[{"name":"send","arguments":{"n":1}}]}}
{"answer":{"text":"Sent."}}
{"answer":{"text":"He did."}}
{"answer":{"text":"Done."}}
E
cat >panel.lua <<'E'
local flow = require "ck.flow"
local send = flow.command { argv = { "true" }, class = "once" }
return flow.rounds { name = "panel", rounds = 3, delegates = { ann = { "bob" } },
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { ann = flow.agent { prompt = "Ask bob." },
    bob = flow.agent { prompt = "Send.", tools = { send = send } } } }
E
cat >p2.lua <<E
return { name = "p2", policies = { "tool_rounds", "./sees.lua" },
  secrets = { main = "env:MODEL_KEY" }, models = { default = { api = "openai", model = "mine",
    base_url = "$(base_url openai)", key = "main", retries = 0, stream = false } } }
E
words A
run run panel.lua --profile ./p2.lua --session panel --input '"?"'
walk panel
is "an agent that another one asked is one deeper" "$(cat panel.live)" \
  "tool|once|main.agent.ann.agent.bob|-|bob|1|-|send|once|assistant|0|true"
is "in the dry run, too" "$(cat panel.dry)" "$(cat panel.live)"
is "and in the resume" "$(cat panel.twice)" "$(cat panel.live)"

# ---- asked later ----
words C
for session in g panel; do
  run --json policy simulate "$session" --hook permit --list --policy ./sees.lua
  is "a simulation of $session shows the same" "$(grep -oE 'C PLACE [^";(]*' <<<"$out" |
    sed "s|^C PLACE ||" | grep -v "#" | sort -u)" "$(sort -u "$session.live")"
done
finish
