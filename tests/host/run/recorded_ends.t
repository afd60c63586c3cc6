#!/bin/bash
# recorded_ends.t - a recording has all that the outcome of a model's call says: a run from it ends
# as the recorded one did, whatever the end of its answers was, and records itself again.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >flow.lua <<'END'
return require("ck.flow").agent { name = "one", prompt = "Answer.", tools = {} }
END
usage='"usage":{"prompt_tokens":200,"completion_tokens":30,"input_tokens":200,"output_tokens":30}'
counts='"usageMetadata":{"promptTokenCount":200,"candidatesTokenCount":30,"totalTokenCount":230}'
# model FILE API
model() {
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$2", base_url = "$(base_url "$2")", model = "m", key = "main",
    retries = 0, stream = false, max_tokens = 100, price = { input = 3, output = 15 } } } }
END
}
# said SESSION: all that its models' outcomes say, but who gave them: no model answers a recording.
said() {
  "$CKRUN" sessions log "$1" --kind outcome --json | perl -MJSON::PP -ne '
    my $b = JSON::PP->new->utf8->decode($_)->{body}; next if $b->{kind} ne "model";
    delete @$b{qw(via response_model api)}; print JSON::PP->new->canonical->utf8->encode($b), "\n"'
}
# replays NAME MEMBER: the script on stdin answers a run, whose outcomes have MEMBER; then the
# recording does.
replays() {
  serve "$1"
  model "$1.lua" "$2"
  run run flow.lua --profile "./$1.lua" --session "$1" --input '"?"' --record "$1.jsonl"
  is "$1: it completes" "$code" 0
  has "$1: its outcome has $3" "$(said "$1")" "\"$3\":"
  local live=$(grep ^result <<<"$err")
  run run flow.lua --cassette "$1.jsonl" --session "$1-again" --input '"?"' --record "$1.again"
  is "$1: its recording completes, too" "$code" 0
  is "$1: with the same result" "$(grep ^result <<<"$err")" "$live"
  is "$1: and the same outcomes" "$(said "$1-again")" "$(said "$1")"
  is "$1: which are recorded the same" "$(cat "$1.again")" "$(cat "$1.jsonl")"
}
# Lines of a script; MORE are members of the line, or of the response.
chat() { # REASON MESSAGE [MORE]
  echo "{\"body\":{\"choices\":[{\"finish_reason\":\"$1\",\"message\":\
{\"role\":\"assistant\",$2}}],$usage}${3:-}}"
}
message() { # REASON TEXT
  echo "{\"body\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\
\"text\":\"$2\"}],\"stop_reason\":\"$1\",$usage}}"
}
response() { # STATUS CONTENT [MORE]
  echo "{\"body\":{\"object\":\"response\",\"status\":\"$1\",\"output\":[{\"type\":\"message\",\
\"role\":\"assistant\",\"content\":[$2]}],${3:-}$usage}}"
}
gemini() { echo "{\"body\":{$1,$counts}}"; }

replays pause anthropic goes_on <<<"$(message pause_turn 'Looking. ' && message end_turn Bath.)"
replays chat-refusal openai refusal <<<"$(chat stop '"content":null,"refusal":"No."')"
replays refusal anthropic refusal <<<"$(message refusal 'I began ')"
replays items-refusal responses refusal <<<"$(response completed \
  '{"type":"refusal","refusal":"No."}')"
replays blocked gemini refusal <<<"$(gemini '"promptFeedback":{"blockReason":"SPII"}')"
replays chat-cut openai cut <<<"$(chat length '"content":"Once"')"
replays cut anthropic cut <<<"$(message max_tokens Once)"
replays items-cut responses cut <<<"$(response incomplete '{"type":"output_text","text":"Once"}' \
  '"incomplete_details":{"reason":"max_output_tokens"},')"
replays held-back gemini cut <<<"$(gemini \
  '"candidates":[{"finishReason":"SAFETY","content":{"parts":[{"text":"Once"}]}}]')"
replays early openai note <<<"$(chat stop '"content":"Bath."' ',"longer":5')"
usage='"object":"chat.completion"'
replays unstated openai reserved <<<"$(chat stop '"content":"Bath."')"

# ---- what is written by hand ----
line='{"scope":"main","kind":"model","message":{"role":"assistant","content":"B"}'
for wrong in '"cut":5:a string' '"refusal":{}:a string' '"goes_on":1:true or false' \
  '"note":null:a string' '"reserved_micros":"x":an integer'; do
  printf '{"cassette":1}\n%s,%s}\n' "$line" "${wrong%:*}" >wrong.jsonl
  run run flow.lua --cassette wrong.jsonl --input '"?"'
  has "${wrong%:*} is refused by name" "$err" "line 2: ${wrong%%:*} must be ${wrong##*:}"
done
finish
