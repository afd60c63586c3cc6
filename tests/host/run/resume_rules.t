#!/bin/bash
# resume_rules.t - what a resume does to each limit: a profile's rule "reset" lets a session, and an
# agent with limits of its own, begin anew; "continue" leaves it where it stopped.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

cat >solo.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look.", tools = {
  look = flow.tool(function() return "a wall" end, { description = "Looks." }) } }
END

# rules NAME CONSTRAINTS RULES: the fields of a profile with a model whose answers take 9,000
# tokens, $0.90.
rules() {
  cat >"$1.lua" <<END
return { name = "rules", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "http://127.0.0.1:$port/v1",
    model = "test-model", key = "main", retries = 0, stream = false, max_tokens = 9000,
    price = { input = 0, output = 100 } } },
  $2, resume = { $3 } }
END
}

# Each limit ends the session behind so many requests; set back, it takes so many more.
while IFS='|' read -r name dimension limit first more; do
  for whose in session agent; do
    [ "$dimension $whose" = "rounds session" ] && continue # those of flow.rounds: see limits.t
    constraints="constraints = { $dimension = $limit }"
    [ $whose = agent ] && constraints="agents = { solo = { $constraints } }"
    for rule in continue reset; do
      id=$name-$whose-$rule
      serve "$id" <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":0,"output":9000}},"times":0}
END
      rules "$id" "$constraints" "$name = \"$rule\""
      exits 8 "$id: it stops at its limit" run solo.lua --profile "./$id.lua" --session "$id" \
        --input '"Where?"'
      is "$id: behind so many requests" "$(requests "$id")" "$first"
      exits 8 "$id: resumed it stops at it again" resume "$id"
      is "$id: behind those that the rule allows" "$(requests "$id")" \
        $((first + (${#rule} == 5 ? more : 0)))
      has "$id: the limit is named" "$err" "$dimension"
    done
  done
done <<'END'
tool_calls|tool_calls|1|2|1
model_calls|model_calls|2|2|2
tokens|tokens|11000|1|1
budget|budget_usd|0.91|1|1
rounds|rounds|1|1|1
END

# "refuse" refuses, and the dry run names the rule.
serve refused <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":0,"output":9000}},"times":0}
END
rules refused "constraints = { model_calls = 1 }" 'model_calls = "refuse"'
exits 8 "a session stops at its calls of models" run solo.lua --profile ./refused.lua \
  --session refused --input '"Where?"'
refused 5 "its resume" "session refused is not resumed: the rule for its model_calls is to refuse" \
  resume refused
exits 0 "a dry run of one that is reset" --json resume model_calls-session-reset --dry-run
is "says the rule, and what is left" "$(json "$out" \
  'join " ", @{$d->{constraints}{model_calls}}{qw(rule used left)}')" "reset 0 2"
exits 0 "a dry run of one that goes on" --json resume model_calls-session-continue --dry-run
is "says that rule" "$(json "$out" \
  'join " ", @{$d->{constraints}{model_calls}}{qw(rule used left)}')" "continue 2 0"
finish
