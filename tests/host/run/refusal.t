#!/bin/bash
# refusal.t - a model that refuses to answer, or whose answer its provider keeps back: its words are
# kept and shown, and given to the flow; with a schema it is asked once, not until it gives in; the
# chain and policies decide by the class; each answer is counted once.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

words='I will not say that.'
usage='"usage":{"prompt_tokens":200,"completion_tokens":30,"input_tokens":200,"output_tokens":30}'
paid=$((200 * 3 + 30 * 15))
# refusal API: the whole answer of one that refuses.
refusal() {
  case $1 in
    openai) echo '{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":null,
      "refusal":"'"$words"'"}}],'"$usage"'}' ;;
    responses) echo '{"object":"response","status":"completed","output":[{"type":"message",
      "role":"assistant","content":[{"type":"refusal","refusal":"'"$words"'"}]}],'"$usage"'}' ;;
    anthropic) echo '{"type":"message","role":"assistant","content":[{"type":"text","text":"Hel"}],
      "stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":
      "'"$words"'"},'"$usage"'}' ;;
    gemini) echo '{"candidates":[{"finishReason":"SAFETY","finishMessage":"'"$words"'",
      "safetyRatings":[{"blocked":true}]}],"usageMetadata":{"promptTokenCount":200,
      "candidatesTokenCount":30,"totalTokenCount":230}}' ;;
  esac | tr -d '\n'
}
# model FILE API FIELDS [TOP]
model() {
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" }, ${4:-}
  models = { default = { api = "$2", base_url = "$(base_url "$2")", model = "test-model",
    key = "main", retries = 0, stream = false, price = { input = 3, output = 15 }, $3 },
    spare = { api = "openai", base_url = "$(base_url openai)", model = "spare", key = "main",
      stream = false, price = { input = 3, output = 15 } } } }
END
}
cost() { json "$("$CKRUN" --json sessions show "$1")" 'micros($d->{totals}{cost_usd})'; }
outcomes() { "$CKRUN" --json sessions log "$1" --all --kind outcome; }
cat >plain.lua <<'END'
return require("ck.flow").agent { name = "one", prompt = "Answer." }
END
cat >schema.lua <<'END'
return require("ck.flow").agent { name = "one", prompt = "Answer.",
  schema = { type = "object", required = { "town" } } }
END
cat >custom.lua <<'END'
return require("ck.flow").custom { models = { "default" }, run = function(ctx)
  ctx.message("user", "Say it.")
  local it = ctx.effect { kind = "model", class = "pure", request = { model = "default" } }
  ctx.effect { kind = "exec", class = "pure",
    request = { argv = { "sh", "-c", "[ -e died ] || { touch died; kill -9 $PPID; }" } } }
  return { refusal = it.refusal }
end }
END

for api in openai responses anthropic gemini; do
  told=$words
  [ $api = gemini ] && told="SAFETY: $words"
  serve $api <<<"{\"body\":$(refusal $api),\"times\":0}"
  model $api.lua $api ''
  run --json run plain.lua --profile ./$api.lua --session $api --input '"?"'
  is "$api: a refusal is an answer" "$code" 0
  is "$api: the flow gets its words" "$(json "$out" '$d->{result}{refusal}')" "$told"
  is "$api: paid once" "$(cost $api) $(requests $api)" "$paid 1"
  has "$api: its message is kept" "$(outcomes $api)" "\"message\":{"
  has "$api: and the document has the words" \
    "$("$CKRUN" sessions export $api --format markdown)" "$words"
  is "$api: and what is shown" "$(json "$("$CKRUN" --json sessions show $api)" \
    '$d->{last_effects}[-1]{error}')" "$told"

  has "$api: by name" "$("$CKRUN" sessions show $api)" "refuses	main/start/model/1: $told"
  is "$api: which is said of the effect" "$(json "$("$CKRUN" --json sessions show $api)" \
    '$d->{last_effects}[-1]{refuses}')" 1
  begun=
  [ $api = anthropic ] && begun=Hel
  "$CKRUN" sessions export $api --format openai >$api.chat
  is "$api: as chat completions it is a refusal, not words" "$(json "$(cat $api.chat)" \
    'join "|", @{$d->{messages}[-1]}{qw(content refusal)}')" "$begun|$told"
  is "$api: the result has what was written, else the words" \
    "$(json "$out" '$d->{result}{text}')" "${begun:-$told}"
  has "$api: the log has both" "$("$CKRUN" sessions log $api)" "it refuses to answer: $told"

  run run schema.lua --profile ./$api.lua --session $api-schema --input '"?"'
  is "$api: with a schema it fails, asked once" "$code $(requests $api)" "1 2"
  has "$api: for that" "$err" "the model refused to answer: $told"
  is "$api: counted once" "$(cost $api-schema)" $paid
  has "$api: of its own class" "$(outcomes $api-schema)" '"cause":"CK_E_REFUSAL"'
  has "$api: and what came is kept" "$(outcomes $api-schema)" '"result":{'
done
"$CKRUN" sessions export openai-schema --format openai >failed.chat
is "what an answer that was refused cost is in the export" \
  "$(json "$(cat failed.chat)" 'micros($d->{cost_usd}) . " $d->{usage}{prompt_tokens}"')" \
  "$paid 200"
run resume openai-schema
is "a resume does not ask the same again by itself" "$code $(requests openai)" "5 2"
has "it says why" "$err" "because the model refused to answer"
run resume openai-schema --retry
is "but where somebody says so" "$code $(requests openai) $(cost openai-schema)" "1 3 $((2 * paid))"
has "the log has the words" "$("$CKRUN" sessions log openai)" "it refuses to answer: $words"

# ---- streamed ----
# streams NAME API TOLD EVENT...
streams() {
  local name=$1 api=$2 told=$3
  shift 3
  serve "$name" <<<"{\"type\":\"text/event-stream\",\"body\":\"$(
    printf 'data: %s\\n\\n' "${@//\"/\\\"}")\",\"times\":0}"
  model "$name.lua" "$api" ''
  sed -i 's/stream = false/stream = true/' "$name.lua"
  run --json run plain.lua --profile "./$name.lua" --session "$name" --input '"?"'
  is "$name, streamed: its words" "$code $(json "$out" '$d->{result}{refusal}')" "0 $told"
  is "$name, streamed: asked once" "$(requests "$name")" 1
}
counts='"usageMetadata":{"promptTokenCount":200,"totalTokenCount":200}'
details='"stop_details":{"type":"refusal","category":"cyber","explanation":null}'
said='"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]'
streams chat openai "I will not say that." \
  '{"choices":[{"index":0,"delta":{"role":"assistant","refusal":"I will "}}]}' \
  '{"choices":[{"index":0,"delta":{"refusal":"not say that."}}]}' \
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}' \
  '{"choices":[],"usage":{"prompt_tokens":200,"completion_tokens":30}}' '[DONE]'
streams filter openai "content_filter" \
  '{"choices":[{"index":0,"delta":{"role":"assistant","content":"He"}}]}' \
  '{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}' '[DONE]'
streams messages anthropic "refusal: cyber" \
  '{"type":"message_start","message":{"type":"message","role":"assistant","content":[]}}' \
  "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",$details},$usage}" \
  '{"type":"message_stop"}'
streams items responses "No." \
  '{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[]}}' \
  '{"type":"response.refusal.delta","output_index":0,"delta":"No."}' \
  "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{$said}}" \
  "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[],$usage}}"
streams prompt gemini "PROHIBITED_CONTENT: no" \
  '{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"no"},'"$counts"'}'
has "what was said of the prompt is kept" "$(outcomes prompt)" '"promptFeedback":{"blockReason":'

# ---- kept back before any model sees it ----
serve filtered <<'END'
{"status":400,"body":{"error":{"code":"content_filter","message":"It was filtered."}},"times":0}
END
model filtered.lua openai ''
run run plain.lua --profile ./filtered.lua --session filtered --input '"?"'
is "a prompt that a filter stops: asked once" "$code $(requests filtered)" "1 1"
has "of that class" "$(outcomes filtered)" '"cause":"CK_E_REFUSAL"'

# ---- the chain, and policies ----
serve chain <<END
{"body":$(refusal openai)}
{"answer":{"text":"{\"town\":\"Bath\"}","usage":{"input":200,"output":30}},"times":0}
END
model chain.lua openai 'fallback = { { model = "spare", on = { "refusal" } } },'
run --json run schema.lua --profile ./chain.lua --session chain --input '"?"'
is "the next of the chain is asked" "$code $(json "$out" '$d->{result}{value}{town}')" "0 Bath"
is "both are paid for" "$(cost chain) $(requests chain)" "$((2 * paid)) 2"
has "as the one that it is" "$(sed -n 2p chain.log)" '"model":"spare"'
ok "which hears nothing of the refusal" test -z "$(sed -n 2p chain.log | grep -F "$words")"

serve away <<<"{\"body\":$(refusal openai),\"times\":0}"
model away.lua openai 'fallback = "spare",'
run run plain.lua --profile ./away.lua --session away --input '"?"'
is "a chain for other failures is not asked" "$code $(requests away)" "0 1"

cat >judge.lua <<'END'
return { name = "judge", version = 1, on_failure = function(failure)
  if failure.status == "CK_E_REFUSAL" then return "pause" end
end }
END
serve judged <<<"{\"body\":$(refusal openai),\"times\":0}"
model judged.lua openai '' 'policies = { "./judge.lua" },'
run run plain.lua --profile ./judged.lua --session judged --input '"?"'
is "a policy may have the session pause" "$code $(requests judged)" "8 1"
has "told why" "$err" "the model refused to answer: $words"

# ---- what is counted ----
counts='"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}'
serve botched <<<"{\"body\":{\"candidates\":[{\"finishReason\":\"MALFORMED_RESPONSE\"}],\
$counts},\"times\":0}"
model botched.lua gemini 'retries = 2,'
run run plain.lua --profile ./botched.lua --session botched --input '"?"'
is "a run counts each try of a call, as the session does" "$(grep ^model_calls <<<"$out")" \
  "$("$CKRUN" sessions show botched | grep ^model_calls)"
has "which are as many as were made" "$out" "model_calls	$(requests botched)"

# ---- a kill behind it ----
serve killed <<<"{\"body\":$(refusal openai),\"times\":0}"
model killed.lua openai ''
exits 137 "a run dies behind a refusal" run custom.lua --profile ./killed.lua --session killed
run --json resume killed
is "its resume gives the flow the same" "$code $(json "$out" '$d->{result}{refusal}')" "0 $words"
is "and asks nobody again" "$(requests killed) $(cost killed)" "1 $paid"
finish
