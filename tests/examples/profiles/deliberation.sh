# deliberation.sh - rounds of a chair and its analysts: paused at $4.80 of $5.00, left by their
# provider, and ended. Sourced by profiles.t.

heading="## Session Context (Resumed)
This session was paused and has now resumed. Below is a summary of recent activity
you were involved in before the pause."
cat >panel.flow.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 3,
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { cost = flow.agent { prompt = "Cost." }, risk = flow.agent { prompt = "Risk." } } }
END
serve panel < <(
  ask_for delegate '{"target":"cost","message":"How much?"}'
  ask_for note '{"text":"450 a month"}'
  say "It saves 450."
  ask_for delegate '{"sequential":["cost","risk"],"message":"And now?"}'
  say "Still 450."
  echo "$breaks"
  say "Low."
  ask_for finish '{"result":"Go."}')
life deliberation 'constraints = { budget_usd = 5 }, resume_context = "tail"'
limits='{"constraints":{"budget_usd":5}}'
exits 8 "deliberation: a constraint pauses it" run panel.flow.lua --profile ./deliberation.lua \
  --session panel --input '"Move?"'
has "deliberation: \$4.80 of \$5.00, before the next call" "$err" 'budget: $4.80 of $5.00 spent'
compare "deliberation, paused" "$limits" panel
paused=$(inspected panel '$d->{session_checkpoint}')
of_paused() { json "$paused" "$1"; }
is "deliberation: a SessionCheckpoint has these members" "$(of_paused 'join " ", sort keys %$d')" \
  "activeAgents ckrun constraintState createdAt pendingDelegations roundsCompleted sessionId \
transcriptReplayDepth"
is "deliberation: one round is complete, 50 events are told" \
  "$(of_paused 'join " ", @$d{qw(sessionId roundsCompleted transcriptReplayDepth)}')" "panel 1 50"
ok "deliberation: it was made at a time of UTC" grep -qE \
  '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]+)?Z$' \
  <<<"$(of_paused '$d->{createdAt}')"
is "deliberation: the delegation in flight" \
  "$(of_paused '[map { "$_->{id} $_->{target}" } @{$d->{pendingDelegations}}]')" '["2.1 cost"]'
is "deliberation: its agents, their depths and whose they are" "$(of_paused 'join ", ",
  sort map { "$_->{agentId} $_->{depth} " . ($_->{parentAgentId} // "-") }
    @{$d->{activeAgents}}')" \
  "chair 0 -, cost 0 -"
is "deliberation: the whole pad" "$(of_paused '[map { $_->{agentId} eq "cost"
  ? $_->{expertiseSnapshot} : () } @{$d->{activeAgents}}]')" '[{"notes":["450 a month"]}]'
ok "deliberation: each has its tail" test "$(of_paused 'scalar grep {
  ref $_->{conversationTail} ne "ARRAY" || !@{$_->{conversationTail}} } @{$d->{activeAgents}}')" = 0
is "deliberation: the budget is near, and hit" "$(of_paused 'my $c = $d->{constraintState};
  join " ", grep({ $_ eq "budget" } @{$c->{approaching}}), $c->{hit} ? 1 : 0, $c->{hit_reason}')" \
  'budget 1 budget: $4.80 of $5.00 spent'
first=$(inspected panel '$d->{checkpoint_id}')
is "deliberation: session_paused names its checkpoint" \
  "$(log '$_->{body}{checkpoint}' panel --kind session_paused)" "$first"
exits 8 "deliberation: \$0.20 are left, and no more, by a resume" resume panel
has "deliberation: as before" "$err" 'budget: $4.80 of $5.00 spent'
is "deliberation: nothing was asked for it" "$(requests panel)" 4
is "deliberation: latest moves, the older pause stays" \
  "$(checkpoints panel | grep -o pause | wc -l) $([ "$(inspected panel '$d->{checkpoint_id}')" = \
  "$first" ] && echo same || echo moved)" "2 moved"
tail=$("$CKRUN" sessions tail panel cost)
exits 8 "deliberation: with more it goes on, until the provider is away" resume panel \
  --limit budget_usd=20
compare "deliberation, failed" "$limits" panel
is "deliberation: the agent in flight is asked first, with its tail behind its prompt" \
  "$(request panel 5 'join " ", map { $_->{role} } @$m')" "system user"
told=$(request panel 5 '$m->[1]{content}')
is "deliberation: which begins with these words" "$(head -n 3 <<<"$told")" "$heading"
is "deliberation: and is that of sessions tail, but for when it was asked again" \
  "$(sed -E 's/^20[^ ]* (delegation|message)/\1/' <<<"$told")" \
  "$(sed -E 's/^20[^ ]* (delegation|message)/\1/' <<<"$tail")"
is "deliberation: oldest first" "$(sed 1,3d <<<"$told" | cut -d' ' -f1 | sort -c && echo sorted)" \
  sorted
has "deliberation: it was told its task" "$told" "And now?"
exits 0 "deliberation: it ends" --json resume panel
is "deliberation: with the decision, in the round behind the last completed one" \
  "$(json "$out" '$d->{result}')" '{"result":"Go.","rounds":2}'
is "deliberation: the chair is told the section, too" \
  "$(request panel 8 '$m->[1]{content}' | head -n 3)" "$heading"
is "deliberation: each delegation was made once, under its id" \
  "$(log '$_->{body}{id}' panel --kind delegation | sort | tr '\n' ' ')" "1.1 2.1 "
is "deliberation: time begins anew, all else goes on, by each resume" \
  "$(log 'my $r = $_->{body}{rules}; join " ", map { "$_=$r->{$_}" } sort keys %$r' panel \
    --kind session_resumed --all | sort -u)" \
  "budget=continue model_calls=continue rounds=continue time=reset tokens=continue \
tool_calls=continue"
is "deliberation: seven answers and a failure, four calls of tools, four runs" "$(totals panel)" \
  "8 4 4"
compare "deliberation, ended" "$limits" panel
