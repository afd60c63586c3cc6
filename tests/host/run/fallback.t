#!/bin/bash
# fallback.t - another model is asked when one has failed: by the class of the failure, or because a
# policy says so; at its own reserve and price; and no other than that one after a kill.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE CHAIN [TOP]: three models at the servers away, spare and last.
profile() {
  local name
  { echo "return { name = 'chained', extends = 'default', ${3:-}"
    echo "  secrets = { main = 'env:MODEL_KEY' },"
    echo "  models = {"
    for name in away spare last; do
      port=$(cat $name.port)
      printf '%s = { api = "%s", base_url = "%s", model = "m-%s", key = "main", retries = 0,' \
        "$(sed 's/away/default/' <<<$name)" anthropic "$(base_url anthropic)" $name
      printf 'max_tokens = 1000, price = { input = %s, output = %s }, %s },\n' \
        ${price[$name]} ${price[$name]} "$([ $name = away ] && echo "fallback = $2")"
    done
    echo "} }"; } >"$1"
}
declare -A price=([away]=1 [spare]=10 [last]=100)
down='{"status":503,"body":{"type":"error","error":{"type":"overloaded_error"}},"times":0}'
denied='{"status":401,"body":{"type":"error","error":{"type":"authentication_error"}},"times":0}'
answer='{"answer":{"text":"Yes.","usage":{"input":100,"output":10}},"times":0}'
asked() { echo "$(requests away) $(requests spare) $(requests last)"; }
serving() { serve away <<<"$1"; serve spare <<<"$2"; serve last <<<"$3"; }
cost() { json "$("$CKRUN" --json sessions show "$1")" 'micros($d->{totals}{cost_usd})'; }
# told SESSION KIND MEMBER: of each model call, in order.
told() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | perl -MJSON::PP -ne '
    my $b = decode_json($_)->{body}; next if !$b || $b->{kind} ne "model";
    print $b->{'"$3"'} // "-", " "'
}
try() { run run flow.lua --profile ./$1.lua --session "$1" --input '"?"'; }

cat >flow.lua <<'END'
return require("ck.flow").agent { name = "asker", prompt = ".",
  tools = { kill = require("ck.flow").command { argv = { "./kill" }, class = "pure" } } }
END
write_kill

# ---- by the class of the failure ----

serving "$down" "$answer" "$answer"
profile one.lua '{ "spare", "last" }'
try one
is "a service that is away: the next one is asked" "$code $(asked)" "0 1 1 0"
is "the ledger says who was asked" "$(told one intent model)" "- spare "
is "and who has answered" "$(told one outcome model)" "- spare "
is "it costs what that one costs" "$(cost one)" $((110 * 10))
is "that one's price is reserved" "$(told one intent reserve | perl -ane 'print $F[1] / $F[0]')" 10
has "who watches is told" "$err" 'model "spare" is asked in its place'
"$CKRUN" sessions log one --all >log
has "who reads the log, too" "$(cat log)" "model spare"
is "and who looks at it" "$(json "$("$CKRUN" --json sessions show one)" \
  '$d->{last_effects}[-1]{name}')" spare
is "each request has a key of its own" "$(cat away.log spare.log |
  grep -o '"idempotency-key":"[0-9a-f]*"' | sort -u | grep -c '')" 2

serving "$down" "$down" "$answer"
profile two.lua '{ "spare", "last" }'
try two
is "one after the other" "$code $(asked)" "0 1 1 1"
serving "$down" "$down" "$down"
profile none.lua '{ "spare", "last" }'
try none
is "when all are away it waits" "$code $(asked)" "8 1 1 1"
run resume none
is "and a resume begins with the first" "$code $(asked)" "8 2 2 2"

serving "$denied" "$answer" "$answer"
profile denied.lua '"spare"'
try denied
is "another failure is none of its" "$code $(asked)" "1 1 0 0"
profile classes.lua '{ "spare", { model = "last", on = { "credentials", "context" } } }'
try classes
is "each has its own" "$code $(asked)" "0 2 0 1"

# ---- money ----

serving "$down" "$answer" "$answer"
profile poor.lua '"spare"' 'constraints = { budget_usd = 0.01 },'
try poor
is "a budget that pays for the first alone" "$code $(asked)" "8 1 0 0"
has "is at its limit" "$err" "budget"
run resume poor --limit budget_usd=1
is "with more of it the other one is asked" "$code $(asked)" "0 2 1 0"
profile free.lua '"spare"' 'constraints = { budget_usd = 1 },'
sed -i '/m-spare/s/price = {[^}]*},//' free.lua
try free
is "without a price it is refused before anything is asked" "$code $(asked)" "5 2 1 0"
has "by name" "$err" 'model "spare" (m-spare) has no price'

# ---- a kill ----

serving "$down" '{"answer":{"text":"never"},"hang":60}
'"$answer" "$answer"
profile killed.lua '"spare"'
"$CKRUN" run flow.lua --profile ./killed.lua --session killed --input '"?"' >/dev/null 2>&1 \
  </dev/null &
pid=$!
while [ ! -s spare.log ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
run resume killed
is "killed while the second one thinks: that one is asked again" "$code $(asked)" "0 1 2 0"
is "under the same key" "$(grep -o '"idempotency-key":"[0-9a-f]*"' spare.log | sort -u |
  grep -c '')" 1
is "and what was lost counts at its reserve" "$(told killed intent reserve |
  perl -ane 'print $F[1] + '$((110 * 10)))" "$(cost killed)"

serving "$down" '{"turn":0,"answer":{"calls":[{"name":"kill","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Yes."},"times":0}' "$answer"
profile paid.lua '"spare"'
touch kill-now
try paid
is "killed behind its answer" "$code $(asked)" "137 1 1 0"
run resume paid
is "nobody is asked for it again" "$code $(asked)" "0 2 2 0"

serving "$down" '{"turn":0,"answer":{"calls":[{"name":"kill","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Yes."},"times":0}' "$answer"
profile kept.lua '"spare", fallback_for = "session"'
touch kill-now
try kept
is "killed behind the answer of one that is to be asked first" "$code $(asked)" "137 1 1 0"
run resume kept
is "the resume asks that one first, too" "$code $(asked)" "0 1 2 0"

# ---- a policy's word ----

policy() { echo "return { name = '$1', version = 1, on_failure = function(f) $2 end }" >"$1.lua"; }
serving "$denied" "$down" "$answer"
profile chain.lua '{ "spare", "last" }'
policy next 'return "fallback"'
run run flow.lua --profile ./chain.lua --policy ./next.lua --session next --input '"?"'
is "has the next one asked, after any failure" "$code $(asked)" "0 1 1 1"
profile single.lua false
run run flow.lua --profile ./single.lua --policy ./next.lua --session single --input '"?"'
is "where there is none, it has said nothing" "$code $(asked)" "1 2 1 1"
serving "$down" "$answer" "$answer"
policy wait 'return "pause"'
run run flow.lua --profile ./chain.lua --policy ./wait.lua --session wait --input '"?"'
profile chain.lua '{ "spare", "last" }'
run run flow.lua --profile ./chain.lua --policy ./wait.lua --session waits --input '"?"'
is "or none" "$code $(asked)" "8 1 0 0"
policy same 'return f.try < 3 and "retry" or nil'
run run flow.lua --profile ./chain.lua --policy ./same.lua --session same --input '"?"'
is "or the same one first" "$code $(asked)" "0 4 1 0"

# ---- may it be asked ----

judge() { echo "return { name = '$1', version = 1, permit = function(e)
  if e.kind == 'model' then $2 end end }" >"$1.lua"; }
# with POLICY SESSION [CHAIN]: a profile of the session's name.
with() {
  local chain=${3-'{ "spare", "last" }'}
  profile "$2.lua" "$chain" "policies = { './$1.lua' },"
  try "$2"
}
serving "$down" "$answer" "$answer"
judge nospare 'if e.request.model == "spare" then return ck.deny "not that one" end'
with nospare passed
is "a model that a policy denies is not asked: the next one is" "$code $(asked)" "0 1 0 1"
is "the ledger says so" "$("$CKRUN" --json sessions log passed --all --kind outcome |
  perl -MJSON::PP -ne 'my $b = decode_json($_)->{body}; print join(":", $b->{model} // "-",
    $b->{status}, $b->{denied} ? "denied" : ()), " " if $b->{kind} eq "model"')" \
  "-:failed spare:failed:denied last:ok "
is "of what was called it is no part" \
  "$(json "$("$CKRUN" --json sessions show passed)" '$d->{totals}{model_calls}')" 2
with nospare nobody '"spare"'
is "where there is no other one the failure holds" "$code $(asked)" "8 2 0 1"
has "and why nobody else was asked is told" "$err" \
  'model "spare" is not asked: denied by policy nospare: not that one'
run resume nobody
is "a resume begins with the first" "$code $(asked)" "8 3 0 1"
serving "$denied" "$answer" "$answer"
with nospare failed '{ { model = "spare", on = { "credentials" } } }'
is "a failure that ends a session ends it" "$code $(asked)" "1 1 0 0"
# Of 1000 tokens at most the second costs a cent, the third ten.
judge dear 'if (e.reserve_usd or 0) > 0.05 then return ck.deny "too dear" end'
serving "$down" "$down" "$answer"
with dear fits
is "what it may cost is its own" "$code $(asked)" "8 1 1 0"
run policy simulate --hook permit --policy ./nospare.lua one
has "what a policy would have said of it is found again" "$out$err" "not that one"

# A person is asked about each, though in the same words.
judge person 'return ck.ask "May it be asked?"'
serving "$down" "$answer" "$answer"
with person somebody
is "the first waits for a person" "$code $(asked)" "8 0 0 0"
run answer somebody allow
run resume somebody
is "whose yes to it is none to the next one" "$code $(asked)" "8 1 0 0"
has "which is named" "$("$CKRUN" --json sessions log somebody --all --kind intent | tail -1)" \
  '"model":"spare"'
run answer somebody deny
run resume somebody
is "a no leads to the one behind, about which they are asked as well" "$code $(asked)" "8 1 0 0"
run answer somebody allow
run resume somebody
is "and nobody is asked again who was passed over" "$code $(asked)" "0 1 0 1"

# ---- mistakes ----

mistake() { # CHAIN TEXT
  profile wrong.lua "$1"
  exits 1 "$1" profile check ./wrong.lua
  has "$1: is told" "$err" "models.default.fallback: $2"
}
mistake '"sparse"' 'there is no model "sparse"'
mistake '{ "spare", "default" }' '"default" would be asked a second time'
mistake '{ "spare", "spare" }' '"spare" would be asked a second time'
mistake '{ { model = "spare", on = { "weather" } } }' 'the name of a model, a list'
mistake '{ { model = "spare", when = 1 } }' 'the name of a model, a list'
mistake '5' 'the name of a model, a list'
finish
