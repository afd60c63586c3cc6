#!/bin/bash
# resume_guards.t - the shipped rules for a resume: same_model, max_age, approve_over; each by its
# edges, and in a session.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >guards_test.lua <<'END2'
local test = require "ck.test"
local HOUR = 3600000
local function use(agent, was, now) return { agent = agent, name = "m", was = was, now = now } end
-- says(policy, options, session): "refuse" or "ask" and the text; nil.
local function says(name, options, session)
  local rules, refusal, question = test.policy(name, options).resume(session)
  if refusal then return "refuse: " .. refusal end
  test.equal(rules, {})
  return question and "ask: " .. question
end
local function rested(ms, options)
  return says("max_age", options, { updated = 0, now = ms })
end

return {
  test_model = function()
    local session = { models = { use("ann", "a", "a"), use("bob", "b", "c"), use(nil, "d", "e"),
      use("new", nil, "f") } }
    test.equal(says("same_model", {}, session),
      "refuse: agent bob had the model b and would have c; and 1 more")
    test.equal(says("same_model", { agents = { "ann", "new" } }, session), nil)
    test.equal(says("same_model", { agents = { "bob" }, ask = true }, session),
      "ask: agent bob had the model b and would have c. Go on?")
    test.equal(says("same_model", {}, { models = { use(nil, "d", nil) } }),
      "refuse: agent without a name had the model d and would have none: "
      .. "the profile has no model 'm'")
    test.equal(says("same_model", {}, {}), nil)
  end,
  test_age = function()
    test.equal(rested(24 * HOUR), nil)
    test.equal(rested(24 * HOUR + 1), "refuse: it has rested for 24 h, more than 24 h")
    test.equal(rested(2 * HOUR, { hours = 1.5, ask = true }),
      "ask: It has rested for more than 1.5 h. Go on?")
    test.equal(rested(0), nil)
  end,
  test_money = function()
    test.equal(says("approve_over", {}, { cost_usd = 3 }), nil)
    test.equal(says("approve_over", {}, { cost_usd = 3.2 }),
      "ask: The session has spent $3.20, more than $3.00. Go on?")
    test.equal(says("approve_over", { usd = 0.5 }, { cost_usd = 0.75 }),
      "ask: The session has spent $0.75, more than $0.50. Go on?")
  end,
}
END2
exits 0 "each by its edges" policy test guards_test.lua
is "all of them" "$(grep -c '^ok' <<<"$out")" 3
for name in same_model max_age approve_over; do
  exits 0 "$name is well" policy check $name
  is "$name: no problem is found" "$(grep problem <<<"$out")" ""
done

# ---- a guard with an empty list guards nothing ----
echo 'return { name = "e", policies = { "every_boundary", { "same_model", agents = {} } } }' \
  >empty.lua
exits 1 "same_model for no agent" profile check ./empty.lua
has "it is told" "$err" "option 'agents': empty, any model may change"

# ---- in a session that has spent $4 ----
cat >flow.lua <<'END2'
local flow = require "ck.flow"
return flow.graph { start = "find", nodes = {
  find = flow.agent { name = "ann", prompt = "Find." },
  stop = flow.lua(function(ctx) ctx.pause("look") end) },
  edges = { find = "stop", stop = flow.done } }
END2
printf '%s\n' '{"cassette":1}' '{"scope":"main.ann","kind":"model","cost_micros":4000000,'\
'"message":{"role":"assistant","content":"found"}}' >answers.jsonl
# profile FILE MODEL: with the three.
profile() {
  echo "return { name = \"p\", extends = \"graph\", policies = { \"every_boundary\", \"same_model\",
    \"max_age\", \"approve_over\" },
    models = { default = { api = \"openai\", model = \"$2\" } } }" \
    >"$1"
}
profile one.lua m-1
profile two.lua m-2
exits 8 "a session" run flow.lua --profile ./one.lua --cassette answers.jsonl --session s
exits 5 "with another model" resume s --profile ./two.lua
has "it is refused" "$err" "agent ann had the model m-1 and would have m-2"
updated=$(json "$("$CKRUN" --json sessions show s)" '$d->{updated}')
until [[ $(date -u +%FT%T.%3NZ) > $updated ]]; do :; done
for i in 1 2; do
  exits 5 "after its rest, try $i" resume s --option max_age.hours=0
  has "it is refused, try $i" "$err" "h, more than 0 h"
done
exits 8 "above its price" resume s
has "a person is asked" "$err" "The session has spent \$4.00, more than \$3.00. Go on?"
exits 0 "allowed" answer s allow
exits 0 "it goes on" --json resume s
is "to its end" "$(json "$out" '$d->{status}')" completed
finish
