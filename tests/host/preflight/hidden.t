#!/bin/bash
# hidden.t - profile check names what a redact hook masks of what a permit hook asks a person about
# or decides by, as a run shows that it does; of what is not hidden it says nothing.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >ask_to.lua <<'E'
return { name = "ask_to", version = 1, permit = function(effect)
  if effect.tool == "send_mail" then return ck.ask("Send to " .. effect.arguments.to .. "?") end
end }
E
cat >only_bob.lua <<'E'
local function whom(effect) local a = effect.arguments return a and a["recipient"] end
return { name = "only_bob", version = 1, permit = function(effect)
  local to = whom(effect)
  if to and to ~= "bob@example.com" then return ck.deny "not to strangers" end
end }
E
cat >plain.lua <<'E'
return { name = "plain", version = 1, permit = function(effect)
  if effect.class == "once" then return ck.ask("May " .. (effect.tool or effect.kind) .. "?") end
end }
E
cat >names.lua <<'E'
return { name = "names", version = 1, redact = function(item)
  if item.kind == "intent" then return ck.mask(item.value, "anything") end
end }
E
cat >keys.lua <<'E'
return { name = "keys", version = 1, redact = function(item)
  if item.key == "memory.to" then return ck.mask end
end }
E
# checks PROFILE POLICIES…: the notes of profile check.
checks() {
  local name=$1 list=
  shift
  for policy in "$@"; do list="$list\"$policy\", "; done
  echo "return { name = \"$name\", policies = { $list } }" >"$name.lua"
  run --json profile check "./$name.lua"
  json "$out" '$d->{notes}'
}
sees() { echo "in the question of policy $1: a person answers without seeing them"; }
again() {
  echo "in stored calls: asked again about one after a kill or an answer, policy $1 answers" \
    "otherwise"
}
mail='values such as \"ann@example.com\" of'
question="masks $mail 'to' $(sees ask_to)"
decision="masks some values of 'recipient' $(again only_bob)"

is "personal data in a question" "$(checks mails redact_personal ./ask_to.lua)" \
  "[\"policy redact_personal $question\"]"
is "the profile is well all the same" "$(run profile check ./mails.lua; echo "$code $err")" \
  "0 mails: policy redact_personal ${question//\\/}
mails: 2 policies, 0 agents: all is well"
is "a pattern of one's own" "$(checks own ./names.lua ./ask_to.lua)" \
  "[\"policy names ${question/ann@example.com/anything}\"]"
is "what a decision is made by, behind a function and under a name in brackets" \
  "$(checks bob redact_personal ./only_bob.lua)" "[\"policy redact_personal $decision\"]"
is "both of two" "$(checks both redact_personal ./ask_to.lua ./only_bob.lua)" \
  "[\"policy redact_personal $question\",\"policy redact_personal $decision\"]"
cat >pair.lua <<'E'
return { name = "pair", version = 1, permit = function(effect)
  local a = effect.arguments or {}
  if a.iban == "DE89 3704 0044 0532 0130 00" then return ck.deny "not from this one" end
  if a.to then return ck.ask("Send to " .. a.to .. "?") end
  if a.cc or a.bcc then return ck.ask((a.cc or a.bcc) .. "?") end
end }
E
iban='values such as \"DE89 3704 0044 0532 0130 00\" of'
is "one note for two policies" "$(checks pairs redact_personal ./pair.lua)" \
  "[\"policy redact_personal masks $mail 'to', 'cc' and 'bcc' $(sees pair); and $iban 'iban' \
$(again pair)\"]"
cat >ask_all.lua <<'E'
return { name = "ask_all", version = 1, permit = function(effect)
  local text = "May it run with"
  for k, v in pairs(effect.arguments or {}) do text = text .. " " .. k .. "=" .. tostring(v) end
  return ck.ask(text)
end }
E
is "who shows all arguments has one note" "$(checks all redact_personal ./ask_all.lua)" \
  "[\"policy redact_personal masks $mail any argument $(sees ask_all)\"]"
cat >const.lua <<'E'
return { name = "const", version = 1, permit = function(effect)
  local a = effect.arguments
  if a and a.to then return ck.ask("For bob@example" .. ".com: " .. a.to:reverse()) end
end }
E
is "a question that has the value in no such form does not hide it" \
  "$(checks consts redact_personal ./const.lua)" \
  "[\"policy redact_personal masks $mail 'to' $(again const)\"]"
is "who masks is told apart" "$(checks apart ./keys.lua redact_personal ./ask_to.lua)" \
  "[\"policy redact_personal $question\"]"
is "keys of the state are none of a call" "$(checks state ./keys.lua redact_keys ./ask_to.lua)" "[]"
is "a question without arguments hides none" \
  "$(checks quiet redact_personal ./plain.lua approve)" "[]"
is "nobody masks" "$(checks nobody ./ask_to.lua ./only_bob.lua)" "[]"
is "nobody is asked" "$(checks unasked redact_personal every_boundary)" "[]"
cat >agents.lua <<'E'
return { name = "agents", policies = { "redact_personal" },
  agents = { mailer = { policies = { "./ask_to.lua" } } } }
E
run --json profile check ./agents.lua
is "the list of an agent" "$(json "$out" '$d->{notes}')" "[\"policy redact_personal $question\"]"

# ---- a run shows it ----

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.exec { argv = { "echo", "ann@example.com" }, class = "once" }
E
cat >ask_argv.lua <<'E'
return { name = "ask_argv", version = 1, permit = function(effect)
  return ck.ask("Run with " .. effect.request.argv[2] .. "?") end }
E
echo 'return { name = "live", policies = { "redact_personal", "./ask_argv.lua" } }' >live.lua
exits 8 "a person is asked about what is masked" run flow.lua --profile ./live.lua --session live
ok "and does not see it" bash -c '"$CKRUN" answer live | grep -q "Run with .redacted:" -' -
finish
