#!/bin/bash
# inspect.t - sessions inspect and the session checkpoint: every field of both, of a session of
# several agents that was paused.
. "$(dirname "$0")/../tap.sh"

cat >"$dir/team.lua" <<'LUA'
local flow = require "ck.flow"

local function member(ctx)
  local who = ctx.task.who
  ctx.message("user", ctx.task.question)
  if ctx.task.deeper and not ctx.position then
    ctx.boundary("tool_round", { position = { path = "member#1" }, agent = who })
    ctx.fork {
      { scope = "helper", agent = "helper", task = { question = "deep", who = "helper" } },
    }
    ctx.join { "helper" }
  end
  ctx.boundary("tool_round", { position = { path = "member#2" }, agent = who })
  ctx.pause("enough")
  return who
end

return flow.custom {
  name = "team",
  run = function(ctx)
    if ctx.task then return member(ctx) end
    if not ctx.position then
      ctx.memory.topic = "bread"
      ctx.outputs.draft = { 1 }
      ctx.put("scratch.ann", '{"known":["flour"]}')
      ctx.boundary("round_complete",
        { position = { path = "team#1" }, node = "opening", next = { node = "second" } })
    end
    ctx.fork {
      { scope = "bob", agent = "bob",
        task = { question = "what of the risks?", who = "bob", deeper = true } },
      { scope = "ann", agent = "ann", task = { question = "what of the costs?", who = "ann" } },
    }
    ctx.join { "ann", "bob" }
  end,
}
LUA
cat >"$dir/team_profile.lua" <<'LUA'
return { name = "team", extends = "default", policies = { "every_boundary" },
  constraints = { budget_usd = 5.00, rounds = 10, transcript_replay_depth = 7 },
  minimums = { tool_calls = 4 },
  agents = { bob = { constraints = { transcript_replay_depth = 1 } } } }
LUA
run run "$dir/team.lua" --session team --profile "$dir/team_profile.lua"
is "a session that pauses with two delegations in flight: exit 8" "$code" 8

run --json sessions log team --kind session_paused
is "the pause is told with its reason" "$(json "$out" '$d->{body}{reason}')" enough
paused=$(json "$out" '$d->{body}{checkpoint}')
exits 0 "inspect --json" --json sessions inspect team
is "and with its checkpoint" "$(json "$out" '$d->{checkpoint_id}')" "$paused"
inspected=$out
field() { json "$inspected" "\$d->$1"; }
is "session_id" "$(field '{session_id}')" team
is "checkpoint_id" "$(field '{checkpoint_id}')" "$(field '{checkpoint}{id}')"
is "checkpoint_type" "$(field '{checkpoint_type}')" pause
is "created_at" "$(field '{created_at}')" "$(field '{checkpoint}{created}')"
is "current_node" "$(field '{current_node}')" opening
is "execution_path" "$(field '{execution_path}')" '["opening"]'
is "shared_memory" "$(field '{shared_memory}')" '{"topic":"bread"}'
is "accumulated_outputs" "$(field '{accumulated_outputs}')" '{"draft":[1]}'
is "conversation_states" "$(json "$inspected" 'my $states = $d->{conversation_states};
  join " ", map { "$_:" . scalar @{$states->{$_}} } sort keys %$states')" \
  "main:0 main.ann:1 main.bob:1 main.bob.helper:1"
is "what a conversation holds" "$(field '{conversation_states}{"main.ann"}')" \
  '[{"content":"what of the costs?","role":"user"}]'
is "metrics_snapshot" "$(field '{metrics_snapshot}{cost_usd}')" 0
is "is_clean" "$(field '{is_clean}')" 1
is "can_resume_from" "$(field '{can_resume_from}')" 1
is "description" "$(field '{description}')" "paused: enough"
is "no signature without a key" "$(field '{signature}')" null
run --json sessions inspect team --checkpoint first
inspected=$out
is "of an earlier one: current_node" "$(field '{current_node}')" opening
is "next_node" "$(field '{next_node}')" second
is "the conversations of then" "$(field '{conversation_states}')" '{"main":[]}'

exits 0 "the session checkpoint" sessions export team --format session-checkpoint
checkpoint=$out
run --json sessions inspect team
is "is the one that inspect shows" "$(json "$checkpoint" '$d')" \
  "$(json "$out" '$d->{session_checkpoint}')"
field() { json "$checkpoint" "\$d->$1"; }
members="activeAgents ckrun constraintState createdAt pendingDelegations roundsCompleted sessionId"
is "its members" "$(json "$checkpoint" 'join " ", sort keys %$d')" \
  "$members transcriptReplayDepth"
is "sessionId" "$(field '{sessionId}')" team
ok "createdAt is ISO 8601 in UTC" grep -qE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$' \
  <<<"$(field '{createdAt}')"
is "roundsCompleted" "$(field '{roundsCompleted}')" 1
is "transcriptReplayDepth" "$(field '{transcriptReplayDepth}')" 7
is "activeAgents" "$(json "$checkpoint" 'join " ",
  map { "$_->{agentId}:$_->{depth}" . ($_->{parentAgentId} // "") }
  sort { $a->{agentId} cmp $b->{agentId} } @{$d->{activeAgents}}')" "ann:0 bob:0 helper:1bob"
agent() { json "$checkpoint" "(grep { \$_->{agentId} eq '$1' } @{\$d->{activeAgents}})[0]$2"; }
is "expertiseSnapshot is the whole scratch pad" "$(agent ann '->{expertiseSnapshot}')" \
  '{"known":["flour"]}'
is "and is left out where there is none" "$(agent bob '->{expertiseSnapshot}')" null
is "conversationTail has as many as the agent's own depth says" \
  "$(json "$checkpoint" 'join " ", map { scalar @{$_->{conversationTail}} }
    grep { $_->{agentId} eq "bob" } @{$d->{activeAgents}}')" 1
is "what was said to an agent is in its tail" \
  "$(agent ann '->{conversationTail}[0]{body}{message}{content}')" "what of the costs?"
is "a tail is what sessions tail prints" "$(agent ann '->{conversationTail}')" \
  "$(json "$("$CKRUN" --json sessions tail team ann)" '$d->{events}')"
pending="main.ann:ann::what of the costs? main.bob:bob::what of the risks?"
is "pendingDelegations" "$(json "$checkpoint" 'join " ",
  map { join ":", map { $_ // "" } @$_{qw(scope target parentAgentId)}, $_->{task}{question} }
  @{$d->{pendingDelegations}}')" "$pending main.bob.helper:helper:bob:deep"
is "constraintState: spent and limit" "$(field '{constraintState}{rounds}{spent}') $(field \
  '{constraintState}{rounds}{limit}') $(field '{constraintState}{budget}{limit}')" \
  "1 10 5000000"
is "nothing is hit, nothing near" "$(field '{constraintState}{hit}') $(field \
  '{constraintState}{approaching}')" "0 []"

# The same with a limit that is near, and one that is reached.
for case in '0.5 8 rounds 0' '0.5 10 rounds 1'; do
  set -- $case
  cat >"$dir/rounds.lua" <<LUA
local flow = require "ck.flow"
return flow.custom { name = "rounds", run = function(ctx)
  for i = (ctx.position and ctx.position.n or 0) + 1, $2 do
    ctx.boundary("round_complete", { position = { path = "round#" .. i, n = i } })
  end
  ctx.pause("look")
end }
LUA
  run run "$dir/rounds.lua" --session "rounds$2" --profile "$dir/team_profile.lua"
  checkpoint=$("$CKRUN" sessions export "rounds$2" --format session-checkpoint)
  is "after $2 of 10 rounds: hit" "$(field '{constraintState}{hit}')" "$4"
  is "after $2 of 10 rounds: approaching" "$(field '{constraintState}{approaching}')" \
    '["rounds"]'
done
is "and another dimension's minimum is not half met" \
  "$(field '{constraintState}{constraint_conflict}')" 1
is "hit_reason" "$(field '{constraintState}{hit_reason}')" "rounds: 10 of 10 spent"

# The shipped example, which pauses at its budget with a delegation in flight.
deliberation=$root/examples/deliberation
input='"Should the shop move to a cheaper cloud this quarter?"'
run run "$deliberation/flow.lua" --cassette "$deliberation/cassette.jsonl" --profile \
  "$deliberation/profile.lua" --session talk --input "$input"
is "the deliberation pauses at its budget: exit 8" "$code" 8
checkpoint=$("$CKRUN" sessions export talk --format session-checkpoint)
is "a delegation in flight has its id" "$(json "$checkpoint" \
  'join " ", map { "$_->{id}:$_->{target}" } @{$d->{pendingDelegations}}')" "2.1:cost"
is "after one round" "$(field '{roundsCompleted}')" 1
is "its agents" "$(json "$checkpoint" \
  'join " ", sort map { $_->{agentId} } @{$d->{activeAgents}}')" "chair cost risk work"
is "a limit in the way counts as hit" "$(field '{constraintState}{hit}') $(field \
  '{constraintState}{hit_reason}' | cut -c1-29)" '1 budget: $0.70 of $0.75 spent'
is "the scratch pad" "$(json "$checkpoint" \
  '(grep { $_->{agentId} eq "cost" } @{$d->{activeAgents}})[0]{expertiseSnapshot}{notes}[0]')" \
  "old 1400, new 950: 450 USD a month"
exits 0 "it goes on with more" resume talk --limit budget_usd=2
is "then nothing is pending" "$(json "$("$CKRUN" sessions export talk --format \
  session-checkpoint)" '$d->{pendingDelegations}')" "[]"
"$CKRUN" sessions export talk --format cassette >"$dir/talk.jsonl"
exits 0 "what was said in all its scopes can be run again" run "$deliberation/flow.lua" --cassette \
  "$dir/talk.jsonl" --session again --input "$input"
ok "to the same" cmp "$dir/talk.jsonl" <("$CKRUN" sessions export again --format cassette)

exits 0 "a session without a checkpoint" sessions import "$root/tests/lua/import/data/pi.jsonl" \
  --session pi
exits 0 "can be inspected, too" --json sessions inspect pi
is "its checkpoint_id is null" "$(json "$out" '$d->{checkpoint_id} // "null"')" null
is "it cannot be resumed from" "$(json "$out" '$d->{can_resume_from}')" 0
is "its messages are there" "$(json "$out" \
  'scalar @{$d->{conversation_states}{main}} > 3 ? 1 : 0')" 1
finish
