# explore.sh - an investigation of the model's own, over a failure and a pause.
# Sourced by profiles.t.

created="Checkpoint created.
Goal: find the leak
Run your investigation, then call rewind with a concise report."
rewound="Rewind requested.
Report captured for context replacement."
warning="<system-warning>You are in an active checkpoint. You MUST call rewind with your"
warning+=" investigation findings before yielding. Do NOT yield without completing the"
warning+=" checkpoint.</system-warning>"
# last NAME N: what the last message of the N-th request says, and who.
last() { request "$1" "$2" '"$m->[-1]{role}: $m->[-1]{content}"'; }
roles() { request "$1" "$2" 'join " ", map { $_->{role} } @$m'; }
cat >scout.flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "scout", prompt = "You look.", tools = {
  look = flow.tool(function() return "a wall" end, { description = "Looks." }) } }
END
goal='{"goal":"find the leak"}'
serve scout < <(
  ask_for rewind '{"report":" "}'
  ask_for checkpoint "$goal"
  ask_for checkpoint "$goal" rewind '{"report":" \n "}'
  echo "$breaks"
  ask_for look '{}'
  for _ in 1 2 3 4; do say "Done."; done
  ask_for look '{}' rewind '{"report":" It is the cache. "}'
  say "The cache.")
life explore
exits 8 "explore: the provider goes away in the middle of an investigation" run scout.flow.lua \
  --profile ./explore.lua --session scout --input '"Where?"'
is "explore: both tools are offered" \
  "$(request scout 1 'join " ", sort map { $_->{function}{name} } @{$d->{tools}}')" \
  "checkpoint look rewind"
is "explore: that there is no checkpoint comes before what the report is" "$(last scout 2)" \
  "tool: No active checkpoint."
is "explore: a checkpoint" "$(last scout 3)" "tool: $created"
is "explore: another one, and an empty report" "$(request scout 4 \
  'join "|", map { $_->{content} } @$m[-2, -1]')" \
  "Checkpoint already active.|Report cannot be empty."
is "explore: its details" "$(log 'my $t = $_->{body}{details}; join " ", sort(keys %$t), $t->{goal},
  $t->{startedAt} =~ /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ ? "UTC" : "no time"' scout \
  --kind note)" "goal startedAt find the leak UTC"
compare "explore, failed" '{}' scout
has "explore: its mark is shown" "$(cell "$("$CKRUN" sessions show scout)" mark)" "find the leak"
exits 0 "explore: a fork" sessions fork scout --session forked
has "explore: has the mark, too" "$(cell "$("$CKRUN" sessions show forked)" mark)" "find the leak"
exits 8 "explore: it goes on, and would end its turns" resume scout
has "explore: for which it is paused" "$err" "checkpoint_not_rewound"
for n in 7 8 9; do is "explore: after this warning" "$(last scout $n)" "system: $warning"; done
is "explore: three times" "$(requests scout)" 9
compare "explore, paused" '{}' scout
exits 0 "explore: it is resumed, rewinds and ends" --json resume scout
is "explore: with its answer" "$(json "$out" '$d->{result}{text}')" "The cache."
is "explore: it was warned once more" "$(last scout 10)" "system: $warning"
is "explore: behind the batch with checkpoint come the report and the batch with rewind" \
  "$(roles scout 11)" "system user assistant tool assistant tool user assistant tool tool"
is "explore: the report" "$(request scout 11 '$m->[6]{content}')" "<rewind-report>
It is the cache.
</rewind-report>"
is "explore: what its calls gave" \
  "$(request scout 11 'join "|", map { $_->{content} } @$m[8, 9]')" \
  "a wall|$rewound"
is "explore: the batch is as the model wrote it" "$(request scout 11 '
  join " ", map { "$_->{function}{name} $_->{function}{arguments}" } @{$m->[7]{tool_calls}}')" \
  'look {} rewind {"report":" It is the cache. "}'
is "explore: the transcript keeps what was replaced" \
  "$(log '$_->{body}{message}{content}' scout --kind message | grep -c 'a wall')" 2
is "explore: a checkpoint at each round of tools" "$(checkpoints scout)" \
  "tool_round tool_round tool_round pause tool_round pause tool_round final "
is "explore: no mark is left" "$(cell "$("$CKRUN" sessions show scout)" mark)" ""
compare "explore, ended" '{}' scout forked

cat >team.flow.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." } } }
END
serve team < <(
  ask_for delegate '{"target":"risk","message":"How?"}'
  ask_for checkpoint "$goal"
  say "Low."
  ask_for finish '{"result":"Go."}')
life explore
exits 0 "explore: a chair and an agent" run team.flow.lua --profile ./explore.lua --session team \
  --input '"?"'
is "explore: which is a subagent" "$(last team 3)" "tool: Checkpoint not available in subagents."
compare "explore, a team" '{}' team
