#!/bin/bash
# session_checkpoint.t - a paused session of several agents is exported as one document, and a
# session elsewhere goes on with it: rounds, money, pads and tails.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# provider NAME [CONSTRAINTS]: serves the script on stdin, and writes the profile NAME.lua.
provider() {
  serve "$1"
  cat >"$1.lua" <<END
return { name = "test", extends = "deliberation", secrets = { main = "env:MODEL_KEY" },
  constraints = { ${2:-} },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 10000, output = 10000 }, max_tokens = 300 } } }
END
}

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "costs", rounds = 3,
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { ann = flow.agent { prompt = "You count." } } }
END
usage='"usage":{"input":100,"output":10}'
ask() { echo '"name":"delegate","arguments":{"target":"ann","message":"'"$1"'"}'; }
provider here <<END
{"answer":{"calls":[{$(ask "Look at the costs.")}],$usage}}
{"answer":{"calls":[{"name":"note","arguments":{"key":"costs","text":"They rise."}}],$usage}}
{"answer":{"text":"They rise by a tenth.",$usage}}
{"answer":{"calls":[{$(ask "And next year?")}],$usage}}
{"status":500,"body":"oh","times":0}
END
exits 8 "a session of two agents pauses in its second round" run flow.lua --profile ./here.lua \
  --session here --input '"What does it cost?"'
exits 0 "it is exported" sessions export here --format session-checkpoint -o here.json
document=$(cat here.json)
is "one round is complete" "$(json "$document" '$d->{roundsCompleted}')" 1
spent=$(json "$document" '$d->{constraintState}{budget}{spent}')
ok "money was spent" test "$spent" -gt 0
ann='[grep { $_->{agentId} eq "ann" } @{$d->{activeAgents}}]->[0]'
pad=$(json "$document" "$ann"'{expertiseSnapshot}')
ok "ann has a pad" test "$pad" != null

export CKRUN_STORE=sqlite:$dir/elsewhere.db
provider there <<END
{"answer":{"calls":[{$(ask "Go on.")}],$usage}}
{"answer":{"text":"By a tenth again.",$usage}}
{"answer":{"calls":[{"name":"finish","arguments":{"result":"A tenth each year."}}],$usage}}
END
exits 0 "another store takes it" --json sessions import here.json --resume-with flow.lua --profile \
  ./there.lua --session there
is "at the round behind the last" "$(json "$out" \
  '"$d->{format} $d->{source_id} $d->{status} $d->{round}"')" "session-checkpoint here paused 2"
is "what was spent counts on" "$(json "$("$CKRUN" sessions export there --format \
  session-checkpoint)" '$d->{constraintState}{budget}{spent}')" "$spent"
exits 0 "it goes on" --json resume there
is "to a conclusion" "$(json "$out" '$d->{status}')" completed
is "beginning with the round behind the last" "$("$CKRUN" --json sessions log there \
  --kind intent | grep -o 'main/round#[0-9]*' | head -n 1)" "main/round#2"
is "three requests were made" "$(grep -c '' there.log)" 3
is "all valid on the wire" "$(grep -c '"problem":"' there.log)" 0
request=$(sed -n 1p there.log)
is "the chair has its prompt first" "$(json "$request" '$d->{body}{messages}[0]{content}')" \
  "You lead."
section=$(json "$request" '$d->{body}{messages}[1]{content}')
is "then the section, to the letter" "$(head -n 3 <<<"$section")" \
  "## Session Context (Resumed)
This session was paused and has now resumed. Below is a summary of recent activity
you were involved in before the pause."
has "and what it was involved in" "$section" "Look at the costs."
request=$(sed -n 2p there.log)
is "ann has her prompt first" "$(json "$request" '$d->{body}{messages}[0]{content}')" "You count."
has "then her section" "$(json "$request" '$d->{body}{messages}[1]{content}')" \
  "They rise by a tenth."
is "and what she is asked now, last" "$(json "$request" '$d->{body}{messages}[-1]{content}')" \
  "Go on."
"$CKRUN" sessions export there --format session-checkpoint -o there.json
is "her pad came along" "$(json "$(cat there.json)" "$ann"'{expertiseSnapshot}')" "$pad"
is "two rounds are complete now" "$(json "$(cat there.json)" '$d->{roundsCompleted}')" 2
is "and all the money is one sum" "$(json "$(cat there.json)" \
  '$d->{constraintState}{budget}{spent}')" $((spent + 3 * 110 * 10000))

# The budget of the new session knows what was spent.
provider poor "budget_usd = $((spent / 1000000 + 1))" <<END
{"answer":{"text":"never",$usage}}
END
exits 0 "a budget that is nearly spent" sessions import here.json --resume-with flow.lua --profile \
  ./poor.lua --session poor
exits 8 "pauses at once" resume poor
ok "and pays nothing" test ! -s poor.log

# Every field is validated.
cut() { perl -pe "$1" here.json >cut.json; }
for field in sessionId constraintState activeAgents roundsCompleted pendingDelegations \
  transcriptReplayDepth createdAt; do
  cut "s/\"$field\":/\"was_$field\":/"
  refused 2 "without $field" "cut.json: missing required field: $field" sessions import cut.json \
    --resume-with flow.lua --profile ./there.lua --session no
done
cut 's/"roundsCompleted":1/"roundsCompleted":-1/'
refused 2 "a negative count" "field roundsCompleted must be a whole number from 0" sessions import \
  cut.json --resume-with flow.lua --profile ./there.lua --session no
cut 's/"agentId":/"agent":/'
refused 2 "an agent without a name" "missing required field: activeAgents[0].agentId" sessions \
  import cut.json --resume-with flow.lua --profile ./there.lua --session no
cut 's/"conversationTail":\[/"conversationTail":[7,/'
refused 2 "a tail that holds no event" \
  "field activeAgents[0].conversationTail[0] must be an event with a kind and a body" sessions \
  import cut.json --resume-with flow.lua --profile ./there.lua --session no
refused 2 "no flow to go on with" "is a session checkpoint: --resume-with FLOW says which" \
  sessions import here.json
refused 2 "a flow of another kind" "a session checkpoint is gone on with by a flow.rounds" \
  sessions import here.json --resume-with "$flow" --session no
sed 's/ann = /bob = /' flow.lua >renamed.lua
exits 5 "a flow that lacks an agent" sessions import here.json --resume-with renamed.lua --profile \
  ./there.lua --session lacking
has "is told" "$err" "has no agent 'ann', who takes part in the session"
refused 3 "nothing was made of it" "lacking" sessions show lacking
refused 3 "nor of the others" "no" sessions show no
finish
