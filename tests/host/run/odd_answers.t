#!/bin/bash
# odd_answers.t - answers that were paid for and say it in odd ways are taken: halves of characters,
# apart or in two events of a stream, calls in the form before tool_calls; and what tries that came
# to nothing have cost is counted wherever somebody adds up.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >plain.lua <<'EOF'
return require("ck.flow").agent { name = "one", prompt = "Answer." }
EOF
cat >counts.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer.",
  tools = { count = flow.command { argv = { "./count" }, class = "idempotent" } } }
EOF
printf '#!/bin/sh\necho x >>counted\necho "\\"seven\\""\n' >count
chmod +x count

# model FILE STREAM RETRIES
model() {
  cat >"$1" <<EOF
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m", key = "main",
    retries = $3, stream = $2, max_tokens = 100, price = { input = 3, output = 15 } } } }
EOF
}
usage='"usage":{"prompt_tokens":100,"completion_tokens":10}'
# whole MESSAGE: an answer of the server.
whole() { echo "{\"body\":{\"choices\":[{\"finish_reason\":\"stop\",\"message\":$1}],$usage}}"; }
# delta TEXT: an event of a stream, as it stands in a script.
delta() {
  printf '%s' 'data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"'"$1"'\"}}]}\n\n'
}
# answers SESSION: the text that its run ended with, in code points behind ASCII.
answers() {
  json "$out" 'my $r = $d->{result}; my $t = ref $r ? $r->{text} // $r->{content} : $r;
    join "", map { my $o = ord; $o < 128 ? chr $o : sprintf "<%x>", $o } split //, $t'
}

# ---- halves of characters ----

serve half <<<"{\"broken\":true,\"body\":\"{\\\"choices\\\":[{\\\"finish_reason\\\":\\\"stop\\\",\
\\\"message\\\":{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"a\\\\ud83d b\\\"}}],\
${usage//\"/\\\"}}\"}"
model half.lua false 0
run --json run plain.lua --profile ./half.lua --session half --input '"?"'
is "an answer with half a character is taken" "$code $(requests half)" "0 1"
is "with U+FFFD in its place" "$(answers)" "a<fffd> b"

ended='data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n'
ended+="data: {\\\"choices\\\":[],${usage//\"/\\\"}}\n\ndata: [DONE]\n\n"
serve halves <<<"{\"type\":\"text/event-stream\",\"body\":\"$(delta 'a\\ud83d')$(
  delta '\\ude00 b')$ended\"}"
model halves.lua true 0
run --json run plain.lua --profile ./halves.lua --session halves --input '"?"'
is "one with the halves in two events of its stream, too" "$code $(requests halves)" "0 1"
is "as one character" "$(answers)" "a<1f600> b"

# ---- the form before tool_calls ----

serve old <<EOF
$(whole '{"role":"assistant","content":null,"function_call":{"name":"count","arguments":"{}"}}')
$(whole '{"role":"assistant","content":"Seven."}')
EOF
model old.lua false 0
run --json run counts.lua --profile ./old.lua --session old --input '"?"'
is "a call in the form before tool_calls is one" "$code $(grep -c x counted) $(answers)" \
  "0 1 Seven."

# ---- tries that came to nothing ----

serve tries <<EOF
{"body":{$usage}}
$(whole '{"role":"assistant","content":"Yes."}')
EOF
model tries.lua false 2
run --json run plain.lua --profile ./tries.lua --session tries --input '"?"'
is "a try without an answer is followed by another one" "$code $(requests tries)" "0 2"
"$CKRUN" sessions export tries --format openai >tries.chat
is "and an export as a conversation tells what both have cost" \
  "$(json "$(cat tries.chat)" 'micros($d->{cost_usd}) . " $d->{usage}{prompt_tokens}"')" "900 200"
serve none <<<"{\"body\":{$usage},\"times\":0}"
model none.lua false 2
run --json run plain.lua --profile ./none.lua --session none --input '"?"'
is "a run counts each try" "$(json "$out" '$d->{model_calls}')" "$(requests none)"
is "as its session does" \
  "$(json "$("$CKRUN" --json sessions show none)" '$d->{totals}{model_calls}')" "$(requests none)"

# ---- refusals ----

serve refused <<<"$(whole '{"role":"assistant","content":null,"refusal":"Not that."}')"
model refused.lua false 0
run run plain.lua --profile ./refused.lua --session refused --input '"?"'
"$CKRUN" sessions export refused --format openai >refused.chat
is "the words of a refusal are a member of their message in an export, and not its text" \
  "$(json "$(cat refused.chat)" 'my $m = $d->{messages}[-1]; ($m->{content} // "none")
    . " $m->{refusal}"')" "none Not that."
finish
