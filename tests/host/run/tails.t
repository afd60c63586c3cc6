#!/bin/bash
# tails.t - an agent that is resumed with its tail is told its task and what its tools answered:
# every message names its agent, and what was asked of models is not in the tail.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"
heading="## Session Context (Resumed)
This session was paused and has now resumed. Below is a summary of recent activity
you were involved in before the pause."

# lines TEXT: kind, agent and text of each line of a section, without the time and what differs from
# run to run.
lines() {
  sed 1,3d <<<"$1" | sed -E 's/^[0-9TZ:.-]+ //; s/checkpoint_[0-9a-f_]+/ID/; s/,"stderr".*//
    s/delegate \{[^}]*/delegate CALL/; s/CALL\}/CALL/'
}
# told NAME N: the section in the N-th request.
told() { request "$1" "$2" '(grep { $_->{content} =~ /^## Session Context/ } @$m)[0]{content}'; }

# ---- one agent in the flow's own scope ----

looks_up one
profile one.profile.lua 'resume_context = "tail"'
exits 8 "one agent is paused in its second turn" run one.lua --profile ./one.profile.lua \
  --session one --input '"What does it cost?"'
want='message solo: system: You look.
message solo: user: What does it cost?
outcome solo: main/start/model/1  ok  assistant: [calls lookup {"what":"price"}]
outcome solo: main/start/tool/1  ok
outcome solo: main/start/exec/1  ok  {"exit":0,"stdout":"it costs 950\n"
message solo: tool lookup: it costs 950\n
boundary solo: tool_round  ID'
run sessions tail one solo
is "its tail has its task and what its tool answered, and no request" "$(lines "$out")" "$want"
exits 8 "it is resumed, and fails again" resume one
is "it was asked with its prompt and one section" \
  "$(request one 3 'join " ", map { $_->{role} } @$m')" "system user"
is "of these words" "$(told one 3 | head -n 3)" "$heading"
is "with the same tail" "$(lines "$(told one 3)")" "$want"
exits 0 "it is resumed once more" resume one
is "with the same once more" "$(told one 4)" "$(told one 3)"
is "every message of the transcript names its agent" \
  "$("$CKRUN" --json sessions log one --all --kind message | grep -vc '"agent":"solo"')" 0
is "so does what its tools did" \
  "$("$CKRUN" --json sessions log one --all --kind outcome | grep '"key":"[^"]*/exec/' | \
  grep -vc '"agent":"solo"')" 0
run sessions tail one solo --last 1
is "the last one is no intent" "$(lines "$out")" \
  "outcome solo: main/agent#2/model/1  ok  assistant: It costs 950."
is "the depth counts no intents" \
  "$("$CKRUN" sessions tail one solo --last 3 | sed 1,3d | grep -c '')" 3

# ---- a chair and its analysts ----

cat >team.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." }, work = flow.agent { prompt = "Work." } },
  delegates = { risk = { "work" } }, rounds = 3, max_depth = 2 }
END
serve team <<'END'
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"risk","message":"How risky?"}}]}}
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"work","message":"How much?"}}]}}
{"answer":{"text":"A month."}}
{"answer":{"text":"Low."}}
{"status":500,"body":"x"}
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"risk","message":"And now?"}}]}}
{"answer":{"text":"Still low."}}
{"answer":{"calls":[{"name":"finish","arguments":{"result":"Go."}}]}}
END
profile team.profile.lua 'resume_context = "tail"'
exits 8 "a chair is paused in the second round" run team.lua --profile ./team.profile.lua \
  --session team --input '"What to do?"'
chair='message chair: system: You lead.
message chair: user: What to do?
outcome chair: main/start/model/1  ok  assistant: [calls delegate CALL]
outcome chair: main/start/tool/1  ok
delegation chair: id=1.1  message=How risky?  target=risk
message chair: tool delegate: Low.
boundary chair: round_complete'
run sessions tail team chair
is "the chair's tail has the analyst's answer" "$(lines "$out" | sed 's/  ID//')" "$chair"
run sessions tail team work
is "an agent below an agent has what it was asked and said" \
  "$(lines "$out" | sed 's/  ID//; s|@[^/]*/|/|')" \
  'delegation risk: id=1.1/1.1  message=How much?  target=work
message work: system: Work.
message work: user: How much?
outcome work: main.agent.risk.agent.work/start/model/1  ok  assistant: A month.'
exits 0 "it is resumed to its end" resume team
is "the resumed chair is told the analyst's answer" "$(lines "$(told team 6)" | sed 's/  ID//')" \
  "$chair"
has "the resumed analyst what it had said" "$(lines "$(told team 7)")" \
  'main.agent.risk@start/agent#2/model/1  ok  assistant: Low.'
is "nobody is told of requests, nor of the schemas of tools" \
  "$(for n in 6 7 8; do told team $n; done | grep -cE ' intent |parameters|"tools"')" 0
is "every message names its agent" \
  "$("$CKRUN" --json sessions log team --all --kind message | grep -vc '"agent":')" 0
params='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}'
asked='"name":"agent_tail","arguments":{"session_id":"team","agent":"chair"}'
is "MCP gives the same" "$(printf '%s\n' \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{$params}}" \
  '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
  "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{$asked}}" |
  "$CKRUN" mcp 2>/dev/null | perl -MJSON::PP -ne 'my $d = decode_json($_); next if $d->{id} != 2;
    binmode STDOUT, ":utf8"; my $c = $d->{result}{structuredContent};
    $c ||= decode_json($d->{result}{content}[0]{text}); print $c->{section}')" \
  "$("$CKRUN" sessions tail team chair)"

# ---- as many events as the profile says, of an agent as its own section says ----

for depth in 'constraints = { transcript_replay_depth = 2 }' \
  'constraints = { transcript_replay_depth = 9 },
    agents = { solo = { constraints = { transcript_replay_depth = 2 } } }'; do
  serve depth-${#depth} <<'END'
{"answer":{"calls":[{"name":"lookup","arguments":{"what":"price"}}]}}
{"status":500,"body":"x"}
{"answer":{"text":"It costs 950."}}
END
  profile depth.profile.lua "resume_context = \"tail\", $depth"
  exits 8 "a session with a short tail is paused" run one.lua --profile ./depth.profile.lua \
    --session depth-${#depth} --input '"What does it cost?"'
  exits 0 "and resumed" resume depth-${#depth}
  is "it is told the last two events" "$(lines "$(told depth-${#depth} 3)")" \
    "$(tail -n 2 <<<"$want")"
done
finish
