#!/bin/bash
# sampling.t - an MCP server asks a model in the midst of a call: within the session's limits, by
# leave, in the ledger; it is paid once, whatever dies between its answer and the server's.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
command -v perl >/dev/null || { echo "1..0 # SKIP perl is not there"; exit 0; }

serve openai <<'END'
{"turn":0,"answer":{"text":"I think.","calls":[{"name":"think","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Thought."},"times":0}
END
main_port=$port
serve small <<'END'
{"turn":0,"answer":{"text":"Size M. STOP I say.","usage":{"input":10,"output":20}},"times":0}
END
small_port=$port
cat >house.lua <<END
return { name = "house", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = {
    default = { api = "openai", base_url = "http://127.0.0.1:$main_port/v1", model = "m",
      key = "main", retries = 0, unmetered = true },
    small = { api = "openai", base_url = "http://127.0.0.1:$small_port/v1", model = "s",
      key = "main", retries = 0, price = { input = 1, output = 1 }, context = 8000 } } }
END
# thinker NAME ERA CLASS [SETTINGS [ARGUMENTS]]: a flow whose server notes what it did in NAME.log.
thinker() {
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.agent { name = "thinker", input = "Think.", tools = { shop = flow.mcp {
  argv = { "perl", "$root/tests/effect/mcp/asking_server.pl", "$2", "$dir/$1.log", [[${5:-{\}}]] },
  tools = { think = "$3" }, ${4:-} } } }
END
}
begin() { run run "$1.lua" --profile "${2:-./house.lua}" --session "$1"; }
noted() { grep -c "^$2" "$1.log"; }
events() { "$CKRUN" --json sessions log "$1" --all; }
paid() { events "$1" | grep '"kind":"outcome"' | grep -c '"aside":true'; }

for era in modern older; do
  thinker $era $era once 'sampling = "small"'
  before=$(requests small)
  begin $era
  is "$era: a server that asks a model gets its answer" "$code $(noted $era thought)" "0 1"
  has "it was offered to" "$(cat $era.log)" '"sampling":{}'
  has "as a result of its own" "$(grep thought $era.log)" \
    '{"content":{"text":"Size M. STOP I say.",'
  has "in the words of the protocol" "$(grep thought $era.log)" \
    '"type":"text"},"model":"chat-test","role":"assistant","stopReason":"endTurn"}'
  is "the model was asked once" "$(($(requests small) - before))" 1
  has "about what the server says, alone" "$(tail -1 small.log)" \
    '"messages":[{"role":"user","content":"Which size? (1)"}]'
  is "the conversation has none of it" "$(tail -1 openai.log | grep -c 'Which size')" 0
  has "the call has its result" "$(tail -1 openai.log)" "thought Size M. STOP I say."
  has "the log tells who asked" "$("$CKRUN" sessions log $era --kind intent)" '"asked_by":"shop"'
  has "and what was answered" "$("$CKRUN" sessions log $era --kind outcome)" \
    "assistant: Size M. STOP I say."
done
shown=$("$CKRUN" --json sessions show older)
is "its agent pays for a call of its model, which is no turn of it" \
  "$(json "$shown" 'join " ", @{$d->{agents}[0]}{qw(model_calls rounds cost_usd)}')" "3 2 3e-05"

thinker foreign modern once 'sampling = "small", trust = "untrusted"'
begin foreign
has "what it asks is not to be trusted where the server is not" \
  "$(events foreign | grep '"kind":"intent"' | grep asked_by)" '"untrusted":["shop"]'

# ---- what a recording has of it: the call and its result ----
for name in modern older; do
  "$CKRUN" sessions export $name --format cassette >$name.jsonl
  before=$(requests small)
  run run $name.lua --profile ./house.lua --cassette $name.jsonl --session again-$name
  is "$name: its recording runs without the server's model" \
    "$code $(($(requests small) - before))" "0 0"
done

# ---- killed between the model's answer and the server's ----
killed() { # NAME
  "$CKRUN" run "$1.lua" --profile ./house.lua --session "$1" >/dev/null 2>&1 &
  local pid=$!
  until [ -e "$1.hung" ]; do kill -0 $pid || return; read -rt 0.01 <> <(:) || :; done
  { kill -9 $pid; wait $pid; } 2>/dev/null
  run resume "$1"
}
for era in modern older; do
  before=$(requests small)
  thinker dead-$era $era idempotent 'sampling = "small"' "{\"hang\":\"$dir/dead-$era.hung\"}"
  killed dead-$era
  is "$era: killed there, a resume goes on" "$code $(noted dead-$era thought)" "0 1"
  is "and the model is not paid twice" "$(($(requests small) - before)) $(paid dead-$era)" "1 1"
done
thinker dead-once older once 'sampling = "small"' "{\"hang\":\"$dir/dead-once.hung\"}"
killed dead-once
is "older, a call that may not be repeated: it stops in doubt" \
  "$code $(noted dead-once called)" "75 1"

# ---- limits and leave ----
thinker poor modern once 'sampling = "small"'
before=$(requests small)
run run poor.lua --profile ./house.lua --session poor --limit model_calls=1
is "a session without a call left for it does not make it" \
  "$code $(($(requests small) - before))" "8 0"
thinker often older once 'sampling = { model = "small", max_calls = 2, max_tokens = 7 }' \
  '{"times":3}'
before=$(requests small)
begin often
is "a server that asks more often than it may is told no" \
  "$(($(requests small) - before)) $(grep -c "refused -1 .*max_calls" often.log)" "2 1"
has "and gets no longer answers" "$(tail -1 small.log)" '"max_tokens":7'
thinker wide modern once 'sampling = { model = "small", max_calls = 2 }' '{"wide":9,"times":9}'
before=$(requests small)
begin wide
is "one that asks for all at once gets no more" "$code $(($(requests small) - before))" "0 2"
has "its call is over" "$(tail -1 openai.log)" "asked a model 2 times in one call"
thinker wider modern once 'sampling = "small"' '{"wide":400,"times":400}'
before=$(requests small)
begin wider
is "a flood of questions is none" "$code $(($(requests small) - before))" "0 0"
thinker flood older once 'sampling = { model = "small", max_calls = 2 }' '{"flood":500}'
before=$(requests small)
begin flood
is "nor does an older one" "$code $(($(requests small) - before))" "0 2"
cat >no.lua <<END
return { name = "no", version = 1, permit = function(effect)
  if effect.request.asked_by then return ck.deny "servers ask no models here" end
end }
END
sed 's|extends = "default"|extends = "default", policies = { "./no.lua" }|' house.lua >strict.lua
for era in modern older; do
  thinker denied-$era $era once 'sampling = "small"'
  before=$(requests small)
  begin denied-$era ./strict.lua
  is "$era: what a policy denies is not asked" "$code $(($(requests small) - before))" "0 0"
  has "and the call goes on without it" "$(tail -1 openai.log)" "servers ask no models here"
done

# ---- what is not offered ----
refusal() { # NAME ERA MORE TEXT
  thinker "$1" "$2" once 'sampling = "small"' "{\"more\":$3}"
  local before=$(requests small)
  begin "$1"
  is "$2: $1 is refused" "$code $(($(requests small) - before)) $(noted "$1" thought)" "0 0 0"
  has "by name" "$(tail -1 openai.log)" "$4"
}
for era in modern older; do refusal tools-$era $era '{"tools":[{"name":"x"}]}' 'with tools'; done
refusal choice modern '{"toolChoice":{"mode":"none"}}' 'with tools'
refusal image older \
  '{"messages":[{"role":"user","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]}' \
  "content of type 'image'"
refusal role modern '{"messages":[{"role":"system","content":{"type":"text","text":"x"}}]}' \
  "role 'system'"
refusal nothing older '{"messages":[]}' 'no messages'
refusal endless modern '{"maxTokens":"all"}' 'maxTokens'
thinker stops modern once 'sampling = "small"' \
  '{"more":{"stopSequences":["I say"," STOP"],"systemPrompt":"Be brief.","maxTokens":1e9}}'
begin stops
has "a sequence ends the answer, which has nothing of it" "$(cat stops.log)" '"text":"Size M."'
has "the server's prompt goes along" "$(tail -1 small.log)" \
  '{"role":"system","content":"Be brief."}'

# ---- off ----
for era in modern older; do
  thinker off-$era $era once
  before=$(requests small)
  begin off-$era
  is "$era, off: nobody is asked" \
    "$code $(($(requests small) - before)) $(noted off-$era thought)" "0 0 0"
  is "it is not offered" "$(grep -c 'offered.*sampling' off-$era.log)" 0
  has "the model is told" "$(tail -1 openai.log)" "sampling"
done
# ---- the model that answered is named ----
serve named <<END
{"turn":0,"times":0,"body":{"model":"s-2026-01","choices":[{"finish_reason":"stop","message":\
{"role":"assistant","content":"M"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}}
END
sed "s|:$small_port/|:$port/|" house.lua >named.lua
thinker naming modern once 'sampling = "small"'
begin naming ./named.lua
has "a server is told the model that answered, where that says so" "$(grep thought naming.log)" \
  '"model":"s-2026-01"'
finish
