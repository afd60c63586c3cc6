#!/bin/bash
# import_twice.t - a checkpoint becomes one session: a second import of the same document finds it,
# and makes another one only when a person gives it an id.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >agent.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "ann", prompt = "P" }
END
cat >rounds.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "r", orchestrator = flow.agent { name = "ann", prompt = "P" },
  agents = { bob = flow.agent { prompt = "Q" } } }
END
cat >steps.lua <<'END'
local flow = require "ck.flow"
return flow.steps { name = "w", steps = { { name = "one", run = function() return 1 end },
  { name = "two", run = flow.exec { argv = { "sh", "-c", "echo >>ran" } } } } }
END
cat >run.json <<'END'
{"version":1,"runId":"r","history":[{"role":"user","content":"Say \"a b\"."},
 {"role":"assistant","content":"a b"}],"lastCompletedIteration":1,
 "originalInput":{"message":"Say."},"checkpointedAt":1700000000000}
END
cat >loop.json <<'END'
{"schema_version":1,"run_id":"r","session_id":"s","turn":1,"messages":[
 {"role":"user","content":[{"type":"text","text":"Say."}]}],
 "total_usage":{"input_tokens":5,"output_tokens":6},"tool_calls_count":0,
 "verification_reports":[],"checkpoint_ms":1700000000000}
END
cat >session.json <<'END'
{"sessionId":"s","constraintState":{},"activeAgents":[],"roundsCompleted":1,
 "pendingDelegations":[],"transcriptReplayDepth":50,"createdAt":"2026-01-31T23:59:59.123Z"}
END
cat >workflow.json <<'END'
{"schema_version":1,"workflow_id":"w","steps":[{"task_id":"one","outcome":1}],
 "checkpoint_ms":1700000000000}
END

number() { "$CKRUN" --json sessions list | grep -c .; }
sessions=0
while read -r form flow; do
  exits 0 "$form" sessions import $form.json --resume-with $flow.lua
  id=$out
  refused 5 "$form: once more" "session $id (paused) was made of this document" \
    sessions import $form.json --resume-with $flow.lua
  has "$form: the way" "$err" "--session"
  sed 's/^ */   /; s/$/\r/' $form.json >spaced.json
  refused 5 "$form: indented otherwise" "session $id (paused) was made" \
    sessions import spaced.json --resume-with $flow.lua
  exits 0 "$form: deliberately" sessions import $form.json --resume-with $flow.lua \
    --session again-$form
  refused 5 "$form: under an id that is there" "again-$form" sessions import $form.json \
    --resume-with $flow.lua --session again-$form
  sessions=$((sessions + 2))
  is "$form: two sessions" "$(number)" $sessions
done <<'END'
run agent
loop agent
session rounds
workflow steps
END

# What it has become is found, whoever named it, and after it is over.
export CKRUN_STORE=sqlite:$dir/named.db
exits 0 "under an id of a person's" sessions import workflow.json --resume-with steps.lua \
  --session mine
exits 0 "it goes on to its end" resume mine
refused 5 "it is found, too" "session mine (completed) was made of this document" \
  sessions import workflow.json --resume-with steps.lua
is "its step has run once" "$(grep -c '' ran)" 1
sed 's/a b/ab/; s/"w"/"w "/' workflow.json >other.json
exits 0 "another document is another" sessions import other.json --resume-with steps.lua
# A blank within a text is part of it.
exits 0 "one text" sessions import run.json --resume-with agent.lua
sed 's/a b\\"/a  b\\"/' run.json >other.json
exits 0 "another text" sessions import other.json --resume-with agent.lua
finish
