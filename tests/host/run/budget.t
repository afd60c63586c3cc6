#!/bin/bash
# budget.t - under a budget nothing runs whose price nobody has said, an answer has no more tokens
# than what is left pays for, and what is not known is not shown as nothing.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE CONSTRAINTS MODEL [MORE]: MODEL is what is said of the model beside its address.
profile() {
  cat >"$1" <<EOF
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { $2 }, ${4:-}
  models = { default = { api = "$api", base_url = "$(base_url "$api")", key = "main",
    retries = 0, stream = false, $3 } } }
EOF
}
price='price = { input = 3, output = 15 }'
dollars() { perl -e 'printf "%.6f", shift() / 1e6' "$1"; }
# sent NAME: the limit of the answer in its last request.
sent() { json "$(tail -n 1 "$1.log")" '$d->{body}{max_tokens}'; }
# intent SESSION MEMBER: of its last model call.
intent() {
  json "$("$CKRUN" --json sessions log "$1" --all | grep '"kind":"intent"' | tail -n 1)" \
    "\$d->{body}{$2}"
}

usage='"usage":{"input":100,"output":10}'
hello="{\"answer\":{\"text\":\"Hello.\",$usage},\"times\":0}"
cat >flow.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer." }
EOF

# ---- a price must be said ----

api=openai
serve price <<<"$hello"
while IFS='|' read -r name constraints more; do
  profile "$name.lua" "$constraints" 'model = "mine"' "$more"
  refused 5 "$name, and a model without a price" 'model "default" (mine) has no price' \
    run flow.lua --profile "./$name.lua" --session "$name" --input '"?"'
  has "$name: the remedies are told" "$err" "unmetered = true"
  refused 3 "$name: no session was made" "there is no" sessions show "$name"
done <<'EOF'
budget|budget_usd = 0.01|
agents-budget||agents = { one = { constraints = { budget_usd = 0.01 } } },
EOF
profile none.lua '' 'model = "mine"'
refused 5 "a limit on the command line" "has no price" run flow.lua --profile ./none.lua \
  --session none --input '"?"' --limit budget_usd=1
profile half.lua 'budget_usd = 0.01' 'model = "mine", price = { input = 3 }'
refused 5 "half a price" "has no price" run flow.lua --profile ./half.lua --input '"?"'
is "nothing was paid for" "$(requests price)" 0
profile list.lua 'budget_usd = 1' 'model = "gpt-4o-mini"'
exits 0 "a model that the table has" run flow.lua --profile ./list.lua --session list --input '"?"'
is "costs what it says: 100 * \$0.15 + 10 * \$0.60 a million" \
  "$(json "$("$CKRUN" --json sessions show list)" 'micros($d->{totals}{cost_usd})')" 21
profile zero.lua 'budget_usd = 0' 'model = "mine", price = { input = 0, output = 0 }'
exits 0 "a price of nothing" run flow.lua --profile ./zero.lua --session zero --input '"?"'
is "is a price, and nothing was spent" \
  "$(json "$("$CKRUN" --json sessions show zero)" 'micros($d->{totals}{cost_usd})')" 0

# Without a budget it runs; under one that comes later it does not go on.
profile later.lua 'model_calls = 1' 'model = "mine"'
cat >turns.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer.",
  tools = { look = flow.tool(function() return "nothing" end, {}) } }
EOF
serve later <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],$usage}}
$hello
EOF
profile later.lua 'model_calls = 1' 'model = "mine"'
exits 8 "without a budget" run turns.lua --profile ./later.lua --session later --input '"?"'
refused 5 "a budget for the resume" "has no price" resume later --limit model_calls=5 \
  --limit budget_usd=1
is "is not gone behind" "$(requests later)" 1

# A budget that the session was given earlier, and a profile without a price since.
serve since <later.script
profile since.lua '' "model = \"mine\", $price"
exits 8 "with a price, and a budget of its own" run turns.lua --profile ./since.lua \
  --session since --input '"?"' --limit budget_usd=1 --limit model_calls=1
profile unpriced.lua '' 'model = "mine"'
exits 8 "without the price" resume since --profile ./unpriced.lua --limit model_calls=5
has "it does not go on" "$err" "has no price, and budget_usd limits what it may cost"
is "and pays nothing" "$(requests since)" 1
exits 0 "with it" resume since --profile ./since.lua --limit model_calls=5
is "it does" "$(requests since)" 2

# ---- unmetered: used all the same, and its cost is unknown ----

serve unmetered <<<"$hello"
profile unmetered.lua 'budget_usd = 0.01' 'model = "mine", unmetered = true'
exits 0 "unmetered = true" --json run flow.lua --profile ./unmetered.lua --session unmetered \
  --input '"?"'
is "nobody knows what it cost" "$(json "$out" 'join " ", map { defined $_ ? $_ : "null" }
  micros($d->{cost_usd}), micros($d->{totals}{cost_usd}), $d->{totals}{unmetered}')" "null null 1"
exits 0 "and so says the session" sessions show unmetered
is "in words" "$(cell "$out" spent)" unknown
has "and its run" "$out" "completed, an unknown cost, 1 model call"
is "and in JSON" "$(json "$("$CKRUN" --json sessions show unmetered)" 'join " ",
  map { defined $_ ? $_ : "null" } micros($d->{totals}{cost_usd}), micros($d->{runs}[0]{cost_usd}),
  $d->{totals}{unmetered}')" "null null 1"
serve dry <<EOF
{"answer":{"text":"Hello.",$usage},"hang":20}
EOF
profile dry.lua '' 'model = "mine"'
"$CKRUN" run flow.lua --profile ./dry.lua --session dry --input '"?"' >/dev/null 2>&1 </dev/null &
pid=$!
while [ "$(requests dry)" != 1 ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
exits 0 "a dry run of a call without a price" resume dry --dry-run
is "does not say that it is free" "$(cell "$out" "cost at most")" unknown
is "nor in JSON" "$(json "$("$CKRUN" --json resume dry --dry-run)" '$d->{reserve_usd}')" null

# ---- the answer has no more tokens than what is left pays for ----

for api in openai anthropic; do
  serve $api <<<"$hello"
  # What the request may take, from a reserve: 3 * INPUT + 15 * 100.
  profile base.lua 'budget_usd = 1' "model = \"mine\", max_tokens = 100, $price"
  exits 0 "$api: with max_tokens" run flow.lua --profile ./base.lua --session $api-base \
    --input '"?"'
  is "$api: as it was asked" "$(sent $api)" 100
  input=$((($(intent $api-base reserve) - 1500) / 3))
  while IFS='|' read -r name budget said tokens; do
    before=$(requests $api)
    profile fit.lua "budget_usd = $(dollars $((budget)))" "model = \"mine\", $price $said"
    run run flow.lua --profile ./fit.lua --session "$api-${name// /-}" --input '"?"'
    if [ "$tokens" = 0 ]; then
      is "$api, $name: it pauses" "$code" 8
      is "$api, $name: the call is not made" "$(requests $api)" "$before"
      has "$api, $name: what lifts the budget is told" "$err" "; --limit budget_usd="
    else
      is "$api, $name: the call is made" "$code $(requests $api)" "0 $((before + 1))"
      is "$api, $name: so many tokens are asked for" "$(sent $api)" "$tokens"
      is "$api, $name: and reserved" "$(intent "$api-${name// /-}" reserve)" \
        "$((3 * input + 15 * tokens))"
    fi
  done <<EOF
all of the budget|3 * input + 15 * 1000||1000
a part of a token|3 * input + 15 * 1000 + 14||1000
the maximum of the model|3 * input + 15 * 1000|, output_max = 900|900
more than is left|3 * input + 15 * 1000|, max_tokens = 5000|1000
less than is left|3 * input + 15 * 1000|, max_tokens = 700|700
a maximum that nobody says|1000000||8192
the least|3 * input + 15 * 256||256
less than the least|3 * input + 15 * 255||0
less than the least was asked for|3 * input + 15 * 50|, max_tokens = 50|50
not even that|3 * input + 15 * 49|, max_tokens = 50|0
nothing for an answer|3 * input||0
too little for the request|140||0
EOF
  # The tightest budget counts, also an agent's.
  profile tight.lua 'budget_usd = 1' "model = \"mine\", $price" \
    "agents = { one = { constraints = { budget_usd = $(dollars $((3 * input + 15 * 400))) } } },"
  exits 0 "$api: an agent's budget" run flow.lua --profile ./tight.lua --session $api-tight \
    --input '"?"'
  is "$api: is the tightest" "$(sent $api)" 400
  # Tokens likewise: the request and its answer.
  profile tokens.lua "tokens = $((input + 700))" "model = \"mine\", unmetered = true"
  exits 0 "$api: a limit of tokens" run flow.lua --profile ./tokens.lua --session $api-tokens \
    --input '"?"'
  is "$api: leaves the answer what the request does not take" "$(sent $api)" 700
  profile tokens.lua "tokens = $((input + 255))" "model = \"mine\", unmetered = true"
  before=$(requests $api)
  exits 8 "$api: and less than the least" run flow.lua --profile ./tokens.lua \
    --session $api-few --input '"?"'
  is "$api: is not asked for" "$(requests $api)" "$before"
  has "$api: with what lifts it" "$err" "--limit tokens=$((input + 256)) lifts it"
  # Without limits nothing is said that nobody asked for.
  profile free.lua '' "model = \"mine\", $price"
  exits 0 "$api: without limits" run flow.lua --profile ./free.lua --session $api-free --input '"?"'
  is "$api: the request is as it was" "$(sent $api)" \
    "$([ $api = openai ] && echo null || echo 8192)"
done

# The prompt of the remedy is enough: what it names lets the call be made.
api=openai
serve lift <<<"$hello"
profile lift.lua 'budget_usd = 0.0001' "model = \"mine\", $price"
exits 8 "a budget that is too small" run flow.lua --profile ./lift.lua --session lift --input '"?"'
exits 0 "is lifted by what is named" resume lift --limit \
  "$(grep -oE 'budget_usd=[0-9.]+' <<<"$err" | tail -n 1)"
is "with the least answer" "$(sent lift)" 256

# Never more than the budget, turn after turn; each answer takes all that it may.
serve loop <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":2000,"output":256}},"times":0}
EOF
profile loop.lua 'budget_usd = 0.06' "model = \"mine\", $price"
exits 8 "many turns" run turns.lua --profile ./loop.lua --session loop --input '"?"'
spent=$(json "$("$CKRUN" --json sessions show loop)" 'micros($d->{totals}{cost_usd})')
is "cost what their tokens do" "$spent" "$(($(requests loop) * (3 * 2000 + 15 * 256)))"
ok "within the budget" test "$spent" -le 60000
ok "of which most is used" test "$spent" -gt 40000
before=$(requests loop)
for ((i = 0; i < 3; i++)); do run resume loop; done
is "a resume adds nothing" "$(requests loop)" "$before"

# ---- side by side: who finds everything held waits for what the others leave ----

cat >panel.lua <<'EOF'
local flow = require "ck.flow"
local function member(name) return flow.agent { name = name, prompt = "Answer." } end
return flow.rounds { name = "panel", rounds = 2,
  agents = { ann = member "ann", bob = member "bob", cat = member "cat" },
  orchestrator = function(_, _, ask)
    ask { parallel = { "ann", "bob", "cat" }, message = "Look." }
    return "done"
  end }
EOF
serve panel <<<"$hello"
profile panel.lua.profile 'budget_usd = 0.02' "model = \"mine\", $price"
mv panel.lua.profile panel-profile.lua
exits 0 "three agents, and a budget for one answer at a time" run panel.lua \
  --profile ./panel-profile.lua --session panel
is "all are asked" "$(requests panel)" 3
is "one call at a time was under way" "$("$CKRUN" --json sessions log panel --all |
  perl -MJSON::PP -ne '$e = decode_json($_); next unless ($e->{body}{kind} // "") eq "model";
    $open += $e->{kind} eq "intent" ? 1 : $e->{kind} eq "outcome" ? -1 : 0;
    $most = $open if $open > $most; END { print $most }')" 1
profile panel-profile.lua 'budget_usd = 0.02' "model = \"mine\", $price, max_tokens = 50"
exits 0 "with room for two" run panel.lua --profile ./panel-profile.lua --session beside
is "the third waits" "$("$CKRUN" --json sessions log beside --all |
  perl -MJSON::PP -ne '$e = decode_json($_); next unless ($e->{body}{kind} // "") eq "model";
    $open += $e->{kind} eq "intent" ? 1 : $e->{kind} eq "outcome" ? -1 : 0;
    $most = $open if $open > $most; END { print $most }')" 2
profile panel-profile.lua 'budget_usd = 0.0066' "model = \"mine\", $price, max_tokens = 50"
exits 8 "with room for too few" run panel.lua --profile ./panel-profile.lua --session few
ok "the others are not begun" test "$(requests panel)" -lt 9
ok "and the budget holds" test \
  "$(json "$("$CKRUN" --json sessions show few)" 'micros($d->{totals}{cost_usd})')" -le 6600

# ---- agents that are processes ----

cat >process.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "outside", processes = { coder = flow.acp { argv = { "true" } } },
  run = function(ctx)
    return ctx.effect { kind = "agent", class = "once",
      request = { process = "coder", prompt = "Hello." } }.result
  end }
EOF
profile process-profile.lua 'budget_usd = 1' "model = \"mine\", $price"
refused 5 "an agent process under a budget" 'what agent "coder" will cost is not known' \
  run process.lua --profile ./process-profile.lua --session process
has "the remedy is told" "$(json "$err" '$d->{error}{text}')" \
  'agents = { ["coder"] = { unmetered = true } }'
profile process-profile.lua 'budget_usd = 1' "model = \"mine\", $price" \
  'agents = { coder = { unmetered = true } },'
run run process.lua --profile ./process-profile.lua --session process
has "with it the agent is started" "$err" "the agent 'coder': it ended"
exits 8 "a budget that the session has of its own" run process.lua --profile \
  ./process-profile.lua --session process2 --limit budget_usd=2
profile process-profile.lua '' "model = \"mine\", $price"
exits 8 "and an agent that is not unmetered any more" resume process2 \
  --profile ./process-profile.lua
has "stops before it is prompted" "$err" "has no price, and budget_usd limits what it may cost"
finish
