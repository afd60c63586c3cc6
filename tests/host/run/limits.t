#!/bin/bash
# limits.t - a limit is checked before what it limits begins, by every resume, and whoever is told
# of it is told what lifts it; calls of the flow's own tools are tool calls.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE CONSTRAINTS [MORE]: its calls of 1,000 tokens in and 50 out cost 3 * 1000 + 15 * 50 =
# 3,750 micro-dollars.
profile() {
  cat >"$1" <<EOF
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { $2 }, ${3:-}
  models = { default = { api = "openai", base_url = "http://127.0.0.1:$port/v1",
    model = "test-model", key = "main", retries = 0, stream = false, max_tokens = 100,
    price = { input = 3, output = 15 } } } }
EOF
}

# ---- rounds: a round that the limit does not cover is not begun ----

usage='"usage":{"input":1000,"output":50}'
serve rounds <<EOF
{"answer":{"text":"An opinion.",$usage},"times":0}
EOF
cat >rounds.lua <<'EOF'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 5,
  agents = { ann = flow.agent { name = "ann", prompt = "Answer." } },
  orchestrator = function(_, round, ask)
    ask { target = "ann", message = "Round " .. round }
    if round == 4 then return "done" end
  end }
EOF
profile rounds-profile.lua 'rounds = 1'
exits 8 "a run with one round" run rounds.lua --profile ./rounds-profile.lua --session rounds
is "pays for one round" "$(requests rounds)" 1
has "and says what was reached" "$err" "rounds: 1 of 1 spent"
has "and what lifts it" "$err" "--limit rounds=2 lifts it"
for n in 1 2 3 4; do
  exits 8 "resume $n" resume rounds
  is "resume $n pays nothing" "$(requests rounds)" 1
  has "resume $n: no round was added" "$err" "rounds: 1 of 1 spent; --limit rounds=2 lifts it"
done
is "one round was paid for" \
  "$(json "$("$CKRUN" --json sessions show rounds)" 'micros($d->{totals}{cost_usd})')" 3750
exits 0 "the dry run" resume rounds --dry-run
is "lists the limit" "$(cell "$out" limit)" "rounds: 1 of 1 spent; --limit rounds=2 lifts it"
exits 0 "as JSON" --json resume rounds --dry-run
is "too" "$(json "$out" '$d->{limits}')" '["rounds: 1 of 1 spent; --limit rounds=2 lifts it"]'
is "it can be resumed all the same" "$(json "$out" '0 + $d->{resumable}')" 1
exits 0 "with what lifts it" --json resume rounds --dry-run --limit rounds=2
is "nothing is in the way" "$(json "$out" '$d->{limits}')" '[]'
exits 8 "resumed with it" resume rounds --limit rounds=2
is "one more round is made" "$(requests rounds)" 2
has "and no third" "$err" "rounds: 2 of 2 spent; --limit rounds=3 lifts it"
exits 0 "with room for all" resume rounds --limit rounds=9
is "the rest is made" "$(requests rounds)" 4

# Rounds of a branch that the session has left do not count.
serve left <<EOF
{"answer":{"text":"An opinion.",$usage},"times":0}
EOF
profile left-profile.lua 'rounds = 2' 'policies = { "every_boundary" },'
exits 8 "a run with two rounds" run rounds.lua --profile ./left-profile.lua --session left
is "pays for two" "$(requests left)" 2
first=$("$CKRUN" --json sessions checkpoints left | perl -MJSON::PP -ne '
  my $c = decode_json($_); next if $c->{kind} ne "round_complete" || $n++;
  print $c->{id}')
exits 8 "resumed behind its first round" resume left "$first"
is "it makes its second one anew" "$(requests left)" 3
has "and no third" "$err" "rounds: 2 of 2 spent; --limit rounds=3 lifts it"

# An agent's own turns likewise: its limit is named with its name.
serve turns <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],$usage},"times":0}
EOF
cat >turns.lua <<'EOF'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 5,
  agents = { ann = flow.agent { name = "ann", prompt = "Answer.",
    tools = { look = flow.tool(function() return "nothing" end, {}) } } },
  orchestrator = function(_, round, ask) ask { target = "ann", message = "Round " .. round } end }
EOF
profile turns-profile.lua '' 'agents = { ann = { constraints = { rounds = 2 } } },'
exits 8 "an agent with two turns" run turns.lua --profile ./turns-profile.lua --session turns
is "makes two" "$(requests turns)" 2
has "and is named" "$err" "rounds of agent ann: 2 of 2 spent; --limit ann.rounds=3 lifts it"
exits 8 "resumed" resume turns
is "makes no third" "$(requests turns)" 2
exits 0 "dry" --json resume turns --dry-run
is "lists it" "$(json "$out" '$d->{limits}[0]')" \
  "rounds of agent ann: 2 of 2 spent; --limit ann.rounds=3 lifts it"
exits 8 "resumed with one more" resume turns --limit ann.rounds=3
is "makes one more" "$(requests turns)" 3

# Those of a model that orchestrates, too: its turn is the round.
ask_ann='{"name":"delegate","arguments":{"target":"ann","message":"How?"}}'
serve chair < <(for _ in 1 2 3; do
  echo "{\"answer\":{\"calls\":[$ask_ann],$usage}}"
  echo "{\"answer\":{\"text\":\"An opinion.\",$usage}}"
done)
cat >chair.lua <<'EOF'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 5,
  agents = { ann = flow.agent { prompt = "Answer." } },
  orchestrator = flow.agent { name = "chair", prompt = "You lead." } }
EOF
profile chair-profile.lua ''
exits 8 "a chair with one turn" run chair.lua --profile ./chair-profile.lua --session chair \
  --input '"?"' --limit chair.rounds=1
is "takes it, and its round is made" "$(requests chair)" 2
has "and says what was reached" "$err" \
  "rounds of agent chair: 1 of 1 spent; --limit chair.rounds=2 lifts it"
exits 8 "resumed" resume chair
is "it takes none" "$(requests chair)" 2
exits 8 "with another turn" resume chair --limit chair.rounds=2
is "it takes that" "$(requests chair)" 4

# A turn is one answer of the model, whether it calls tools or not: of three delegations with two
# answers each, four leave two to it, three one and a half.
answers() { # CHAIR'S OWN, then ANN'S: look, an opinion
  for _ in 1 2 3; do
    echo "{\"answer\":{\"calls\":[$ask_ann],$usage}}"
    echo "{\"answer\":{\"calls\":[{\"name\":\"note\",\"arguments\":{\"text\":\"n\"}}],$usage}}"
    echo "{\"answer\":{\"text\":\"An opinion.\",$usage}}"
  done
}
# made SESSION: the turns of ann and of the chair, as the transcript has them.
made() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -ne '$e = decode_json($_);
    $n{$e->{agent}}++ if $e->{kind} eq "outcome" && $e->{body}{kind} eq "model";
    END { print join ",", map { "$_ $n{$_}" } sort keys %n }'
}
# kept SESSION: the same, as its state counts them.
kept() {
  json "$("$CKRUN" --json sessions inspect "$1")" 'my $a = $d->{state}{spending}{agents};
    join ",", map { "$_ $a->{$_}{rounds}" } sort keys %$a'
}
while IFS='|' read -r limit want lift; do
  id=said-${limit%.*}-${limit#*=}
  serve "$id" < <(answers)
  profile "$id.lua" ''
  exits 8 "$limit" run chair.lua --profile "./$id.lua" --session "$id" --input '"?"' \
    --limit "$limit"
  is "$limit: so many answers" "$(made "$id")" "$want"
  is "$limit: are so many turns" "$(kept "$id")" "$want"
  has "$limit: is named" "$err" "--limit $lift lifts it"
  exits 8 "$limit: resumed" resume "$id"
  is "$limit: nothing more" "$(made "$id")" "$want"
done <<'EOF'
ann.rounds=1|ann 1,chair 1|ann.rounds=2
ann.rounds=2|ann 2,chair 2|ann.rounds=3
ann.rounds=3|ann 3,chair 2|ann.rounds=4
ann.rounds=4|ann 4,chair 3|ann.rounds=5
chair.rounds=2|ann 4,chair 2|chair.rounds=3
EOF

# A flow that has no more rounds to make ends well at its limit.
cat >last.lua <<'EOF'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 2,
  agents = { ann = flow.agent { name = "ann", prompt = "Answer." } },
  orchestrator = function(_, round, ask) ask { target = "ann", message = "Round " .. round } end }
EOF
serve last <<EOF
{"answer":{"text":"An opinion.",$usage},"times":0}
EOF
profile last-profile.lua 'rounds = 2'
exits 8 "a run of as many rounds as it may make" run last.lua --profile ./last-profile.lua \
  --session last
exits 0 "ends well when it is resumed" resume last
is "and pays no more" "$(requests last)" 2

# A person who is to be asked is asked at rounds, too: when another one is to begin.
serve asked <<EOF
{"answer":{"text":"An opinion.",$usage},"times":0}
EOF
profile asked-profile.lua 'rounds = 2, on_limit = "ask"'
exits 0 "no more rounds to make: nobody is asked" run last.lua --profile ./asked-profile.lua \
  --session unasked
exits 8 "another round to make: a person is asked" run rounds.lua \
  --profile ./asked-profile.lua --session asked
has "for a number" "$err" "rounds: 2 of 2 spent. Answer with a new limit (a number), or stop."
is "before it begins" "$(requests asked)" 4
exits 0 "the answer" answer asked 3
exits 8 "resumed, it is asked again" resume asked
is "after one more round" "$(requests asked)" 5

cat >agent.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer.",
  tools = { look = flow.tool(function() return "nothing" end, {}) } }
EOF

# ---- every other dimension: nothing begins behind it, and the remedy is enough ----

while IFS='|' read -r name limit text lift; do
  serve "$name" <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],$usage},"times":0}
EOF
  profile "$name-profile.lua" "$limit"
  exits 8 "$name" run agent.lua --profile "./$name-profile.lua" --session "$name" --input '"?"'
  before=$(requests "$name")
  has "$name: is told" "$err" "$text; --limit $lift lifts it"
  exits 8 "$name: resumed" resume "$name"
  is "$name: no call was paid for" "$(requests "$name")" "$before"
  has "$name: told again" "$err" "$text; --limit $lift lifts it"
  exits 8 "$name: with what lifts it" resume "$name" --limit "$lift"
  ok "$name: it gets further" test "$(requests "$name")" -gt "$before" -o \
    "$(json "$("$CKRUN" --json sessions show "$name")" '$d->{totals}{tool_calls}')" -gt 1
done <<'EOF'
model_calls|model_calls = 2|model_calls: 2 of 2 spent|model_calls=3
tool_calls|tool_calls = 1|tool_calls: 1 of 1 spent|tool_calls=2
EOF

# ---- a dry run foresees the stop, in the words of the stop, and names what lifts it ----

# Money and tokens stop a call that may take more than is left, though something is: of 4,500
# micro-dollars the first call takes 3,750, and the 100 tokens of the second's answer alone are
# 1,500; of 1,100 tokens 1,050 are taken.
while IFS='|' read -r name limit; do
  for whose in session agent; do
    id=foreseen-$name-$whose
    serve "$id" <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],$usage},"times":0}
EOF
    if [ $whose = agent ]; then
      profile "$id.lua" '' "agents = { one = { constraints = { $limit } } },"
    else
      profile "$id.lua" "$limit"
    fi
    exits 8 "$id: it stops" run agent.lua --profile "./$id.lua" --session "$id" --input '"?"'
    stop=${err##*is paused: }
    before=$(requests "$id")
    exits 0 "$id: dry" --json resume "$id" --dry-run
    is "$id: the same is foreseen" "$(json "$out" '$d->{limits}[0]')" "$stop"
    lift=${stop##*--limit }
    exits 0 "$id: with what lifts it" --json resume "$id" --dry-run --limit "${lift%% *}"
    is "$id: none is" "$(json "$out" '$d->{limits}')" '[]'
    exits 8 "$id: and it goes on" resume "$id" --limit "${lift%% *}"
    ok "$id: by one call at least" test "$(requests "$id")" -gt "$before" -o $name = tool_calls
  done
done <<'EOF'
budget|budget_usd = 0.0045
tokens|tokens = 1100
model_calls|model_calls = 3
tool_calls|tool_calls = 3
EOF

# ---- calls of the flow's own tools ----

# tools SESSION: as its transcript, its runs and the summary have them.
tools() {
  json "$("$CKRUN" --json sessions show "$1")" \
    'my $n = 0; $n += $_->{tool_calls} for @{$d->{runs}}; "$d->{totals}{tool_calls} $n"'
}

calls=$(printf '{"name":"look","arguments":{"n":%d}},' 1 2 3 4 5 6 7 8 9 10 11 12)
for limit in 1 5 12; do
  serve "own$limit" <<EOF
{"answer":{"calls":[${calls%,}],$usage}}
{"answer":{"text":"Done.",$usage},"times":0}
EOF
  profile "own$limit-profile.lua" "tool_calls = $limit"
  want=8
  [ "$limit" = 12 ] && want=0
  exits "$want" "twelve calls of a function under tool_calls=$limit" --json run agent.lua \
    --profile "./own$limit-profile.lua" --session "own$limit" --input '"?"'
  is "tool_calls=$limit: so many are made" "$(tools "own$limit")" "$limit $limit"
  is "tool_calls=$limit: the summary says so" "$(json "$out" '$d->{tool_calls}')" "$limit"
done
exits 0 "with room for the others" --json resume own5 --limit tool_calls=12
is "each of them counts once" "$(tools own5)" "12 12"
is "seven of them now" "$(json "$out" '$d->{tool_calls}')" 7
is "the model is asked twice in all" "$(requests own5)" 2
exits 0 "a recording of it" sessions export own5 --format cassette --output own5.jsonl
exits 0 "can be run again" --json run agent.lua --cassette own5.jsonl --session again --input '"?"'
is "with as many calls" "$(json "$out" '$d->{tool_calls}')" 12

# What a kind of flow gives a model: delegations, notes, the end.
ask='{"name":"delegate","arguments":{"target":"ann","message":"Look."}}'
one='{"name":"note","arguments":{"text":"one"}}'
serve given <<EOF
{"answer":{"calls":[$ask],$usage}}
{"answer":{"calls":[$one,$one],$usage}}
{"answer":{"text":"Seen.",$usage}}
{"answer":{"calls":[{"name":"finish","arguments":{"result":"well"}}],$usage}}
EOF
cat >given.lua <<'EOF'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 3,
  agents = { ann = flow.agent { name = "ann", prompt = "Answer." } },
  orchestrator = flow.agent { name = "chair", prompt = "Lead." } }
EOF
profile given-profile.lua ''
exits 0 "a delegation, two notes, the end" --json run given.lua --profile ./given-profile.lua \
  --session given --input '"?"'
is "are four tool calls" "$(tools given) $(json "$out" '$d->{tool_calls}')" "4 4 4"
exits 0 "each agent's" --json sessions log given --all
is "are its own" "$(perl -MJSON::PP -ne '$e = decode_json($_);
  $n{"$e->{agent} $e->{body}{name}"}++ if $e->{kind} eq "outcome" && $e->{body}{own};
  END { print join ",", map { "$_ $n{$_}" } sort keys %n }' <<<"$out")" \
  "ann note 2,chair delegate 1,chair finish 1"
serve noted <given.script
profile noted-profile.lua '' 'agents = { ann = { constraints = { tool_calls = 1 } } },'
exits 8 "one note is allowed" run given.lua --profile ./noted-profile.lua --session noted \
  --input '"?"'
has "the second is not" "$err" \
  "tool_calls of agent ann: 1 of 1 spent; --limit ann.tool_calls=2 lifts it"
serve progress <given.script
profile progress-profile.lua ''
exits 0 "a run that is watched" --json run given.lua --profile ./progress-profile.lua \
  --session progress --input '"?"' --events
has "shows its notes" "$out" '"note"'
finish
