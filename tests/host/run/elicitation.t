#!/bin/bash
# elicitation.t - an MCP server asks a person in the midst of a call: the question waits beyond the
# process and its server, is asked once, and what was ordered is ordered once at most.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
command -v perl >/dev/null || { echo "1..0 # SKIP perl is not there"; exit 0; }

serve openai <<'END'
{"turn":0,"answer":{"text":"I order.","calls":[{"name":"order","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Ordered."},"times":0}
END
write_house
# buyer NAME ERA CLASS [MORE]: a flow whose server notes what it did in NAME.log.
buyer() {
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.agent { name = "buyer", input = "Order.", tools = { shop = flow.mcp {
  argv = { "perl", "$root/tests/effect/mcp/asking_server.pl", "$2", "$dir/$1.log" },
  tools = { order = "$3" }, ${4:-} } } }
END
}
begin() { run run "$1.lua" --profile ./house.lua --session "$1"; }
noted() { grep -c "^$2" "$1.log"; }
told() { "$CKRUN" --json sessions log "$1" --all | grep -c "$2"; }
questions() { "$CKRUN" --json sessions log "$1" --all --kind outcome | grep -c '"kind":"ask"'; }

# ---- one without a handshake: what it wants is all that there is to know ----
buyer modern modern once
begin modern
is "a call that asks: the session waits" "$code" 8
has "the server is named, and its question is told" "$err" \
  "The MCP server 'shop' asks: Which size? (1)"
has "it was offered to ask" "$(cat modern.log)" 'offered {"elicitation":{"form":{}}}'
is "nothing is ordered yet" "$(noted modern ordered)" 0
refused 5 "what is no choice is no answer" "decline" answer modern XL
exits 0 "the answer" answer modern M
exits 0 "the resume goes on, though another server has the call" resume modern --record modern.jsonl
is "its recording has the tools as often as they were listed" \
  "$(grep -c '"list":true' modern.jsonl)" 2
before=$(noted modern called)
exits 0 "a run from it is not disturbed by that" run modern.lua --cassette modern.jsonl \
  --session modern-again
is "and ends as the first" "$("$CKRUN" sessions show modern-again | grep ^result)" \
  "$("$CKRUN" sessions show modern | grep ^result)"
is "without its server" "$(noted modern called)" "$before"
exits 8 "a run from it that pauses" run modern.lua --cassette modern.jsonl --session modern-half \
  --limit model_calls=1
exits 0 "goes on, though its tools are listed anew" resume modern-half --cassette modern.jsonl \
  --limit model_calls=9
is "what was said is ordered, once" "$(grep ordered modern.log)" 'ordered {"size":"M"}'
is "the person was asked once" "$(questions modern)" 1
is "their answer is no message of the conversation" "$(told modern '"role":"user","content":"M"')" 0
is "the call has one result" "$(told modern '"role":"tool"')" 1

# ---- an older one: the call waited in a server that is gone ----
buyer again older idempotent
begin again
is "older: the session waits" "$code" 8
exits 0 "the answer" answer again S
exits 0 "a call that may be repeated is made anew" resume again
is "once more" "$(noted again called)" 2
is "and told what was answered" "$(grep ordered again.log)" 'ordered {"size":"S"}'
is "nobody is asked twice" "$(questions again)" 1

buyer doubt older once
begin doubt
tools=$(grep -c '"role":"tool"' openai.log)
has "the person is told what a late answer finds" "$err" \
  "an answer that comes later finds it in doubt"
exits 0 "the answer" answer doubt S
exits 0 "what a resume finds is foretold" --json resume doubt --dry-run
has "that the call is in doubt" "$out" '"in_doubt":1'
run resume doubt
is "a call that may not be repeated is not: the session stops" "$code" 75
has "and says why, and what the answer is still good for" "$err" \
  "was gone when the answer came, which a call that is made anew is told"
is "it was not made again" "$(noted doubt called) $(noted doubt ordered)" "1 0"
is "no model was told to go on without" "$(grep -c '"role":"tool"' openai.log)" "$tools"
exits 0 "it is told still" --json resume doubt --dry-run
has "once" "$out" '"in_doubt":1'
effect=$("$CKRUN" --json resolve doubt | sed 's/.*"effect":"\([^"]*\)".*/\1/')
exits 0 "a person has it made anew" resolve doubt "$effect" retry
exits 0 "which the resume does" resume doubt
is "with the answer of before" "$(grep ordered doubt.log)" 'ordered {"size":"S"}'
is "and nobody was asked twice" "$(questions doubt)" 1

cat >again.lua <<END
return { name = "again", version = 1, in_doubt = function() return "rerun" end }
END
sed 's|extends = "default"|extends = "default", policies = { "./again.lua" }|' house.lua >retry.lua
buyer decided older once
run run decided.lua --profile ./retry.lua --session decided
exits 0 "the answer" answer decided S
exits 0 "where a policy has it made again, it is" resume decided
is "with the answer of before" "$(grep ordered decided.log)" 'ordered {"size":"S"}'
is "and nobody is asked twice" "$(questions decided)" 1

# ---- what the form says of its fields ----
cat >form.lua <<END
local flow = require "ck.flow"
return flow.agent { name = "buyer", input = "Order.", tools = { shop = flow.mcp {
  argv = { "perl", "$root/tests/effect/mcp/asking_server.pl", "modern", "$dir/form.log", [[
    {"form":{"type":"object","required":["count"],"properties":{
      "count":{"type":"integer","title":"How many","description":"of them","minimum":1,"maximum":5,
        "default":2},
      "mail":{"type":"string","format":"email"},
      "size":{"type":"string","enum":["S","M"],"enumNames":["small","medium"]}}}}
  ]] }, tools = { order = "once" } } } }
END
begin form
has "title, description, limits, default" "$err" \
  "  count (integer, from 1, to 5, default 2): How many. of them"
has "format" "$err" "  mail (string, optional, format email)"
has "names of choices" "$err" "  size (string, optional): S (small), M (medium)"

# ---- what cannot be sent is refused when it is given ----
wrong() { # ANSWER WHAT
  refused 5 "the answer $1" "$2" answer form "$1"
  has "with what is one" "$err" "Answer with a JSON object of count, mail, size, or decline, or"
}
wrong '{"count":9}' \
  "'{\"count\":9}' is not taken: That cannot be sent: the answer.count is 9, out of its range"
wrong '{"count":2,"size":"XL"}' 'the answer.size is none of its enum: "S", "M"'
wrong '{"mail":"a@b.example"}' "the answer lacks 'count'"
wrong '{"count":1,"colour":"red"}' "there is no 'colour' to fill"
wrong 'two' 'That is no JSON object'
is "it waits still" "$(json "$("$CKRUN" --json sessions show form)" '$d->{status}')" waiting
exits 0 "what can be sent is taken" answer form '{"count":2,"size":"M"}'
effect=$("$CKRUN" --json sessions log form --all --kind intent |
  sed -n 's/.*"key":"\([^"]*ask[^"]*\)".*/\1/p' | tail -n 1)
refused 5 "a correction that cannot be sent" "the answer.count is 0, out of its range" \
  answer form --effect "$effect" '{"count":0}'
exits 0 "one that can" answer form --effect "$effect" '{"count":3}'
exits 0 "the resume goes on" resume form
is "with what was said last" "$(grep ordered form.log)" 'ordered {"count":3}'
is "and the person was asked once" "$(questions form)" 1

# ---- a no, and what is not offered ----
buyer no modern once
begin no
exits 0 "a person declines" answer no decline
exits 0 "which is told" resume no
has "to the server" "$(cat no.log)" "the person chose to decline"

for era in modern older; do
  buyer off-$era $era once 'elicitation = false'
  begin off-$era
  is "$era, off: the session does not wait" "$code" 0
  has "it is not offered" "$(cat off-$era.log)" "offered {}"
  is "and nothing is ordered" "$(noted off-$era ordered)" 0
done
finish
