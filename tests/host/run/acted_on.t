#!/bin/bash
# acted_on.t - a session that fails behind a model's answer whose tool calls were made goes on with
# that answer: the model is not asked for another one, whose calls would stand beside those made.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
cd "$dir" || exit 1

calls='{"answer":{"calls":[{"name":"act","arguments":{}},{"name":"act","arguments":{}}]}}'
says='{"answer":{"text":"It is done."}}'

# lives CLASS ANSWER…: a session whose tool is of that class fails between the two calls of an
# answer, and goes on with a limit that has room for both.
lives() {
  rm -f done
  serve "$1" < <(printf '%s\n' "${@:2}")
  cat >"$1.lua" <<END
return { name = "$1", policies = {}, constraints = { tool_calls = 1, on_limit = "fail" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    retries = 0, stream = false, max_tokens = 100 } } }
END
  cat >flow.lua <<END
local flow = require "ck.flow"
return flow.custom { name = "acts", tools = { act = flow.command {
  argv = { "sh", "-c", "echo done >>$dir/done" }, class = "$1" } }, run = function(ctx)
  ctx.message("user", "?")
  local answer = ctx.effect { kind = "model", class = "pure",
    request = { model = "default", tools = { "act" } } }.result
  for n, call in ipairs(answer.tool_calls or {}) do
    ctx.effect { kind = "tool", class = "$1", request = { name = "act", call_id = call.id,
      index = n - 1, arguments = {} } }
    ctx.message { role = "tool", call_id = call.id, name = "act", content = "done" }
  end
  return ctx.effect { kind = "model", class = "pure",
    request = { model = "default", tools = { "act" } } }.result.content
end }
END
  exits 1 "$1: there is a limit in the way of the second call" run flow.lua \
    --profile "./$1.lua" --session "$1"
  is "$1: the first was made" "$(wc -l <done)" 1
  exits 0 "$1: the session goes on" resume "$1" --limit tool_calls=9
}
# asked NAME: how often the model was asked for the first answer, and for what follows.
asked() { echo "$(grep -vc '"role":"tool"' "$1.log") $(grep -c '"role":"tool"' "$1.log")"; }

lives once "$calls" "$says"
is "once: the answer whose call was made is not asked for again" "$(asked once)" "1 1"
is "once: each call was made once" "$(wc -l <done)" 2

lives pure "$calls" "$calls" "$says"
is "pure: the model is asked anew" "$(asked pure)" "2 1"
is "pure: and its new answer is acted on" "$(wc -l <done)" 3
finish
