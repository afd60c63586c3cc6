#!/bin/bash
# run_checkpoint.t - a failed run is exported as one document, and another run continues from it to
# the same end.
. "$(dirname "$0")/../tap.sh"

exits 0 "the airline's session, undisturbed" run "$flow" --cassette "$cassette" --session whole
"$CKRUN" sessions export whole --format cassette >"$dir/whole.jsonl"
perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/ && ++$n == 4' "$cassette" >"$dir/wrong.jsonl"
exits 1 "one that fails in its fifth turn" run "$flow" --cassette "$dir/wrong.jsonl" --session \
  failed

exits 0 "is a run checkpoint" sessions export failed --format run-checkpoint -o "$dir/run.json"
document=$(cat "$dir/run.json")
field() { json "$document" "\$d->$1"; }
is "of exactly these members" "$(json "$document" 'join " ", sort keys %$d')" \
  "agent checkpointedAt ckrun failurePoint flow history lastCompletedIteration originalInput \
runId version"
is "version" "$(field '{version}')" 1
is "runId" "$(field '{runId}')" "$(cell "$("$CKRUN" sessions show failed)" run)"
is "lastCompletedIteration" "$(field '{lastCompletedIteration}')" 4
is "failurePoint" "$(field '{failurePoint}')" \
  '{"iteration":5,"phase":"tool","stage":"search_direct_flight"}'
is "originalInput" "$(field '{originalInput}{message}' | cut -c1-30)" \
  "Hello, I need to get to Portug"
is "history ends with the last whole round" "$(field '{history}[-1]{name}')" list_all_airports
ok "checkpointedAt is in milliseconds" test "$(field '{checkpointedAt}')" -gt 1600000000000

exits 0 "it is imported" sessions import "$dir/run.json" --resume-with "$flow" --session there
is "and its id printed" "$out" there
is "paused" "$(cell "$("$CKRUN" sessions show there)" status)" paused
is "in a run of its own" "$(test "$(cell "$("$CKRUN" sessions show there)" run)" = \
  "$(field '{runId}')"; echo $?)" 1
run --json sessions inspect there
is "its conversation is the history" "$(json "$out" \
  '[map { +{%$_, content => $_->{content} // ""} } @{$d->{conversation_states}{main}}]')" \
  "$(field '{history}')"
is "it stands at the next iteration" "$(json "$out" \
  '$d->{state}{"position.main"}{at}{path}')" 'agent#5'
has "the log says where it came from" "$("$CKRUN" --json sessions log there --kind note)" \
  "\"runId\":\"$(field '{runId}')\""
{ head -n 1 "$dir/whole.jsonl"; tail -n +11 "$dir/whole.jsonl"; } >"$dir/rest.jsonl"
exits 0 "it is resumed with what is left of the recording" resume there --cassette "$dir/rest.jsonl"
is "and completes" "$(cell "$out" status)" completed
is "having done the rest alone" "$(cell "$out" model_calls)" 12
conversation() { json "$("$CKRUN" --json sessions inspect "$1")" \
  '$d->{conversation_states}{main}'; }
is "with the same conversation as the whole" "$(conversation there)" "$(conversation whole)"
is "in a second run" "$("$CKRUN" --json sessions log there --kind session_resumed | \
  grep -c '"parent_run":"run_')" 1

# Turns continue or start again as the profile's rule says.
sed 's/flow.agent {/flow.agent { max_iterations = 6,/' "$flow" >"$dir/six.lua"
for rule in continue reset; do
  echo "return { name = '$rule', extends = 'default', resume = { rounds = '$rule' } }" \
    >"$dir/$rule.lua"
  run sessions import "$dir/run.json" --resume-with "$dir/six.lua" --session "$rule" --profile \
    "$dir/$rule.lua" --accept-changed
  begins=$([ $rule = continue ] && echo 5 || echo 1)
  has "$rule: it is said where it goes on" "$err" "it goes on at iteration $begins"
  is "$rule: and it does" "$(json "$("$CKRUN" --json sessions inspect $rule)" \
    '$d->{state}{"position.main"}{at}{path}')" "agent#$begins"
  run resume "$rule" --cassette "$dir/rest.jsonl"
  declare "turns_$rule=$("$CKRUN" --json sessions log "$rule" --kind boundary | \
    grep -cE '"kind":"(tool_round|loop_iteration)"')"
done
is "turns that continue leave two of six" "$turns_continue" 2
is "turns that start again leave six" "$turns_reset" 6

CKRUN_STORE=sqlite:$dir/empty.db exits 0 "an id is made when none is given" --json sessions import \
  "$dir/run.json" --resume-with "$flow"
ok "and told" grep -qE '^imported_run' <<<"$(json "$out" '$d->{session}')"
is "with the run it came from" "$(json "$out" '$d->{source_id} . " " . $d->{iteration}')" \
  "$(field '{runId}') 5"

refused 5 "the same id again" "there" sessions import "$dir/run.json" --resume-with "$flow" \
  --session there
# Whose conversation it is.
is "the document names the agent" "$(field '{agent}')" '{"id":"airline"}'
is "and the flow" "$(field '{flow}{name}')" flow.lua
refused 5 "a flow that is another" "--accept-changed goes on with it" sessions import \
  "$dir/run.json" --resume-with "$dir/six.lua" --session no
sed 's/name = "airline"/name = "railway"/' "$flow" >"$dir/railway.lua"
refused 5 "another agent" \
  "is that of agent airline, and railway is to go on with it: --accept-changed lets it" \
  sessions import "$dir/run.json" --resume-with "$dir/railway.lua" --session no
exits 0 "another agent that is accepted" sessions import "$dir/run.json" --resume-with \
  "$dir/railway.lua" --session railway --accept-changed
refused 2 "no flow to go on with" "--resume-with FLOW says which flow" sessions import \
  "$dir/run.json"
refused 2 "a flow that is not there" "nosuch" sessions import "$dir/run.json" --resume-with \
  "$dir/nosuch.lua"
echo 'return require("ck.flow").custom { name = "x", run = function() end }' >"$dir/custom.lua"
refused 2 "a flow that is no agent" "is a flow of kind custom" sessions import "$dir/run.json" \
  --resume-with "$dir/custom.lua"
refused 2 "a flow for another format" "are for checkpoints" sessions import \
  "$root/tests/lua/import/data/pi.jsonl" --resume-with "$flow"
perl -pe 's/,"lastCompletedIteration":4//' "$dir/run.json" >"$dir/lacks.json"
refused 2 "a field that is missing" \
  "$dir/lacks.json: missing required field: lastCompletedIteration" \
  sessions import "$dir/lacks.json" --resume-with "$flow" --session no
perl -pe 's/"version":1/"version":7/' "$dir/run.json" >"$dir/newer.json"
run sessions import "$dir/newer.json" --resume-with "$flow" --session no
has "another version" "$err" "$dir/newer.json: unsupported version 7: this program reads version 1"
echo '{"runId":"x","history":[' >"$dir/cut.json"
run sessions import "$dir/cut.json" --format run-checkpoint --resume-with "$flow" --session no
has "a document that is cut off" "$err" "$dir/cut.json: malformed JSON"
refused 3 "nothing was made of all these" "no" sessions show no

refused 5 "a run that did not fail" "is completed: a run checkpoint is made of a run that failed" \
  sessions export whole --format run-checkpoint
perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/' "$cassette" >"$dir/early.jsonl"
run run "$flow" --cassette "$dir/early.jsonl" --session early
refused 5 "a run that failed at once" "failed before it completed an iteration" sessions export \
  early --format run-checkpoint

# ---- a question in a branch is no failure ----
cat >"$dir/branches.lua" <<'LUA'
local flow = require "ck.flow"
local function fine() return 1 end
return flow.graph {
  name = "branches", start = "a",
  nodes = { a = fine, b = flow.ask { question = "Well?" }, c = fine, d = fine },
  edges = { a = { "b", "c" }, b = "d", c = "d", d = flow.done },
}
LUA
exits 8 "a branch asks" run "$dir/branches.lua" --session asking
exits 0 "it is exported" sessions export asking --format run-checkpoint
is "nothing has failed" "$(json "$out" 'exists $d->{failurePoint} ? 1 : 0')" 0
exits 3 "a checkpoint that is not there" sessions import "$dir/none.json" --resume-with flow.lua
is "is said to be none, and nothing else" "$err" "ckrun: $dir/none.json: there is no such file"
exits 3 "a recording that is not there" sessions import "$dir/none.json"
is "is said so, too" "$err" "ckrun: $dir/none.json: there is no such file"

finish
