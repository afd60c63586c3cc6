#!/bin/bash
# asked_otherwise.t - an answer, and what a person has settled, counts for the question and the
# action that it was given to: a flow that was changed since asks anew, and tells what it dropped.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# flow QUESTION OPTIONS: asks, and does it.
flow() {
  cat >flow.lua <<E
local flow = require "ck.flow"
return flow.graph { start = "a", nodes = {
  a = flow.ask { question = "$1", options = { $2 }, writes = "said" },
  b = flow.exec { argv = { "sh", "-c", "echo x >>ran" }, class = "once" } },
  edges = { a = "b", b = flow.done } }
E
}
# said SESSION: what its flow was answered.
said() {
  "$CKRUN" sessions inspect "$1" 2>&1 | sed -n 's/^memory.said\t[0-9]*\t//p' | tr -d '"'
}
both='"yes", "no"'
told="the answer yes, of $(id -un) on $(uname -n), ckrun answer, does not count"
given="$told: it was given to \"Delete the test data?\""

# ---- a question in other words ----
flow "Delete the test data?" "$both"
exits 8 "a session that asks" run flow.lua --session s
exits 0 "is answered" answer s yes
flow "Delete ALL data?" "$both"
exits 0 "the dry run" resume s --dry-run --accept-changed
has "says which question its answer was given to" "$out" "replay: Delete the test data?"
exits 8 "another question under the same key is put" resume s --accept-changed
has "and the old answer told" "$err" "waits for a human: Delete ALL data? ($given)"
is "nothing has run" "$(cat ran 2>/dev/null)" ""
exits 0 "show" --json sessions show s
is "has the answer that was dropped" \
  "$(json "$out" 'join "|", @{$d->{questions}[0]{dropped}}{qw(question answer)}')" \
  "Delete the test data?|yes"
exits 0 "answer" answer s
has "tells it" "$out" "$given"
line=$("$CKRUN" sessions log s | grep session_resumed | tail -1)
has "the log says that the run did not go on by it" "$line" "did not count"
exits 8 "it stays so" resume s
has "and is told again" "$err" "Delete ALL data?"
exits 0 "the new answer" answer s no
exits 0 "counts" resume s
is "as it was given" "$(said s)" no

# ---- other answers to choose from ----
rm -f ran
flow "Delete the test data?" "$both"
run run flow.lua --session o
exits 0 "answered" answer o yes
flow "Delete the test data?" '"yes", "no", "ask the owner"'
exits 8 "with other answers to choose from it is put anew" resume o --accept-changed
has "which is told" "$err" "$told"
run answer o yes
exits 0 "and answered" resume o
is "once" "$(said o) $(cat ran)" "yes x"

# ---- what has not changed is not asked again ----
rm -f ran
flow "Delete the test data?" "$both"
run run flow.lua --session same
run answer same yes
echo "-- another line" >>flow.lua
exits 0 "the same question in a flow that was changed elsewhere" resume same --accept-changed
is "takes its answer" "$(said same) $(cat ran)" "yes x"
is "nothing is told as dropped" "$("$CKRUN" sessions log same --all | grep -c 'not count')" 0

# ---- an answer that a run had taken ----
rm -f ran
flow "Delete the test data?" "$both"
run run flow.lua --session taken
run answer taken yes
sed -i 's/echo x/exit 3; echo x/' flow.lua
exits 1 "a session that fails behind its answer" resume taken --accept-changed
first=$("$CKRUN" --json sessions checkpoints taken | grep -o 'checkpoint_[0-9a-z_]*' | head -1)
flow "Delete ALL data?" "$both"
exits 8 "back at the question, in other words" resume taken --checkpoint "$first" --accept-changed
has "the taken answer is told as dropped" "$err" \
  'the answer yes does not count: it was given to "Delete the test data?")'

# ---- what a person has settled ----
# doubted SESSION VERDICT: an action of unknown outcome, settled, before its flow does another one.
doubted() {
  rm -f ran
  action 'echo old >>ran; kill -9 $PPID'
  exits 137 "killed in an action" run act.lua --session "$1"
  exits 75 "it is in doubt" resume "$1"
  exits 0 "and settled: $2" resolve "$1" main/b#1/exec/1 "$2"
  action 'echo new >>ran'
}
action() {
  echo "return require 'ck.flow'.graph { start = 'b', nodes = { b = require 'ck.flow'.exec {" \
    "argv = { 'sh', '-c', '$1' }, class = 'once' } }, edges = { b = require 'ck.flow'.done } }" \
    >act.lua
}
doubted done done
exits 1 "what is settled as done is no other action that was done" resume done --accept-changed
has "which the error says" "$err" "main/b#1/exec/1"
is "nor is that begun" "$(cat ran)" old
exits 75 "a resume behind that asks" resume done
has "whether the one stands for the other" "$err" "another request was carried out"
exits 0 "as well" resolve done main/b#1/exec/1 retry
exits 0 "it is made once that is said" resume done
is "once" "$(cat ran)" "old
new"
doubted again retry
exits 0 "what is to be made again may be another one" resume again --accept-changed
is "which is made" "$(cat ran)" "old
new"

# ---- an answer to a limit ----
# limits CONSTRAINTS
limits() {
  cat >limits.lua <<E
return { name = "limits", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { $1, on_limit = "ask" }, models = { default = { api = "openai",
    base_url = "$(base_url openai)", model = "mine", key = "main", retries = 0, stream = false,
    max_tokens = 100, price = { input = 3, output = 15 } } } }
E
}
serve limited <<'E'
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}},"times":0}
E
echo 'return require "ck.flow".agent { name = "one", prompt = "Answer.",
  tools = { look = require "ck.flow".tool(function() return "nothing" end, {}) } }' >agent.lua
limits 'model_calls = 1'
exits 8 "a person is asked at a limit" run agent.lua --profile ./limits.lua --session l \
  --input '"?"'
has "of calls" "$err" "model_calls: 1 of 1 spent"
run answer l 50
limits 'model_calls = 9, budget_usd = 0.004'
exits 8 "where another limit is in the way since" resume l
has "that is asked about" "$err" "budget: \$0.00375 of \$0.004 spent"
has "and the answer to the other told" "$err" "the answer 50, of"
is "no dollars were made of it" "$("$CKRUN" sessions inspect l 2>&1 | grep -c 'limit\.')" 0
is "no call is made" "$(requests limited)" 1
run answer l 0.015
exits 8 "its own answer" resume l
is "counts" "$(requests limited)" 2
finish
