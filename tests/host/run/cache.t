#!/bin/bash
# cache.t - sessions whose model is asked to keep what its requests have in common: where the marks
# are, what that costs, and that a budget counts with it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE MORE
profile() {
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" }, $2,
  models = { default = { api = "anthropic", base_url = "$(base_url anthropic)", model = "m",
    key = "main", retries = 0, max_tokens = 1000, cache = ${3:-false},
    price = { input = 3, output = 15, cache_read = 0.3, cache_write = 30 } } } }
END
}

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "counter", prompt = "Count.",
  tools = { count = flow.command { argv = { "/bin/echo", '{"counted":true}' }, class = "pure" } } }
END
turns='{"turn":0,"answer":{"calls":[{"name":"count","arguments":{"to":1}}],
"usage":{"input":1,"output":10,"written":2000}}}
{"turn":1,"answer":{"text":"Counted.","usage":{"input":2,"output":10,"cached":2000,"written":100}}}'
turns=${turns//,$'\n'/,}

serve kept <<<"$turns"
profile kept.lua 'constraints = {}' '"1h"'
exits 0 "a session" run flow.lua --profile ./kept.lua --session kept --input '"Count."'
is "asks twice" "$(requests kept)" 2
is "as the provider takes it" "$(grep -c '"problem":"' kept.log)" 0
is "with three marks each" "$(grep -o '"cache_control":{"type":"ephemeral","ttl":"1h"}' kept.log |
  grep -c '')" 6
is "the last of them behind the tool's result" \
  "$(tail -n 1 kept.log | grep -c '"tool_result".*"cache_control".*\]}\],"tools"')" 1
"$CKRUN" --json sessions log kept --all >log
is "the transcript has none" "$(grep -c cache_control log)" 0
is "read and written tokens cost what they cost" "$(json "$("$CKRUN" --json sessions show kept)" \
  'micros($d->{totals}{cost_usd})')" $((3 * 3 + 20 * 15 + 600 + 2100 * 30))

# So much money pays for the input as input, but not as what is written to a cache.
serve dear <<<"$turns"
profile dear.lua 'constraints = { budget_usd = 0.09 }'
exits 0 "a budget that pays for input" run flow.lua --profile ./dear.lua --session plain \
  --input '"Count."'
before=$(requests dear)
profile dear.lua 'constraints = { budget_usd = 0.09 }' '"5m"'
exits 8 "does not pay for a cache" run flow.lua --profile ./dear.lua --session dear \
  --input '"Count."'
is "and nothing is asked" "$(requests dear)" "$before"
finish
