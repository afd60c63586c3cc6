#!/bin/bash
# paused.t - what is said of a paused session of several agents: pads of those in flight, parents of
# those that have ended, conflicts, reasons that are true by now; one checkpoint where the profile
# wants one; questions about limits.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

# exported SESSION EXPRESSION: of its document, $d; %a are its agents.
exported() {
  json "$("$CKRUN" sessions export "$1" --format session-checkpoint)" \
    'my %a = map { $_->{agentId} => $_ } @{$d->{activeAgents}}; '"$2"
}
note() { echo '{"answer":{"calls":[{"name":"note","arguments":{"text":"'"$1"'"}}]}}'; }
asks() {
  echo '{"answer":{"calls":[{"name":"delegate","arguments":{"target":"'"$1"'","message":"?"}}]}}'
}

# ---- pads and parents ----

cat >team.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." }, work = flow.agent { prompt = "Work." } },
  delegates = { risk = { "work" } }, rounds = 3, max_depth = 2 }
END
serve team <<END
$(asks risk)
$(note one)
$(note two)
$(asks work)
$(note "a month")
{"status":500,"body":"x"}
{"answer":{"text":"A month."}}
{"status":500,"body":"x"}
{"answer":{"text":"Low."}}
{"status":500,"body":"x"}
END
profile team.profile.lua
exits 8 "an agent below an agent is at work" run team.lua --profile ./team.profile.lua \
  --session team --input '"?"'
is "the export has the whole pad of the one above" \
  "$(exported team '$a{risk}{expertiseSnapshot}{notes}')" '["one","two"]'
is "and of the one below" "$(exported team '$a{work}{expertiseSnapshot}{notes}')" '["a month"]'
is "with its parent and depth" "$(exported team '"$a{work}{parentAgentId} $a{work}{depth}"')" \
  "risk 1"
is "the one above is at the top" "$(exported team \
  'join " ", map { defined $a{$_}{parentAgentId} ? "child" : $a{$_}{depth} } qw(risk chair)')" "0 0"
is "inspect says the same" "$(json "$("$CKRUN" --json sessions inspect team)" \
  '[map { $_->{expertiseSnapshot}{notes} } sort { $a->{agentId} cmp $b->{agentId} }
    grep { $_->{agentId} ne "chair" } @{$d->{session_checkpoint}{activeAgents}}]')" \
  '[["one","two"],["a month"]]'
exits 8 "the one below has ended" resume team
is "its pad is kept" "$(exported team '$a{work}{expertiseSnapshot}{notes}')" '["a month"]'
is "so are its parent and depth" "$(exported team '"$a{work}{parentAgentId} $a{work}{depth}"')" \
  "risk 1"
exits 8 "so has the one above" resume team
is "no delegation is in flight" "$(exported team 'scalar @{$d->{pendingDelegations}}')" 0
is "the parent and the depth of the one below are what they were" \
  "$(exported team '"$a{work}{parentAgentId} $a{work}{depth}"')" "risk 1"
is "the one above is at the top still" \
  "$(exported team 'defined $a{risk}{parentAgentId} ? "child" : $a{risk}{depth}')" 0
is "both pads are kept" \
  "$(exported team '[map { $a{$_}{expertiseSnapshot}{notes} } qw(risk work)]')" \
  '[["one","two"],["a month"]]'

# ---- an agent that works in two scopes at once ----

cat >twice.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  orchestrator = function(_, round, ask)
    if round == 2 then return "done" end
    ask { sequential = { "work", "risk" }, message = "?" }
  end,
  agents = { risk = flow.agent { prompt = "Risk." }, work = flow.agent { prompt = "Work." } },
  delegates = { risk = { "work" }, work = { "risk" } }, rounds = 3, max_depth = 3 }
END
call() { echo '{"name":"'"$1"'","arguments":{'"$2"'}}'; }
serve twice <<END
$(asks risk)
$(note "for the work")
{"answer":{"text":"Low."}}
{"answer":{"text":"A month."}}
{"answer":{"calls":[$(call note '"text":"before"'),$(
  call delegate '"target":"work","message":"?"')]}}
$(asks risk)
$(note below)
{"status":500,"body":"x"}
{"answer":{"text":"Low."}}
{"answer":{"text":"A week."}}
{"status":500,"body":"x"}
{"answer":{"text":"Low."}}
END
profile twice.profile.lua
exits 8 "an agent is asked below itself" run twice.lua --profile ./twice.profile.lua \
  --session twice --input '"?"'
is "what it wrote in both scopes is on its pad" \
  "$(exported twice '[sort @{$a{risk}{expertiseSnapshot}{notes}}]')" '["below","for the work"]'
is "it is told of as where it acted last" \
  "$(exported twice '"$a{risk}{parentAgentId} $a{risk}{depth}"')" "work 2"
exits 8 "the one below has ended" resume twice
is "it is told of as where it still works" \
  "$(exported twice 'defined $a{risk}{parentAgentId} ? "child" : $a{risk}{depth}')" 0
is "nothing has left the pad, and what came before the delegation is on it" \
  "$(exported twice '[sort @{$a{risk}{expertiseSnapshot}{notes}}]')" \
  '["before","below","for the work"]'
exits 0 "it ends" resume twice
is "the pad has the notes of all scopes, in their order" \
  "$(json "$("$CKRUN" --json sessions inspect twice)" '$d->{state}{scratch}{risk}{notes}
    // $d->{state}{"scratch.risk"}{notes}')" '["for the work","before","below"]'

# ---- a call that a left branch lost does not tell where its agent acted last ----

serve lost <<END
$(asks risk)
$(asks work)
{"answer":{"text":"A month."}}
{"answer":{"text":"Low."}}
{"status":500,"body":"x"}
$(asks work)
{"answer":{"text":"never heard"},"pause_ms":600000}
{"status":500,"body":"x"}
END
profile lost.profile.lua
exits 8 "one has worked below another" run team.lua --profile ./lost.profile.lua --session lost \
  --input '"?"'
at=$("$CKRUN" sessions checkpoints lost | awk -F'\t' 'END { print $2 }')
{ "$CKRUN" resume lost >/dev/null 2>&1 </dev/null & } 2>/dev/null
pid=$!
while [ "$(requests lost)" -lt 7 ]; do read -rt 0.01 <> <(:) || :; done
kill -KILL $pid
wait $pid 2>/dev/null
is "the next run dies while it works at the top" "$("$CKRUN" --json sessions log lost --all \
  --kind intent | tail -1 | grep -c '"agent":"work".*"for":\["work"\]')" 1
exits 0 "that is left" sessions rewind lost --to "$at" --report "Nothing."
exits 8 "the session goes on" resume lost
is "and counts the call as lost, for an agent at the top" "$("$CKRUN" --json sessions log lost \
  --all --kind outcome | grep '"via":"lost"' | grep -c '"for":\["work"\]')" 1
is "who has worked below the other all the same" \
  "$(exported lost '"$a{work}{parentAgentId} $a{work}{depth}"')" "risk 1"

# ---- the depth of delegation, where an agent stands above itself ----

cat >deep.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." }, work = flow.agent { prompt = "Work." },
    law = flow.agent { prompt = "Law." } },
  delegates = { risk = { "work", "law" }, work = { "risk" } }, rounds = 3, max_depth = 3 }
END
serve deep <<END
$(asks risk)
$(asks work)
$(asks risk)
$(asks law)
{"answer":{"text":"None."}}
{"status":500,"body":"x"}
{"answer":{"text":"Low."}}
{"answer":{"text":"A month."}}
{"answer":{"text":"Low."}}
{"status":500,"body":"x"}
END
profile deep.profile.lua
# placed: "NAME PARENT DEPTH" of each but the orchestrator.
placed() {
  exported deep 'join ", ", map { join " ", $_, $a{$_}{parentAgentId} // "-", $a{$_}{depth} }
    qw(law risk work)'
}
exits 8 "an agent has ended three below the top, two of them the same" run deep.lua \
  --profile ./deep.profile.lua --session deep --input '"?"'
is "its depth counts all above it; the others are where they work" "$(placed)" \
  "law risk 3, risk work 2, work risk 1"
exits 8 "all have ended" resume deep
is "each is where it acted last" "$(placed)" "law risk 3, risk - 0, work risk 1"
is "policies see the same depths" "$("$CKRUN" --json sessions log deep --all --kind boundary |
  perl -MJSON::PP -ne '$d = decode_json($_);
    print "$d->{scope} ", $d->{body}{depth} // 0, "\n" if $d->{body}{kind} eq "tool_round"' |
  sed 's/main.agent.//; s/\.agent\././g' | sort -u | tr '\n' ',')" \
  "risk 0,risk.work 1,risk.work.risk 2,"

# ---- a conflict ----

cat >one.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look.", tools = {
  look = flow.tool(function() return "a wall" end, { description = "Looks." }) } }
END
look='{"answer":{"calls":[{"name":"look","arguments":{}}]},"times":0}'
serve conflict <<<"$look"
profile conflict.profile.lua 'constraints = { budget_usd = 0.001 },
  minimums = { model_calls = 10 }'
exits 8 "the budget cannot pay for the next call" run one.lua \
  --profile ./conflict.profile.lua --session conflict --input '"?"'
is "it is hit before it is reached" "$(exported conflict '$d->{constraintState}{hit}')" 1
is "while few of the expected calls are made" \
  "$("$CKRUN" --json sessions log conflict --all --kind constraint | grep -c '"what":"conflict"')" 1
is "the export says of the conflict what the log says" \
  "$(exported conflict '$d->{constraintState}{constraint_conflict}')" 1
serve agreed <<<"$look"
profile agreed.profile.lua 'constraints = { model_calls = 2 }, minimums = { tool_calls = 4 }'
exits 8 "a limit is hit with half of what was expected" run one.lua --profile ./agreed.profile.lua \
  --session agreed --input '"?"'
is "that is no conflict" "$(exported agreed '$d->{constraintState}{constraint_conflict}')" 0
is "nor in the log" \
  "$("$CKRUN" --json sessions log agreed --all --kind constraint | grep -c '"what":"conflict"')" 0
is "a maximum that is reached is near, too" \
  "$(exported agreed '$d->{constraintState}{approaching}')" '["model_calls"]'

serve first <<<"$look"
profile first.profile.lua 'constraints = { tool_calls = 9, model_calls = 2 }'
exits 8 "two calls are allowed" run one.lua --profile ./first.profile.lua --session first \
  --input '"?"'
is "half of a limit is not near" \
  "$(json "$("$CKRUN" --json sessions inspect first --checkpoint first)" \
    '[@{$d->{session_checkpoint}{constraintState}}{qw(approaching hit)}]')" '[[],false]'
is "nor is it for the transcript" \
  "$("$CKRUN" --json sessions log first --all --kind constraint |
    grep '"what":"approaching"' | grep -c '"spent":0\|"spent":1,"limit":2')" 0

# ---- a reason ----

# Three calls side by side under a limit of two: one is refused while the others are under way.
cat >wide.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look.", tools = {
  nap = flow.command { argv = { "sleep", "0" }, class = "pure" } } }
END
nap='{"name":"nap","arguments":{}}'
serve wide <<<'{"answer":{"calls":['"$nap,$nap,$nap"']}}'
profile wide.profile.lua 'constraints = { tool_calls = 2 }'
exits 8 "a limit is hit while calls are under way" run wide.lua --profile ./wide.profile.lua \
  --session wide --input '"?"'
has "the reason says what is spent by now" "$err" "tool_calls: 2 of 2 spent"
run --json sessions show wide
has "so does the session" "$(json "$out" '$d->{reason}')" "tool_calls: 2 of 2 spent"
has "and its transcript" "$("$CKRUN" --json sessions log wide --all --kind session_paused)" \
  "tool_calls: 2 of 2 spent"
has "and the export" "$(exported wide '$d->{constraintState}{hit_reason}')" \
  "tool_calls: 2 of 2 spent"
serve own <<<'{"answer":{"calls":['"$nap,$nap,$nap"']}}'
profile own.profile.lua 'agents = { solo = { constraints = { tool_calls = 2 } } }'
exits 8 "so with the limit of an agent" run wide.lua --profile ./own.profile.lua \
  --session own --input '"?"'
has "the reason" "$err" "tool_calls of agent solo: 2 of 2 spent"
has "and the export" "$(exported own '$d->{constraintState}{hit_reason}')" \
  "tool_calls of agent solo: 2 of 2 spent"

# ---- checkpoints = "single" ----

count_of() { "$CKRUN" --json sessions checkpoints "$1" | grep -c '"id"'; }
serve single <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"status":500,"body":"x"}
{"status":500,"body":"x"}
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"status":500,"body":"x"}
{"status":401,"body":"x"}
END
profile single.profile.lua 'checkpoints = "single"'
exits 8 "a session that keeps one checkpoint" run one.lua --profile ./single.profile.lua \
  --session single --input '"?"'
is "has one when it is paused" "$(count_of single)" 1
for again in second third fourth; do
  run resume single
  is "and one behind the $again end" "$(count_of single)" 1
done
exits 0 "its store is whole" store verify

# ---- on_limit = "ask" ----

serve ask <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"text":"A wall."}}
END
profile ask.profile.lua 'constraints = { model_calls = 1, on_limit = "ask" }'
exits 8 "a person is asked for a new limit" run one.lua --profile ./ask.profile.lua \
  --session ask --input '"?"'
for wrong in yes '' -1 '"3"' true; do
  exits 2 "the answer '$wrong'" answer ask -- "$wrong"
  has "is none" "$err" "a number (the new limit) or stop, not '$wrong'"
done
question=main/agent#2/model/1/limit/1
is "it waits still" "$(json "$("$CKRUN" --json sessions show ask)" '$d->{status}')" waiting
exits 0 "a number is an answer" answer ask 0
refused 5 "a second one, of no question by name" "was answered" answer ask 5
exits 2 "a wrong one is no correction" answer ask --effect "$question" yes
exits 0 "it is corrected where the question is named" answer ask --effect "$question" 2
exits 0 "and the session ends" resume ask
is "under the corrected limit" "$("$CKRUN" --json sessions log ask --all --kind edit |
  grep -o '"value":[0-9]*')" '"value":2'
is "it was asked once" "$("$CKRUN" --json sessions log ask --all --kind intent |
  grep -c '/limit/')" 1
refused 5 "what was applied cannot be corrected" "waits for no answer" \
  answer ask --effect "$question" 3
# ---- a reason that is longer than what is kept of it ----

cat >long.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "long", run = function(ctx)
  ctx.pause("x" .. ("\u{20ac}"):rep(200))
end }
END
exits 8 "a flow pauses for a long reason" run long.lua --session long
reason=$(json "$("$CKRUN" --json sessions show long)" '$d->{reason}')
is "which is kept as far as it fits, in whole characters" \
  "$(perl -CSDA -e '$_ = shift; print /^x\x{20ac}{80,}$/ ? "whole" : $_' "$reason")" whole
finish
