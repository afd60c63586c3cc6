#!/bin/bash
# log_blocks.t - messages of content blocks, as Anthropic's API has them, are shown as those of
# OpenAI's: text as text, a call by its name and arguments, a result as one.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
cat >scout.lua <<'FLOW'
local flow = require "ck.flow"
return flow.agent { name = "scout", prompt = "You look.", input = "Where?", tools = {
  look = flow.tool(function(_, given) return { seen = given.at } end) } }
FLOW
script='{"answer":{"text":"I look.","calls":[{"name":"look","arguments":{"at":"wall"}},
{"name":"look","arguments":{"at":"door"}}]}}
{"answer":{"text":"A door."}}'
for api in openai anthropic; do
  serve $api <<<"${script//,$'\n'/,}"
  cat >$api.lua <<PROFILE
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$api", base_url = "$(base_url $api)", model = "m",
    key = "main", retries = 0, max_tokens = 99, price = { input = 3, output = 15 } } } }
PROFILE
  exits 0 "$api: a session" run scout.lua --profile ./$api.lua --session $api
  ok "$api: was asked as such" grep -q "$([ $api = openai ] && echo completions || echo messages)" \
    $api.log
done
# said COMMAND: what was said, without times, seqs and ids.
said() {
  grep -oE '(assistant|tool|user): .*' <<<"$1" | sed -E 's/(call|toolu)_[a-z0-9_]+//g'
}
run sessions log anthropic
has "the answer is text, and calls with names and arguments" "$out" \
  'assistant: I look. [calls look {"at":"wall"}] [calls look {"at":"door"}]'
has "the last one is text" "$out" 'assistant: A door.'
is "nothing is a raw block" "$(grep -cE 'tool_use|tool_result|"type"' <<<"$out")" 0
blocks=$(said "$out")
run sessions log openai
is "the log of both is the same" "$blocks" "$(said "$out")"
run sessions tail anthropic scout
is "nor is one in a tail" "$(grep -cE 'tool_use|tool_result|"type"' <<<"$out")" 0
blocks=$(said "$out")
run sessions tail openai scout
is "the tail of both is the same" "$blocks" "$(said "$out")"

# As other programs have written them.
cat >told.lua <<'FLOW'
return require("ck.flow").custom { name = "told", run = function(ctx)
  if ctx.position then return end
  ctx.message("assistant", ck.array { { type = "text", text = "So:" },
    { type = "tool_use", id = "t1", name = "dig", input = { deep = 3 } } })
  ctx.message("user", ck.array {
    { type = "tool_result", tool_use_id = "t1", content = "rock" },
    { type = "tool_result", tool_use_id = "t2", is_error = true,
      content = ck.array { { type = "text", text = "no" } } },
    { type = "image", source = "x" }, { type = "text", text = "Well?" } })
  ctx.message("user", ck.array { 1, 2 })
end }
FLOW
exits 0 "a flow that says such things" run told.lua --session told
run sessions log told
has "a call" "$out" 'assistant: So: [calls dig {"deep":3}]'
has "results, one an error, a picture, a text" "$out" \
  'user: [result rock] [error no] {"source":"x","type":"image"} Well?'
has "a list that is none of blocks" "$out" 'user: [1,2]'
finish
