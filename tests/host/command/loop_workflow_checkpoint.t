#!/bin/bash
# loop_workflow_checkpoint.t - an agent's loop and the steps of a workflow leave as documents and go
# on elsewhere: what is complete is not done again, what was spent counts on, runs know whose they
# continue; documents of a newer schema are refused and left as they are.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
at() { export CKRUN_STORE=sqlite:$dir/$1.db; } # a store of its own: another machine

# provider NAME [CONSTRAINTS]: serves the script on stdin, and writes the profile NAME.lua.
provider() {
  serve "$1"
  cat >"$1.lua" <<PROFILE
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { ${2:-} },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 3, output = 15 } } } }
PROFILE
}
pick() { json "$document" "$1"; }

# changed EXPRESSION: the document with this change to $d.
changed() {
  perl -MJSON::PP -e 'my $j = JSON::PP->new->utf8->canonical; my $d = $j->decode($ARGV[0]);
    eval $ARGV[1]; die $@ if $@; print $j->encode($d)' "$document" "$1"
}

# ---- a loop ----

cat >count.flow.lua <<'FLOW'
local flow = require "ck.flow"
return flow.agent { name = "counter", prompt = "You count.", tools = {
  count = flow.tool(function(_, given) return { at = given.to } end) } }
FLOW
call() { echo '{"name":"count","arguments":{"to":'"$1"'}}'; }
at here
provider a <<END
{"answer":{"calls":[$(call 1)],"usage":{"input":10,"output":5}}}
{"answer":{"text":"Two more.","calls":[$(call 2),$(call 3)],"usage":{"input":20,"output":6}}}
{"status":500,"body":"oh","times":0}
END
exits 8 "a loop stops in its third turn" run count.flow.lua --profile ./a.lua --session here \
  --input '"Count."'
exits 0 "it is given away" sessions export here --format loop-checkpoint -o loop.json
document=$(cat loop.json)
run --json sessions show here
first=$(json "$out" '$d->{runs}[0]{run}')
is "its schema" "$(pick '$d->{schema_version}')" 1
is "its run and session" "$(pick '"$d->{run_id} $d->{session_id}"')" "$first here"
is "a first run has no parent" "$(pick '$d->{parent_run_id}')" null
is "the turns that are complete" "$(pick '$d->{turn}')" 2
is "tokens" "$(pick '"$d->{total_usage}{input_tokens} $d->{total_usage}{output_tokens}"')" "30 11"
is "money: 30 x 3 and 11 x 15 millionths" \
  "$(pick 'sprintf "%.6f", $d->{total_usage}{cost_usd}')" 0.000255
is "tool calls" "$(pick '$d->{tool_calls_count}')" 3
is "no verification reports" "$(pick '$d->{verification_reports}')" "[]"
ok "when" test "$(pick '$d->{checkpoint_ms} > 1700000000000 ? 1 : 0')" = 1
is "who speaks, in blocks" \
  "$(pick 'join " ", map { "$_->{role}:" . join ",", map { $_->{type} } @{$_->{content}} }
    @{$d->{messages}}')" \
  "system:text user:text assistant:tool_use user:tool_result assistant:text,tool_use,tool_use \
user:tool_result,tool_result"
is "a call's input is an object" "$(pick '$d->{messages}[4]{content}[2]{input}')" '{"to":3}'
is "each result names its call" \
  "$(pick '$d->{messages}[5]{content}[1]{tool_use_id} eq $d->{messages}[4]{content}[2]{id}
    ? "yes" : "no"')" yes
is "and is what the tool gave" "$(pick '$d->{messages}[5]{content}[1]{content}')" '{"at":3}'

at there
provider b <<END
{"answer":{"calls":[$(call 4)],"usage":{"input":40,"output":7}}}
{"status":500,"body":"oh","times":0}
END
exits 0 "it is imported elsewhere" sessions import loop.json --resume-with count.flow.lua \
  --profile ./b.lua --session there
has "it is said where it goes on" "$err" "it goes on at iteration 3 with: ckrun resume there"
exits 8 "it goes on, and stops again" resume there
is "in the turn after" "$("$CKRUN" --json sessions log there --kind intent |
  grep -o 'main/agent#[0-9]*' | head -n 1)" "main/agent#3"
request=$(head -n 1 b.log)
is "the model is asked with all that was said" \
  "$(json "$request" 'join " ", map { $_->{role} } @{$d->{body}{messages}}')" \
  "system user assistant tool assistant tool tool"
is "the results as they were" "$(json "$request" \
  'join " ", map { $_->{role} eq "tool" ? $_->{content} : () } @{$d->{body}{messages}}')" \
  '{"at":1} {"at":2} {"at":3}'
is "each call is answered, on the wire" "$(grep -c '"problem":"' b.log)" 0
run --json sessions show there
is "tokens and calls are carried forward" "$(json "$out" \
  'my $t = $d->{totals}; "$t->{input_tokens} $t->{output_tokens} $t->{tool_calls}"')" "70 18 4"
is "runs are fresh, each with the one before as its parent" \
  "$(json "$out" 'my @r = @{$d->{runs}};
    join " ", $r[0]{parent_run} eq "'"$first"'", $r[1]{parent_run} eq $r[0]{run},
      $r[0]{run} ne "'"$first"'", $r[1]{run} ne $r[0]{run}')" "1 1 1 1"
imported=$(json "$out" '$d->{runs}[0]{run}') last=$(json "$out" '$d->{runs}[1]{run}')
exits 0 "it is given away again" sessions export there --format loop-checkpoint -o again.json
document=$(cat again.json)
is "with the lineage" "$(pick '"$d->{run_id} $d->{parent_run_id}"')" "$last $imported"
is "cumulative" "$(pick 'my $u = $d->{total_usage};
  "$d->{turn} $u->{input_tokens} $u->{output_tokens} $d->{tool_calls_count}"')" "3 70 18 4"

at limited
provider c 'tool_calls = 4' <<<"{\"answer\":{\"calls\":[$(call 5)],\
\"usage\":{\"input\":1,\"output\":1}}}"
exits 0 "under a limit that is used up" sessions import again.json --resume-with count.flow.lua \
  --profile ./c.lua --session limited
exits 8 "no further tool is called" resume limited
has "and why is told" "$err" "tool_calls"
provider d 'budget_usd = 0.0004' <<<'{"answer":{"text":"no","usage":{"input":1,"output":1}}}'
exits 0 "and one of money" sessions import again.json --resume-with count.flow.lua \
  --profile ./d.lua --session poor
exits 8 "what was spent elsewhere counts" resume poor
ok "nothing was asked" test ! -s d.log

# ---- a workflow ----

cat >steps.flow.lua <<'FLOW'
local flow = require "ck.flow"
local function count(what) return flow.exec { argv = { "sh", "-c",
  "echo " .. what .. " >>ran; echo " .. what } } end
return flow.steps { name = "w", parallel = 1, steps = {
  { name = "late", run = function(_, needs) return { had = needs.broken.stdout } end,
    needs = { "broken" } },
  { name = "one", run = count "one" },
  { name = "two", run = function(ctx) return { big = 9007199254740993, list = ctx.memory.list,
    none = ctx.input.text } end, needs = { "one" } },
  { name = "nothing", run = function() end, needs = { "two" } },
  { name = "may", run = flow.exec { argv = { "sh", "-c", "echo may >>ran; test -e good" } },
    optional = true, needs = { "nothing" } },
  { name = "broken", run = flow.exec { argv = { "sh", "-c",
    "echo broken >>ran; test -e good && echo mended" } }, needs = { "may" } },
} }
FLOW
at here
rm -f ran
exits 1 "a workflow whose fifth step fails" run steps.flow.lua --session w \
  --input '{"text":"t"}' --set 'list=[1,2]'
is "these have run" "$(tr '\n' ' ' <ran)" "one may broken "
exits 0 "it is given away" sessions export w --format workflow-checkpoint -o steps.json
document=$(cat steps.json)
is "its schema and id" "$(pick '"$d->{schema_version} $d->{workflow_id}"')" "1 w"
is "what is complete, in its order; not what failed, also where it may" \
  "$(pick 'join " ", map { $_->{task_id} } @{$d->{steps}}')" "one two nothing"
is "an outcome is the step's own" "$(pick '$d->{steps}[1]{outcome}')" \
  '{"big":9007199254740993,"list":[1,2],"none":"t"}'
is "none is null" "$(pick 'exists $d->{steps}[2]{outcome} ? $d->{steps}[2]{outcome} : "?"')" null
ok "when" test "$(pick '$d->{checkpoint_ms} > 1700000000000 ? 1 : 0')" = 1
run --json sessions show w
first=$(json "$out" '$d->{runs}[0]{run}')
is "whose" "$(pick '"$d->{run_id}"')" "$first"
outcomes=$(pick '[map { [$_->{task_id}, $_->{outcome}] } @{$d->{steps}}]')

at there
rm -f ran
touch good
exits 0 "it is imported elsewhere" --json sessions import steps.json \
  --resume-with steps.flow.lua --session w
is "it is said what it is" "$(json "$out" '"$d->{format} $d->{source_id} $d->{step}"')" \
  "workflow-checkpoint w 4"
exits 0 "before it goes on, it is given away again" sessions export w \
  --format workflow-checkpoint -o copy.json
document=$(cat copy.json)
is "unchanged and in its order" \
  "$(pick '[map { [$_->{task_id}, $_->{outcome}] } @{$d->{steps}}]')" "$outcomes"
is "with the run that it came from as its parent" "$(pick '$d->{parent_run_id}')" "$first"
exits 0 "it goes on" --json resume w
is "only the rest has run, and what failed" "$(tr '\n' ' ' <ran)" "may broken "
is "in its results are the outcomes that it was given" \
  "$(json "$out" 'my %r = map { $_->{step} => $_->{result} } @{$d->{result}};
    [map { $r{$_} } qw(two nothing late)]')" \
  '[{"big":9007199254740993,"list":[1,2],"none":"t"},null,{"had":"mended\n"}]'
exits 0 "a completed one is given away, too" sessions export w --format workflow-checkpoint \
  -o all.json
document=$(cat all.json)
is "with everything" "$(pick 'join " ", map { $_->{task_id} } @{$d->{steps}}')" \
  "one two nothing may broken late"
at whole
rm ran
exits 0 "and imported" sessions import all.json --resume-with steps.flow.lua --session w
exits 0 "has nothing left to run" --json resume w
ok "nothing ran" test ! -e ran
is "and gives the same" "$(json "$out" '$d->{result}[0]{result}{had}')" "mended"

# A document of another program has no more than the original fields.
at foreign
cat >foreign.json <<'DOC'
{"schema_version":1,"workflow_id":"nightly","steps":[
  {"task_id":"one","outcome":{"Completed":{"stdout":"uno\n","score":1.50}}}],
 "checkpoint_ms":1700000000000}
DOC
cat >foreign.flow.lua <<'FLOW'
local flow = require "ck.flow"
return flow.steps { name = "w", steps = { { name = "one", run = function() error("again") end },
  { name = "two", run = function(_, needs) return needs.one.Completed.stdout end,
    needs = { "one" } } } }
FLOW
exits 0 "another program's" sessions import foreign.json --resume-with foreign.flow.lua \
  --session f
has "and it is said what is left" "$err" "1 step is complete; the others run with: ckrun resume f"
exits 0 "goes on" --json resume f
is "with its outcome" "$(json "$out" '$d->{result}[1]{result}')" "$(printf 'uno\n')"
cat >loop2.json <<'DOC'
{"schema_version":1,"run_id":"an id / of theirs","session_id":"s","turn":1,"messages":[
  {"role":"user","content":[{"type":"text","text":"Count."}]},
  {"role":"assistant","content":[{"type":"text","text":"Well."},
    {"type":"tool_use","id":"t1","name":"count","input":{"to":1}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",
      "content":[{"type":"text","text":"at one"}]},{"type":"text","text":"Go on."}]}],
 "total_usage":{"input_tokens":5,"output_tokens":6},"tool_calls_count":9,
 "verification_reports":[],"checkpoint_ms":1700000000000}
DOC
provider e <<<'{"answer":{"text":"Done.","usage":{"input":1,"output":1}}}'
exits 0 "another program's loop" sessions import loop2.json --resume-with count.flow.lua \
  --profile ./e.lua --session l
exits 0 "goes on" --json resume l
is "to its end" "$(json "$out" '$d->{result}{text}')" "Done."
is "its words and results in order, behind the prompt" "$(json "$(head -n 1 e.log)" \
  'join "|", map { "$_->{role}=" . ($_->{content} // "") } @{$d->{body}{messages}}')" \
  "system=You count.|user=Count.|assistant=Well.|tool=at one|user=Go on."
run --json sessions show l
is "what it had spent counts on" "$(json "$out" \
  'my $t = $d->{totals}; "$t->{input_tokens} $t->{output_tokens} $t->{tool_calls}"')" "6 7 9"

# ---- refusals ----

import_w() { refused "$1" "$2" "$3" sessions import x.json --resume-with steps.flow.lua; }
document=$(cat steps.json)
changed '$d->{schema_version} = 2' >x.json
cp x.json y.json
import_w 2 "a workflow of a newer schema" "x.json: schema_version 2 is newer than 1"
ok "is left as it is" cmp -s x.json y.json
for field in workflow_id steps checkpoint_ms; do
  changed "delete \$d->{$field}" >x.json
  import_w 2 "without $field" "missing required field: $field"
done
changed 'delete $d->{steps}[1]{outcome}' >x.json
import_w 2 "without an outcome" "missing required field: steps[1].outcome"
changed '$d->{steps}[1]{task_id} = "one"' >x.json
import_w 2 "a step that is there twice" "field steps[1].task_id is that of another step"
changed '$d->{steps}[1]{task_id} = "other"' >x.json
import_w 5 "a step that the flow lacks" 'has no step "other", which the document has'
refused 5 "another flow" "has no step" sessions import steps.json \
  --resume-with foreign.flow.lua --accept-changed
echo "-- changed" >>steps.flow.lua
refused 5 "a changed flow" "has changed since: --accept-changed" sessions import steps.json \
  --resume-with steps.flow.lua
exits 0 "is accepted by name" sessions import steps.json --resume-with steps.flow.lua \
  --accept-changed --session accepted
refused 2 "a workflow needs steps" "a workflow checkpoint is gone on with by a flow.steps" \
  sessions import steps.json --resume-with count.flow.lua
refused 2 "and a flow" "--resume-with FLOW says which" sessions import steps.json
document=$(cat loop.json)
import_l() {
  refused "$1" "$2" "$3" sessions import x.json --resume-with count.flow.lua --profile ./e.lua
}
changed '$d->{schema_version} = 7' >x.json
import_l 2 "a loop of a newer schema" "x.json: schema_version 7 is newer than 1"
changed '$d->{schema_version} = 0' >x.json
import_l 2 "of none" "field schema_version must be a whole number from 1"
for field in run_id session_id turn messages total_usage tool_calls_count checkpoint_ms; do
  changed "delete \$d->{$field}" >x.json
  import_l 2 "without $field" "missing required field: $field"
done
changed '$d->{total_usage}{input_tokens} = -1' >x.json
import_l 2 "a usage below nothing" "field total_usage.input_tokens must be a whole number"
changed 'delete $d->{messages}[3]{content}[0]{tool_use_id}' >x.json
import_l 2 "a result of no call" "missing required field: messages[3].content[0].tool_use_id"
changed '$d->{agent}{id} = "other"' >x.json
import_l 5 "of another agent" "the conversation is that of agent other"
refused 2 "a loop needs an agent" "a loop checkpoint is gone on with by a flow.agent" \
  sessions import loop.json --resume-with steps.flow.lua
at here
refused 5 "steps are no loop" "--format workflow-checkpoint" sessions export w \
  --format loop-checkpoint
refused 5 "a loop is no workflow" "session here has completed no step" sessions export here \
  --format workflow-checkpoint
finish
