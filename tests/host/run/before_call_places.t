#!/bin/bash
# before_call_places.t - a checkpoint before calls in the scope of an agent that was asked, with a
# tail, beside effects that the flow asked for at the same place, and as a document: it ends with
# the last turn that is complete.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

for name in count count_kill; do cp "$CKRUN_BUILD/tests/crash/tool_count" $name; done
# profile NAME POLICIES [MORE]
profile() {
  cat >"$1.profile.lua" <<END
return { name = "$1", secrets = { main = "env:MODEL_KEY" }, policies = { $2 }, ${3:-}
  models = { default = { api = "${api:-openai}", base_url = "$(base_url "${api:-openai}")",
    key = "main", model = "mine", retries = 0, stream = false } } }
END
}
first_id() {
  json "$("$CKRUN" --json sessions checkpoints "$1" --kind "$2" | head -n 1)" '$d->{id}'
}
status() { json "$("$CKRUN" --json sessions show "$1")" '$d->{status}'; }
made() { grep -cx "$1" count.log; }
# log SESSION EXPRESSION: of each event $e, $b its body, what is not empty.
log() {
  "$CKRUN" --json sessions log "$1" --all | EXPRESSION=$2 perl -MJSON::PP -ne '
    our $e = JSON::PP->new->decode($_);
    our $b = $e->{body};
    my $v = eval $ENV{EXPRESSION};
    die $@ if $@;
    print "$v\n" if $v ne ""'
}

# ---- an agent that was asked ----

cat >asked.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  rounds = 1,
  orchestrator = function(_, _, ask) return ask { target = "ann", message = "Send it." } end,
  agents = { ann = flow.agent { prompt = "A.", tools = {
    send = flow.command { argv = { "./count_kill" } },
  } } },
}
END
serve asked <<'END'
{"turn":0,"answer":{"calls":[{"name":"send","arguments":{"n":1}}]},"times":0}
{"turn":1,"answer":{"text":"Sent."},"times":0}
END
profile asked '"before_effect"'
exits 0 "an agent that was asked calls" run asked.lua --profile ./asked.profile.lua --session asked
key=$(log asked '$e->{kind} eq "intent" && $b->{kind} eq "tool" ? $b->{key} : ""')
is "in its scope, at its own place" "$key" "main.agent.ann@start/start/tool/1"
exits 0 "a fork from before that" --json sessions fork asked --session fork \
  --checkpoint "$(first_id asked before_call)"
is "asks about it" "$(json "$out" 'join " ", map { $_->{effect} } @{$d->{asks_about}}')" "$key"
asked=$(requests asked)
exits 75 "and does not run it" resume fork
is "nor asks the model" "$(made "$key") $(($(requests asked) - asked))" "1 0"
exits 0 "told that it is done" resolve fork "$key" done --result '"counted 1"'
exits 0 "it goes on" resume fork
is "with what came of it" "$(made "$key") $(status fork)" "1 completed"

# ---- the tail, in either form of messages ----

cat >mail.lua <<'END'
local flow = require "ck.flow"
return flow.agent {
  name = "ann", prompt = "Send it.",
  tools = { send = flow.command { argv = { "./count_kill" } } },
}
END
for api in openai anthropic; do
  serve "tail_$api" <<'END'
{"answer":{"calls":[{"name":"send","arguments":{"n":1}}]}}
{"answer":{"text":"Sent."}}
END
  profile "tail_$api" '"before_effect"' 'resume_context = "tail",'
  touch kill
  rm -f count.log
  exits 137 "$api: killed in a call" run mail.lua --profile "./tail_$api.profile.lua" \
    --session "tail_$api" --input '"Send it to Bob."'
  exits 75 "$api: in doubt" resume "tail_$api"
  exits 0 "$api: settled" resolve "tail_$api" main/start/tool/1 done --result '"counted 1"'
  exits 0 "$api: resumed with the tail" resume "tail_$api"
  is "$api: the agent is told, in its next turn, what the call came to" \
    "$(json "$(tail -n 1 "tail_$api.log")" 'join " ", $d->{problem} // "fits",
      (grep { JSON::PP->new->encode($_) =~ /counted 1/ } @{$d->{body}{messages}}) ? "told" : "",
      scalar(grep { $_->{role} eq "assistant" } @{$d->{body}{messages}})')" "fits told 0"
  is "$api: it was made once" "$(made main/start/tool/1) $(status "tail_$api")" "1 completed"

  # A rewind with a report, in this form of messages.
  serve "back_$api" <<'END'
{"turn":0,"answer":{"calls":[{"name":"send","arguments":{"n":1}}]},"times":0}
{"turn":1,"answer":{"text":"Sent."},"times":0}
END
  profile "back_$api" '"before_effect"'
  touch kill
  rm -f count.log
  exits 137 "$api: another is killed in a call" run mail.lua --profile "./back_$api.profile.lua" \
    --session "back_$api" --input '"Send it to Bob."'
  exits 0 "$api: rewound to before it" sessions rewind "back_$api" --to first --report "Leave it."
  exits 0 "$api: it goes on" resume "back_$api"
  is "$api: the provider takes calls with answers, and the report" \
    "$(json "$(tail -n 1 "back_$api.log")" '$d->{problem} // "fits"') $(made main/start/tool/1)" \
    "fits 1"
done
api=openai

# ---- effects of the flow at the same place ----

cat >places.lua <<'END'
local flow = require "ck.flow"
local function count(ctx, class)
  local ran = ctx.effect { kind = "exec", class = class,
    request = { argv = { "./count_kill" }, stdin = "{\"n\":1}\n" } }
  return ran.result and ran.result.stdout or ran.error
end
return flow.agent {
  name = "ann",
  prompt = function(ctx) return "Prompt: " .. count(ctx, "pure") end,
  tools = { run = flow.tool(function(ctx) return count(ctx, "once") end) },
}
END
serve places <<'END'
{"turn":0,"answer":{"calls":[{"name":"run","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Ran."},"times":0}
END
cat >kill_later.lua <<'END'
return { name = "kill_later", version = 1, options = { risky = { "run" } },
  checkpoint = function(at) return at.kind == "before_call" end }
END
profile places '"./kill_later.lua"'
rm -f count.log kill
exits 0 "a function that is called, beside what the prompt asked for" run places.lua \
  --profile ./places.profile.lua --session places
is "has a key of its own" "$(paste -sd' ' count.log)" "main/start/exec/1 main/start/exec/2"
exits 0 "a fork from before the call" --json sessions fork places --session other \
  --checkpoint "$(first_id places before_call)"
is "asks about what the function has begun" \
  "$(json "$out" 'join " ", map { $_->{effect} } @{$d->{asks_about}}')" main/start/exec/2
exits 75 "in doubt of that, and not of what was before the call" resume other
has "by its key" "$err" main/start/exec/2
exits 0 "told to run it" resolve other main/start/exec/2 retry
exits 0 "it goes on" resume other
is "and runs that alone" "$(paste -sd' ' count.log) $(status other)" \
  "main/start/exec/1 main/start/exec/2 main/start/exec/2 completed"

# ---- a session that had no such boundary when its agent delegated ----

cat >team.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  orchestrator = flow.agent { name = "lead", prompt = "Lead.", input = "Go." },
  agents = { ann = flow.agent { prompt = "A.", tools = {
    look = flow.command { argv = { "./count" }, class = "pure" },
    send = flow.command { argv = { "./count_kill" } },
  } } },
}
END
serve team <<'END'
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"ann","message":"Send it."}}]}}
{"answer":{"calls":[{"name":"look","arguments":{"n":1}}]}}
{"answer":{"calls":[{"name":"send","arguments":{"n":2}}]}}
{"answer":{"text":"Sent."}}
{"answer":{"calls":[{"name":"finish","arguments":{"result":"over"}}]}}
END
profile team '"tool_rounds"'
touch kill
rm -f count.log
exits 137 "killed in a delegation" run team.lua --profile ./team.profile.lua --session team
profile team '"tool_rounds", { "smart", classes = {}, risky = { "delegate" } }'
exits 75 "resumed under a policy that names delegations" resume team --accept-changed
is "they have a checkpoint, as their answer is replayed" \
  "$(log team '$e->{kind} eq "boundary" && $e->{scope} eq "main" ? $b->{kind} : ""' |
    paste -sd' ')" before_call
exits 75 "and resumed once more" resume team --accept-changed
send=$(grep tool/1 count.log | tail -n 1)
exits 0 "the call is settled" resolve team "$send" done --result '"counted 2"'
exits 0 "the agent that was asked goes on where it was" resume team \
  --accept-changed
is "nothing was asked or done again" "$(requests team) $(sort count.log | uniq -d | wc -l) $(
  status team)" "5 0 completed"

# ---- documents ----

cat >broken.lua <<'END'
return { name = "broken", version = 1, options = { classes = { "pure" } },
  checkpoint = function() error("no answer", 0) end }
END
cat >turns.lua <<'END'
local flow = require "ck.flow"
return flow.agent {
  name = "ann", prompt = "Look.",
  tools = { look = flow.command { argv = { "./count_kill" }, class = "pure" } },
}
END
serve turns <<'END'
{"turn":0,"answer":{"calls":[{"name":"look","arguments":{"n":1}}]},"times":0}
{"turn":1,"answer":{"calls":[{"name":"look","arguments":{"n":2}}]},"times":0}
{"turn":2,"answer":{"text":"Seen."},"times":0}
END
profile turns '"./broken.lua"'
run run turns.lua --profile ./turns.profile.lua --session turns --input '"Look twice."'
is "three failures in a row pause it before the second turn's calls" \
  "$(status turns) $(log turns '$e->{kind} eq "boundary" ? $b->{kind} : ""' | paste -sd' ')" \
  "paused before_call tool_round before_call pause"
is "the position that is kept holds the call" "$(json "$("$CKRUN" --json sessions inspect turns)" \
  'my $at = $d->{state}{"position.main"}{at};
   join " ", $at->{path}, $at->{next}, map { "$_->{tool} $_->{class}" } @{$at->{calls}}')" \
  "agent#2 calls look pure"
exits 0 "a run checkpoint of it" sessions export turns --format run-checkpoint
is "ends with the turn that is complete" "$(json "$out" 'join " ", $d->{lastCompletedIteration},
  map { $_->{role} } @{$d->{history}}')" "1 system user assistant tool"
exits 0 "so does a loop checkpoint" sessions export turns --format loop-checkpoint
is "with its messages alone" "$(json "$out" 'join " ", $d->{turn},
  map { $_->{role} } grep { $_->{role} ne "system" } @{$d->{messages}}')" "1 user assistant user"
exits 0 "in a file" sessions export turns --format run-checkpoint -o run.json
exits 0 "that is imported" sessions import run.json --resume-with turns.lua --session there \
  --profile ./turns.profile.lua
touch kill
exits 137 "and killed in its first call there" resume there
is "behind an answer" "$(log there '$e->{kind} eq "boundary" ? $b->{kind} : ""' | tail -n 1)" \
  before_call
exits 0 "as a run checkpoint" sessions export there --format run-checkpoint
is "it ends where it began" "$(json "$out" 'join " ", $d->{lastCompletedIteration},
  map { $_->{role} } @{$d->{history}}')" "1 system user assistant tool"
rm -f count.log
asked=$(requests turns)
run resume turns
is "resumed it makes the call, and asks for the turn behind it" \
  "$(made main/agent#2/tool/1) $(($(requests turns) - asked)) $(status turns)" "1 1 completed"
exits 0 "the store is sound" store verify

finish
