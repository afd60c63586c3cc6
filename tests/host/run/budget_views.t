#!/bin/bash
# budget_views.t - the limit that policies are told is the one in force: the profile's, or what
# --limit of the start or of a resume has made of it; a simulation decides by the same.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'EOF2'
local flow = require "ck.flow"
local function stop(why) return flow.lua(function(ctx) ctx.pause(why) end) end
return flow.graph { start = "find", nodes = {
  find = flow.agent { name = "ann", prompt = "Find." }, stop = stop "read it",
  tell = flow.exec { argv = { "true" } }, halt = stop "look" },
  edges = { find = "stop", stop = "tell", tell = "halt", halt = flow.done } }
EOF2
{ echo '{"cassette":1}'; printf '{"scope":"main.ann","kind":"model","cost_micros":500000,%s}\n' \
  '"message":{"role":"assistant","content":"done"}'; } >answers.jsonl
# Says what it sees at the end of each node, and of each program.
cat >seen.lua <<'EOF2'
local function budget(of)
  return ("%g of %s, %s left%s"):format(of.spent, of.limit or "-", of.left or "-",
    of.approaching and ", near" or "")
end
return { name = "seen", version = 1,
  checkpoint = function(at) return at.kind == "node_complete" and budget(at.budget) or nil end,
  permit = function(_, at) print("PERMIT " .. budget(at.budget)) end }
EOF2
# profile NAME CONSTRAINTS
profile() {
  echo "return { name = \"$1\", extends = \"graph\", policies = { \"./seen.lua\" },
    constraints = { $2 } }" >"$1.lua"
}
# told SESSION: what it said at boundaries, in all runs.
told() {
  "$CKRUN" --json sessions log "$1" --kind boundary | perl -MJSON::PP -ne '
    for (@{JSON::PP->new->decode($_)->{body}{reasons} || []}) {
      push @all, $_->{reason} if $_->{policy} eq "seen" && $_->{reason} }
    END { print join "; ", @all }'
}
asked() { sed -n 's/^.*PERMIT //p' <<<"$err" | tail -1; }

profile two "budget_usd = 2"
profile free "tool_calls = 9"
exits 8 "a session" run flow.lua --profile ./two.lua --cassette answers.jsonl --session s \
  --limit budget_usd=4
is "with another limit than its profile's: permit is told that" "$(asked)" "0 of 4.0, 4.0 left"
is "and so is checkpoint" "$(told s)" "0.5 of 4.0, 3.5 left"
exits 8 "resumed without one" resume s
is "it still holds" "$(told s)" \
  "0.5 of 4.0, 3.5 left; 0.5 of 4.0, 3.5 left; 0.5 of 4.0, 3.5 left"
is "for permit, too" "$(asked)" "0.5 of 4.0, 3.5 left"
exits 0 "a simulation of the same profile" --json policy simulate --profile ./two.lua s
is "decides as it was" "$(json "$out" \
  '"$d->{profiles}[0]{as_recorded} of $d->{profiles}[0]{boundaries}"')" \
  "$("$CKRUN" --json sessions log s --kind boundary | grep -c '') of $(
    "$CKRUN" --json sessions log s --kind boundary | grep -c '')"

exits 8 "one whose limit is lowered" run flow.lua --profile ./two.lua --cassette answers.jsonl \
  --session low
exits 8 "at its resume" resume low --limit budget_usd=0.6
is "knows it from then on" "$(told low)" \
  "0.5 of 2.0, 1.5 left; 0.5 of 0.6, 0.1 left, near; 0.5 of 0.6, 0.1 left, near"
exits 8 "one without a limit" run flow.lua --profile ./free.lua --cassette answers.jsonl \
  --session free
exits 8 "gets one" resume free --limit budget_usd=1
is "and knows it" "$(told free)" "0.5 of -, - left; 0.5 of 1.0, 0.5 left; 0.5 of 1.0, 0.5 left"

# A profile that is compared has its own limit, but where a person has set one.
cat >five.lua <<'EOF2'
return { name = "five", version = 1, checkpoint = function(at)
  return at.budget.limit == 5 and "of five" or nil
end }
EOF2
echo 'return { name = "other", policies = { "./five.lua" }, constraints = { budget_usd = 5 } }' \
  >other.lua
# decided SESSION: what that profile says at each end of a node.
decided() {
  "$CKRUN" policy simulate "$1" --profile ./other.lua --list 2>/dev/null |
    awk -F'\t' '$3 == "node_complete" { printf "%s%s", sep, $6; sep = "; " }'
}
is "another profile's limit does not lift what a person has set" "$(decided s)" "no; no; no"
is "but stands in the place of the profile's" "$(decided low)" "yes (five: of five); no; no"

# ---- what a call may cost ----

cat >cost.lua <<'EOF2'
return { name = "cost", version = 1, permit = function(effect)
  return ck.deny("seen: " .. tostring(effect.reserve_usd ~= nil))
end }
EOF2
cat >costs.lua <<'EOF2'
return { name = "costs", extends = "default", policies = { "./cost.lua" }, models = {
  unpriced = { api = "openai", model = "mine", base_url = "http://127.0.0.1:9" },
  endless = { api = "openai", model = "mine", base_url = "http://127.0.0.1:9",
    price = { input = 1, output = 1 } },
  stated = { api = "openai", model = "mine", base_url = "http://127.0.0.1:9",
    price = { input = 1, output = 1 }, max_tokens = 10 },
  longest = { api = "openai", model = "mine", base_url = "http://127.0.0.1:9",
    price = { input = 1, output = 1 }, output_max = 10 } } }
EOF2
# most MODEL KNOWN: whether permit knows what a call of it may cost.
most() {
  echo "return require 'ck.flow'.agent { name = 'a', model = '$1', prompt = 'P.', input = 'I.' }" \
    >one.lua
  exits 1 "$1: denied" run one.lua --profile ./costs.lua
  has "$1: the most that its call may cost is known: $2" "$err" "denied by policy cost: seen: $2"
}
most unpriced false
most endless false
most stated true
most longest true
finish
