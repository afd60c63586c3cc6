#!/bin/bash
# schema.t - an agent with a schema: each API is asked for it in its own way, an answer that does
# not satisfy it is told so and asked for again, and a model that never does ends the session.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

flow() { # TOOLS
  cat >flow.lua <<END
local flow = require "ck.flow"
return flow.agent { name = "finder", prompt = "Find a town.", max_bad_calls = 3, $1
  schema = { type = "object", required = { "town", "size" }, additionalProperties = false,
    properties = { town = { type = "string" }, size = { type = "integer", minimum = 1 },
      kind = { enum = { "port", "spa" } }, baths = { minItems = 1 } } } }
END
}
profile() { # API
  cat >profile.lua <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$1", base_url = "$(base_url "$1")", model = "test-model",
    key = "main", retries = 0, price = { input = 3, output = 15 } } } }
END
}
# answer API JSON: what a model of that API says, or calls.
answer() {
  if [ "$1" = anthropic ] || [ "$1" = called ]; then
    echo "{\"calls\":[{\"name\":\"final_answer\",\"arguments\":$2}]}"
  else
    perl -MJSON::PP -e 'print encode_json({ text => $ARGV[0] })' "$2"
  fi
}
good='{"town":"Bath","size":2,"kind":"spa"}'
asked() {
  case $1 in
    openai) echo '"response_format":{"type":"json_schema","json_schema":{"name":"answer",' ;;
    responses) echo '"text":{"format":{"type":"json_schema","name":"answer","schema":{' ;;
    anthropic) echo '"tool_choice":{"type":"tool","name":"final_answer"}' ;;
    gemini) echo '"responseMimeType":"application/json","responseJsonSchema":{' ;;
  esac
}
for api in openai responses anthropic gemini; do
  flow ''
  serve "$api" <<END
{"turn":0,"answer":$(answer $api '{"town":"Bath"}')}
{"turn":1,"answer":$(answer $api '{"town":"Bath","size":2,"kind":"hill"}')}
{"turn":2,"answer":$(answer $api "$good")}
END
  profile $api
  run --json run flow.lua --profile ./profile.lua --session "$api" --input '"Go."'
  is "$api: the session ends well" "$code" 0
  is "$api: with the value" \
    "$(json "$out" 'join " ", @{$d->{result}{value}}{qw(town size kind)}')" 'Bath 2 spa'
  is "$api: and its text" "$(json "$out" '$d->{result}{text}')" "$good"
  has "$api: it is asked for in the API's way" "$(head -n 1 "$api.log")" "$(asked $api)"
  has "$api: what lacks is told" "$(sed -n 2p "$api.log")" "the answer lacks 'size'"
  has "$api: what is wrong is told" "$(sed -n 3p "$api.log")" \
    'the answer.kind is none of its enum: \"port\", \"spa\"'
  ok "$api: all was valid on the wire" test -z "$(grep '"problem":"' "$api.log")"
done

# An empty list where no type is named.
flow ''
serve empty <<END
{"turn":0,"answer":$(answer openai '{"town":"Bath","size":2,"baths":[]}')}
{"turn":1,"answer":$(answer openai "$good")}
END
profile openai
exits 0 "an agent whose first answer has an empty list" run flow.lua --profile ./profile.lua \
  --session empty --input '"Go."'
has "it is told how many elements it needs" "$(sed -n 2p empty.log)" \
  'the answer.baths needs 1 elements at least'

# Beside tools.
count='tools = { count = flow.command { argv = { "./count" }, class = "once" } },'
printf '#!/bin/sh\nread -r line\necho 3\n' >count
chmod +x count
for api in openai responses anthropic gemini; do
  flow "$count"
  how=$api
  [ $api = gemini ] && how=called # older models of Gemini take no schema beside functions
  serve "$api-tools" <<END
{"turn":0,"answer":{"calls":[{"name":"count","arguments":{}}]}}
{"turn":1,"answer":$(answer $how "$good")}
END
  profile $api
  run --json run flow.lua --profile ./profile.lua --session "$api-tools" --input '"Go."'
  is "$api: beside tools" "$code $(json "$out" '$d->{result}{value}{town}')" '0 Bath'
  ok "$api: valid on the wire" test -z "$(grep '"problem":"' "$api-tools.log")"
done

flow ''
serve never <<'END'
{"answer":{"text":"```json\n{\"town\":\"Bath\",\"size\":0}\n```"},"times":0}
END
profile openai
run run flow.lua --profile ./profile.lua --session never --input '"Go."'
is "a model that never satisfies it: exit 1" "$code" 1
has "the last problem is named" "$err" \
  'the model gave 3 answers in a row that do not satisfy the schema'
has "with what is wrong" "$err" 'the answer.size is 0, out of its range: it must be '
is "it was asked as often" "$(requests never)" 3
sed -i 's/town = { type = "string" }/town = { type = "string", pattern = "^[A-Z]" }/' flow.lua
serve words <<'END'
{"turn":0,"answer":{"text":"{\"town\":\"bath\",\"size\":2}"}}
{"turn":1,"answer":{"text":"{\"town\":\"Bath\",\"size\":2}"},"times":0}
END
profile openai
run --json run flow.lua --profile ./profile.lua --session words --input '"Go."'
is "a pattern is checked" "$code $(json "$out" '$d->{result}{value}{town}')" "0 Bath"
has "and told" "$(sed -n 2p words.log)" 'the answer.town does not match the pattern ^[A-Z]'
refused='{"choices":[{"finish_reason":"stop","message":{"role":"assistant","refusal":"No."}}]}'
serve refused <<<"{\"body\":$refused,\"times\":0}"
profile openai
run run flow.lua --profile ./profile.lua --session refused --input '"Go."'
is "one that refuses to is asked once" "$code $(requests refused)" "1 1"

for bad in '5' '{ type = "array" }' '{ type = "object", items = { ["$ref"] = "x" } }'; do
  echo "return require 'ck.flow'.agent { prompt = 'x', schema = $bad }" >bad.lua
  run run bad.lua --input '"Go."'
  is "schema = $bad: refused" "$code" 2
  has "and named" "$err" "'schema'"
done
finish
