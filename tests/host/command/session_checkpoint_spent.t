#!/bin/bash
# session_checkpoint_spent.t - the document of a killed session says what `sessions show` says was
# spent, also behind the latest checkpoint and without any, exported and inspected alike; who goes
# on with it counts on from it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "r", rounds = 3,
  orchestrator = flow.agent { name = "chair", prompt = "You lead.",
    tools = { die = flow.command { argv = { "./die" }, class = "idempotent" } } },
  agents = { ann = flow.agent { prompt = "You count." } } }
END
printf '#!/bin/sh\nkill -9 $PPID\n' >die
chmod +x die
usage='"usage":{"input":100,"output":10}'
serve m <<END
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"ann","message":"Go."}}],$usage}}
{"answer":{"text":"Seen.",$usage}}
{"answer":{"calls":[{"name":"die","arguments":{}}],$usage}}
{"answer":{"calls":[{"name":"die","arguments":{}}],$usage}}
END
echo 'return { name = "p", version = 1, checkpoint = function() return nil end }' >never.lua
cat >p.lua <<END
return { name = "test", extends = "deliberation", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 10000, output = 10000 }, max_tokens = 300 } } }
END
sed 's/extends = "deliberation"/policies = { ".\/never.lua" }/' p.lua >none.lua
# spent SESSION: money, tokens, model calls: of the document, and as the session is shown.
spent() {
  json "$("$CKRUN" sessions export "$1" --format session-checkpoint "${@:2}")" 'my
    $c = $d->{constraintState}; join " ", map { $c->{$_}{spent} } qw(budget tokens model_calls)'
}
# inspected SESSION: the same of the document that `sessions inspect` holds.
inspected() {
  json "$("$CKRUN" --json sessions inspect "$@")" 'my
    $c = $d->{session_checkpoint}{constraintState};
    join " ", map { $c->{$_}{spent} } qw(budget tokens model_calls)'
}
# alike SESSION…: the whole document, of both commands.
alike() {
  is "inspect holds what export gives: $*" \
    "$(json "$("$CKRUN" --json sessions inspect "$@")" '$d->{session_checkpoint}')" \
    "$(json "$("$CKRUN" sessions export "$1" --format session-checkpoint "${@:2}")" '$d')"
}
shown() {
  json "$("$CKRUN" --json sessions show "$1")" 'my $t = $d->{totals};
    join " ", micros($t->{cost_usd}), $t->{input_tokens} + $t->{output_tokens}, $t->{model_calls}'
}

# Three answers of 110 tokens at a cent each: 3.30 dollars. The third is behind the checkpoint of
# the first round.
exits 137 "killed in its second round" run flow.lua --profile ./p.lua --session s --input '"Go."'
is "all that was spent is shown" "$(shown s)" "3300000 330 3"
is "the document says the same" "$(spent s)" "3300000 330 3"
is "at a checkpoint it is what was spent until there" "$(spent s --checkpoint latest)" \
  "2200000 220 2"
is "inspect says so, too, as the session stands" "$(inspected s)" "3300000 330 3"
is "and at a checkpoint that is named" "$(inspected s --checkpoint latest)" "2200000 220 2"
is "its own fields stay the checkpoint's" \
  "$(json "$("$CKRUN" --json sessions inspect s)" '$d->{metrics_snapshot}{cost_usd}')" 2.2
alike s
alike s --checkpoint latest
exits 0 "it is given away" sessions export s --format session-checkpoint -o s.json

exits 137 "killed without a checkpoint" run flow.lua --profile ./none.lua --session n \
  --input '"Go."'
is "the document says what was spent" "$(spent n)" "1100000 110 1"
is "so does inspect" "$(inspected n)" "1100000 110 1"
alike n

export CKRUN_STORE=sqlite:$dir/there.db
exits 0 "it is imported elsewhere" sessions import s.json --resume-with flow.lua --profile ./p.lua \
  --session s
is "and counts on" "$(shown s)" "3300000 330 3"
finish
