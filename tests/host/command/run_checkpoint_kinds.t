#!/bin/bash
# run_checkpoint_kinds.t - a run checkpoint of every kind of flow: its history is valid for a
# provider, phase and stage are those of what was open; chains count on; documents of the original
# system are read.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
rules=$root/tests/host/command/chat_rules.pl
usage='"usage":{"input":1,"output":1}'

# provider NAME [EXTENDS]: serves the script on stdin, and writes the profile NAME.lua.
provider() {
  serve "$1"
  cat >"$1.lua" <<END
return { name = "test", extends = "${2:-default}", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 3, output = 15 } } } }
END
}

# given NAME SESSION ITERATIONS FAILURE: exported into SESSION.json, valid, with these fields.
given() {
  exits 0 "$1: it is given away" sessions export "$2" --format run-checkpoint -o "$2.json"
  document=$(cat "$2.json")
  is "$1: valid for a provider" "$(perl "$rules" <"$2.json")" ""
  is "$1: completed iterations" "$(json "$document" '$d->{lastCompletedIteration}')" "$3"
  is "$1: where it stopped" "$(json "$document" '$d->{failurePoint}')" "$4"
  ok "$1: it knows what was wanted" test -n "$(json "$document" '$d->{originalInput}{message}')"
}

# results: the tools' messages, "NAME=CONTENT".
results() {
  json "$document" \
    'join " ", map { $_->{role} eq "tool" ? "$_->{name}=$_->{content}" : () } @{$d->{history}}'
}

# ---- steps ----

# Those that do not need the failed step run to their end: s4 completes behind it.
cat >steps.flow.lua <<'END'
local flow = require "ck.flow"
local function say(what) return function() return what end end
return flow.steps { name = "four", parallel = 1, steps = {
  { name = "s1", run = say "one" },
  { name = "s2", run = say { n = 2 }, needs = { "s1" } },
  { name = "s3", run = flow.exec { argv = { "false" } }, needs = { "s2" } },
  { name = "s4", run = flow.exec { argv = { "echo", "four" } }, needs = { "s2" } },
} }
END
exits 1 "steps, of which one fails" run steps.flow.lua --session steps
given "steps" steps 3 '{"iteration":4,"phase":"tool","stage":"s3"}'
is "steps: each that completed is a call with its output" \
  "$(results | sed 's/s4=.*/s4/')" 's1=one s2={"n":2} s4'
is "steps: what was wanted is the flow" "$(json "$document" '$d->{originalInput}{message}')" \
  "Run the flow steps.flow."
is "steps: and said first" "$(json "$document" '$d->{history}[0]{content}')" \
  "Run the flow steps.flow."

# An optional step that failed is over, so it is one of the completed iterations; it is no success.
cat >optional.flow.lua <<'END'
local flow = require "ck.flow"
return flow.steps { parallel = 1, steps = {
  { name = "a", run = function() return "A" end },
  { name = "o", optional = true, run = flow.exec { argv = { "false" } } },
  { name = "c", run = flow.exec { argv = { "sh", "-c", "exit 2" } }, needs = { "o" } },
} }
END
exits 1 "an optional step fails, then another" run optional.flow.lua --session optional
given "an optional step" optional 2 '{"iteration":3,"phase":"tool","stage":"c"}'
is "its result is its error" "$(results)" "a=A o=Error: false: exit status 1"

cat >raising.flow.lua <<'END'
local flow = require "ck.flow"
return flow.steps { name = "raising", steps = {
  { name = "s1", run = function() return "one" end },
  { name = "s2", run = function() error("no") end, needs = { "s1" } },
} }
END
exits 1 "a step that raises an error" run raising.flow.lua --session raising --input '{"n":1}'
given "an error" raising 1 '{"iteration":2,"phase":"iteration","stage":"s2"}'
is "an error: an input that is no text is told as JSON" \
  "$(json "$document" '$d->{originalInput}{message}')" '{"n":1}'

# A fork of it goes on from there: it has not failed itself.
run sessions fork steps --session forked
given "a fork" forked 3 null

# Killed within a step: nothing was saved, and it is known all the same.
cat >dying.flow.lua <<'END'
local flow = require "ck.flow"
return flow.steps { name = "dying", steps = {
  { name = "s1", run = flow.exec { argv = { "echo", "one" } } },
  { name = "s2", run = flow.exec { class = "idempotent", argv = { "./die" } }, needs = { "s1" } },
} }
END
printf '#!/bin/sh\nkill -9 $PPID\n' >die
chmod +x die
exits 137 "a kill within a step" run dying.flow.lua --session dying --input '"Go."'
given "a kill" dying 1 '{"iteration":2,"phase":"tool","stage":"s2"}'
has "a kill: the step's output is known from its effect" "$(results)" '"stdout":"one\n"'

# ---- steps and graphs with agents ----

provider agents <<'END'
{"answer":{"text":"First words.","usage":{"input":1,"output":1}}}
{"status":500,"body":"oh","times":0}
END
cat >agents.flow.lua <<'END'
local flow = require "ck.flow"
return flow.steps { name = "agents", steps = {
  { name = "ask", run = flow.agent { name = "ann", prompt = "P", input = "Who?" } },
  { name = "tell", needs = { "ask" },
    run = flow.agent { name = "bob", prompt = "P", input = "What?" } },
} }
END
exits 8 "an agent of a step whose model fails" run agents.flow.lua --profile ./agents.lua \
  --session agents
given "agents in steps" agents 1 '{"iteration":2,"phase":"llm","stage":"tell"}'
has "agents in steps: what the first one said" "$(results)" "First words."
is "agents in steps: what it was asked first" \
  "$(json "$document" '$d->{originalInput}{message}')" "Who?"

provider graph <<'END'
{"answer":{"text":"B.","usage":{"input":1,"output":1}}}
{"status":500,"body":"oh","times":0}
END
cat >graph.flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a", nodes = {
    a = flow.lua(function(ctx) ctx.outputs.a = "A" end),
    b = flow.agent { name = "bee", prompt = "P", input = "Hum." },
    c = flow.agent { name = "cat", prompt = "P", input = "Purr." } },
  edges = { a = "b", b = "c", c = flow.done } }
END
exits 8 "a node whose model fails" run graph.flow.lua --profile ./graph.lua --session graph
given "a graph" graph 2 '{"iteration":3,"phase":"llm","stage":"c"}'
has "a graph: nodes are calls" "$(results)" 'a=A b='

# ---- a graph that asks a person ----

provider asks <<'END'
{"status":500,"body":"x"}
END
cat >asks.flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a", nodes = {
    a = flow.lua(function(ctx) ctx.outputs.a = "A" end),
    q = flow.ask { question = "Go on?" },
    c = flow.agent { name = "cat", prompt = "P", input = "Purr." } },
  edges = { a = "q", q = "c", c = flow.done } }
END
exits 8 "a node asks, and nobody is there" run asks.flow.lua --profile ./asks.lua --session asks
exits 0 "somebody answers" answer asks yes
exits 8 "the session goes on, and a model fails" resume asks
given "a graph that asks" asks 2 '{"iteration":3,"phase":"llm","stage":"c"}'
has "nodes are calls, the one that asked with its answer" "$(results)" 'a=A q=yes'

# ---- rounds ----

delegate='"name":"delegate","arguments":{"target":"ann","message"'
provider rounds <<END
{"answer":{"calls":[{$delegate:"Count."}}],$usage}}
{"answer":{"text":"One.",$usage}}
{"answer":{"calls":[{$delegate:"Go on."}}],$usage}}
{"status":500,"body":"oh","times":0}
END
cat >rounds.flow.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "r", rounds = 3,
  orchestrator = flow.agent { name = "chair", prompt = "P" },
  agents = { ann = flow.agent { prompt = "Q" } } }
END
exits 8 "rounds whose agent fails" run rounds.flow.lua --profile ./rounds.lua --session rounds \
  --input '"Decide."'
given "rounds" rounds 1 '{"iteration":2,"phase":"llm"}'
is "rounds: the history is the orchestrator's" "$(results)" "delegate=One."

provider asked <<'END'
{"answer":{"text":"One.","usage":{"input":1,"output":1}}}
{"status":500,"body":"oh","times":0}
END
cat >asked.flow.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "r", rounds = 3, agents = { ann = flow.agent { prompt = "Q" } },
  orchestrator = function(_, round, ask) ask { target = "ann", message = "Say " .. round } end }
END
exits 8 "rounds of a function" run asked.flow.lua --profile ./asked.lua --session asked
given "rounds of a function" asked 1 '{"iteration":2,"phase":"llm"}'
is "rounds of a function: a round is a call, its answers the result" "$(results)" "round=One."

# ---- results that are no texts ----

provider values <<END
{"answer":{"calls":[{"name":"number","arguments":{}},{"name":"table","arguments":{}},\
{"name":"fails","arguments":{}}],$usage}}
{"status":500,"body":"oh"}
{"answer":{"text":"Done.","usage":{"input":1,"output":1}}}
END
cat >values.flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "values", prompt = "P", tools = {
  number = flow.tool(function() return 42 end),
  table = flow.tool(function() return { n = { 1, 2 } } end),
  fails = flow.tool(function() error("no", 0) end) } }
END
run run values.flow.lua --profile ./values.lua --session values --input '"Go."'
given "results" values 1 '{"iteration":2,"phase":"llm"}'
is "results: each is a text" "$(results)" 'number=42 table={"n":[1,2]} fails=Error: no'

# ---- chains ----

cat >count.flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "counter", prompt = "Count.",
  tools = { count = flow.tool(function(_, given) return given.to end) } }
END
turn() {
  echo '{"turn":'$1',"answer":{"calls":[{"name":"count","arguments":{"to":'$1'}}],'$usage'}}'
}
broken='{"status":500,"body":"oh","times":0}'
for extends in default portable; do
  provider "$extends-a" $extends < <(turn 0; turn 1; echo "$broken")
  run run count.flow.lua --profile ./$extends-a.lua --session $extends-a --input '"Count."'
  given "$extends, the first" $extends-a 2 '{"iteration":3,"phase":"llm"}'
  provider "$extends-b" $extends < <(turn 2; echo "$broken")
  begins=$([ $extends = portable ] && echo 1 || echo 3)
  exits 0 "$extends: imported" sessions import $extends-a.json --resume-with count.flow.lua \
    --profile ./$extends-b.lua --session $extends-b
  has "$extends: it is said where it goes on" "$err" "it goes on at iteration $begins"
  run resume $extends-b
  is "$extends: there it began" "$("$CKRUN" --json sessions log $extends-b --kind intent | \
    grep -o 'main/agent#[0-9]*' | head -n 1)" "main/agent#$begins"
  given "$extends, the second" $extends-b 3 '{"iteration":4,"phase":"llm"}'
  is "$extends: three counts are in it" "$(results)" "count=0 count=1 count=2"
  # Fails at its first call: what it was given is still there to go on from.
  provider "$extends-c" $extends <<<"$broken"
  run sessions import $extends-b.json --resume-with count.flow.lua --profile ./$extends-c.lua \
    --session $extends-c
  run resume $extends-c
  given "$extends, the third" $extends-c 3 '{"iteration":4,"phase":"llm"}'
  is "$extends: nothing is lost" "$(results)" "count=0 count=1 count=2"
done

# ---- documents of the original system ----

cat >camel.json <<'END'
{"version":1,"runId":"run-7","history":[
  {"role":"user","content":"Count."},
  {"role":"assistant","content":"","toolCalls":[{"id":"t1","name":"count","args":{"to":1}},
    {"id":"t2","name":"count","args":{"to":2}}]},
  {"role":"tool","content":"1","toolCallId":"t1","toolName":"count"},
  {"role":"tool","content":"2","toolCallId":"t2","toolName":"count"},
  {"role":"assistant","content":"Two so far.","toolCalls":[]},
  {"role":"user","content":"Go on."}],
 "lastCompletedIteration":2,"originalInput":{"message":"Count."},"checkpointedAt":1700000000000,
 "failurePoint":{"iteration":3,"phase":"llm","stage":"call-llm"},"identity":{"conversationId":"c"}}
END
provider camel <<<'{"answer":{"text":"Three.","usage":{"input":1,"output":1}}}'
exits 0 "a document in camelCase" sessions import camel.json --resume-with count.flow.lua \
  --profile ./camel.lua --session camel
exits 0 "goes on" --json resume camel
is "to the end" "$(json "$out" '$d->{result}{text}')" "Three."
request=$(cat camel.log)
is "with the flow's prompt before it" "$(json "$request" \
  '$d->{body}{messages}[0]{role} . ": " . $d->{body}{messages}[0]{content}')" "system: Count."
is "its calls" "$(json "$request" \
  'join " ", map { my $f = $_->{function}; "$_->{id} $f->{name} $f->{arguments}" }
    @{$d->{body}{messages}[2]{tool_calls}}')" 't1 count {"to":1} t2 count {"to":2}'
is "and their results" "$(json "$request" \
  'join " ", map { "$_->{tool_call_id}=$_->{content}" } @{$d->{body}{messages}}[3, 4]')" 't1=1 t2=2'
is "all valid on the wire" "$(grep -c '"problem":"' camel.log)" 0
sed 's/,"toolCallId":"t2"//' camel.json >cut.json
refused 2 "a result that names no call" "cut.json: missing required field: history[3].toolCallId" \
  sessions import cut.json --resume-with count.flow.lua --profile ./camel.lua --session no
sed 's/{"role":"user","content":"Count."}/{"role":"user"}/' camel.json >cut.json
refused 2 "a message without content" "cut.json: missing required field: history[0].content" \
  sessions import cut.json --resume-with count.flow.lua --profile ./camel.lua --session no

# A prompt that is made as the flow runs; and a last word that nobody here answers.
sed 's/prompt = "Count."/prompt = function() return "Count, please." end/' count.flow.lua \
  >made.flow.lua
sed '/"Go on."/d; s/"toolCalls":\[\]},/"toolCalls":[]}],/' camel.json >spoken.json
provider made <<<'{"answer":{"text":"Three.","usage":{"input":1,"output":1}}}'
exits 0 "a document that ends with the assistant's words" sessions import spoken.json \
  --resume-with made.flow.lua --profile ./made.lua --session made
exits 0 "goes on with the model" --json resume made
has "and the prompt is there" "$(cat made.log)" '{"role":"system","content":"Count, please."}'
finish
