#!/bin/bash
# options.t - a policy says what its options may be; what is none of it is told with option, value,
# what is allowed and the nearest word, by profile check, by a run, and of the policy's own text.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
echo 'local flow = require "ck.flow" return flow.lua(function() return 1 end)' >flow.lua

# refused POLICY TEXT: a profile with such an entry.
n=0
refused() {
  local name=p$((++n))
  echo "return { name = \"$name\", extends = \"default\", policies = { $1 } }" >"$name.lua"
  exits 1 "profile check: $1" profile check "./$name.lua"
  has "tells" "$out$err" "$2"
  exits 2 "a run: $1" run flow.lua --profile "./$name.lua"
  has "tells it, too" "$err" "$2"
}
taken() {
  local name=p$((++n))
  echo "return { name = \"$name\", extends = \"default\", policies = { $1 } }" >"$name.lua"
  exits 0 "profile check: $1" profile check "./$name.lua"
}

# ---- shipped policies ----
rules='"continue", "reset" or "refuse" is expected'
classes='"pure", "idempotent", "reconcilable" or "once" is expected'
verdicts='"drop", "mask" or "env:*" is expected'
refused '{ "redact_keys", keys = { card = "msak" } }' \
  "redact_keys.lua: option 'keys', 'card': $verdicts, not \"msak\" (did you mean 'mask'?)"
refused '{ "redact_keys", keys = { card = 1 } }' "option 'keys', 'card': $verdicts, not 1"
refused '{ "redact_keys", keys = { ["memory.card"] = "mask" } }' \
  "redact_keys.lua: option 'keys': 'memory.card' is written without 'memory.': 'card'"
refused '{ "redact_keys", keys = { ["outputs.card"] = "mask" } }' "without 'outputs.': 'card'"
refused '{ "resume_limits", time = "rest" }' \
  "resume_limits.lua: option 'time': $rules, not \"rest\" (did you mean 'reset'?)"
refused '{ "resume_limits", model_calls = "" }' "option 'model_calls': $rules, not \"\""
refused '{ "every_n", n = -3 }' "every_n.lua: option 'n': a number from 1 is expected, not -3"
refused '{ "every_n", n = 0 }' "every_n.lua: option 'n': a number from 1 is expected, not 0"
refused '{ "every_boundary", every_n_iterations = -1 }' "'every_n_iterations': a number from 0 is"
refused '{ "keep_recent", count = -1 }' "keep_recent.lua: option 'count': a number from 0 is"
refused '{ "keep_clean", recent = -1 }' "keep_clean.lua: option 'recent': a number from 0 is"
refused '{ "keep_budget", bytes = -0.5 }' "option 'bytes': a number from 0 is expected, not -0.5"
refused '{ "keep_tiers", all_s = -1 }' "keep_tiers.lua: option 'all_s': a number from 0 is expected"
refused '{ "smart", usd = -1 }' "smart.lua: option 'usd': a number from 0 is expected, not -1"
refused '{ "smart", classes = { "onec" } }' \
  "option 'classes', element 1: $classes, not \"onec\" (did you mean 'once'?)"
refused '{ "before_effect", classes = { "once", "x" } }' "'classes', element 2: $classes, not \"x\""
refused '{ "approve", classes = { "twice" } }' "'classes', element 1: $classes, not \"twice\""
refused '{ "approve_over", usd = -1 }' "option 'usd': a number from 0 is expected, not -1"
refused '{ "max_age", hours = -24 }' "option 'hours': a number from 0 is expected, not -24"
refused '{ "expected_loss", work_usd_per_hour = 0 }' \
  "option 'work_usd_per_hour': a number from 1e-06 is expected, not 0"
taken '{ "redact_keys", keys = { card = "mask", who = "env:WHO", ["a.b"] = "drop" } }'
taken '{ "resume_limits", time = "continue", budget = "refuse", rounds = "reset" }'
taken '{ "every_n", n = 1 }, { "keep_recent", count = 0 }, { "smart", classes = {} }'

# ---- one's own ----
own() { echo "local policy = { name = \"own\", version = 1, $1 } ${2:-} return policy" >own.lua; }
own 'options = { mode = "fast", n = 5 }, allowed = { mode = { "fast", "slow" }, n = { 1, 10 } }'
exits 0 "a policy that says what it allows" policy check ./own.lua
refused '{ "./own.lua", mode = "slwo" }' \
  "own.lua: option 'mode': \"fast\" or \"slow\" is expected, not \"slwo\" (did you mean 'slow'?)"
refused '{ "./own.lua", n = 11 }' "own.lua: option 'n': a number from 1 to 10 is expected, not 11"
taken '{ "./own.lua", n = 10, mode = "slow" }'
own 'options = { from = 7, to = 19 }' 'function policy.check(opt)
  if opt.from > opt.to then return "from: " .. opt.from .. " is behind to: " .. opt.to end end'
exits 0 "one that looks itself" policy check ./own.lua
refused '{ "./own.lua", from = 20 }' "own.lua: from: 20 is behind to: 19"
taken '{ "./own.lua", from = 19 }'

# wrong POLICY [LUA] TEXT: the policy's own text is at fault.
wrong() {
  own "$1" "$2"
  exits 1 "policy check: $1 $2" policy check ./own.lua
  has "tells" "$out$err" "$3"
}
wrong 'options = { n = 0 }, allowed = { n = { 1 } }' '' \
  "option 'n': a number from 1 is expected, not 0"
wrong 'options = { n = 0 }, allowed = { m = { 1 } }' '' "allowed: there is no option 'm'"
wrong 'allowed = 7' '' 'allowed: what options may be by their names is expected'
wrong 'options = { n = 0 }, allowed = { n = {} }' '' \
  "allowed: 'n': a list of words, or { least } or { least, most } is expected"
wrong 'options = { n = 0 }, allowed = { n = { 1, 2, 3 } }' '' "allowed: 'n': a list of words"
wrong 'options = { n = 0 }, allowed = { n = 7 }' '' "allowed: 'n': a list of words"
wrong 'check = 7' '' 'check: a function is expected, not a number'
wrong '' 'function policy.check() return 7 end' 'check: a text that says what is wrong, or nil'
wrong '' 'function policy.check() while true do end end' 'the budget of 1000000 instructions'
finish
