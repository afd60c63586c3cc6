#!/bin/bash
# resumes.t - policy simulate --hook resume and tail: the rules of each resume are asked again, with
# the session as it stood, and each event that an agent's tail was made of.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"
cd "$dir" || exit 1

# sums HOOK OPTION…: asked, as recorded, otherwise, not recorded, untold; answers; what is unknown.
sums() {
  run --json policy simulate --hook "$@"
  json "$out" 'my $p = $d->{profiles}[0]; join " ",
    @$p{qw(asked as_recorded otherwise not_recorded untold)},
    (map { "$_->{answer}=$_->{count}" } @{$p->{answers}}),
    map { "?$_->{field}=$_->{count}" } @{$p->{unknown}}'
}
# texts OPTION…: of each place of a resume, whether what was said then is said now, and that.
texts() {
  run --json policy simulate --list --hook resume "$@"
  json "$out" 'join "; ", map { my ($then, $now) = @$_{qw(recorded now)};
    my $same = !grep { defined $then->{$_} && $then->{$_} ne $now->{$_} } qw(answer policies text);
    ($same ? "same " : "other ") . ($now->{answer} eq "go on" ? $now->{text} =~ s/,.*//r
      : "$now->{policies}: $now->{text}") } map { @{$_->{places}} } @{$d->{profiles}[0]{sessions}}'
}

# ---- resume ----

cat >flow.lua <<'E'
local flow = require "ck.flow"
local function stop(why) return flow.lua(function(ctx) ctx.pause(why) end) end
return flow.graph { name = "g", start = "a",
  nodes = { a = stop "read it", b = stop "look", c = stop "wait" },
  edges = { a = "b", b = "c", c = flow.done } }
E
# It counts what it was asked: each run has policies of its own.
cat >rules.lua <<'E'
local times = 0
return { name = "rules", version = 1, resume = function(session, checkpoint)
  times = times + 1
  local where = ("%s %s %s %s %d %d"):format(session.status, session.profile, checkpoint.id,
    checkpoint.description, session.updated, times)
  if session.reason == "look" then return { budget = "reset" } end
  if session.reason == "wait" then return ck.refuse("never: " .. where .. session.now) end
  return ck.ask("Go on? " .. where)
end }
E
cat >other.lua <<'E'
return { name = "other", version = 1, resume = function(session)
  if session.reason == "look" then return { budget = "continue" } end
  return ck.refuse("no")
end }
E
for name in rules other; do
  echo "return { name = \"$name\", policies = { \"every_boundary\", \"./$name.lua\" } }" \
    >$name.profile.lua
done
exits 8 "a session pauses" run flow.lua --profile rules.profile.lua --session one
exits 8 "a person is asked" resume one
exits 0 "who allows it" answer one allow
exits 8 "it goes on" resume one
exits 8 "it goes on by a rule" resume one
exits 5 "it is refused" resume one
is "each resume is answered as it was: the question, after it the resume, a rule, the refusal" \
  "$(sums resume --profile rules.profile.lua one)" "4 4 0 0 0 ask=2 go on=1 refuse=1"
told=$(texts --profile rules.profile.lua one)
has "word for word, asked for the first time" "$told" "same rules: Go on? paused rules checkpoint_"
has "the rule" "$told" "; same budget reset; "
has "and the refusal" "$told" "; same rules: never: paused rules checkpoint_"
is "all of them" "$(grep -o 'same' <<<"$told" | grep -c .)$(grep -c other: <<<"$told")" 40
is "other rules answer otherwise: refusals, one in other words, and another rule" \
  "$(sums resume --profile other.profile.lua one)" "4 0 4 0 0 refuse=3 go on=1"
is "without rules a budget goes on" "$(sums resume --profile default one)" "4 0 4 0 0 go on=4"
exits 8 "a session without rules" run flow.lua --session plain
exits 8 "is resumed" resume plain
is "its resume went on; what its rules would have been shown is not known" \
  "$(sums resume --profile rules.profile.lua plain)" "1 0 0 0 1 ?session.status=1"
is "but the rules that held" "$(sums resume --profile default plain)" "1 1 0 0 0 go on=1"

# ---- tail ----

looks_up solo
# Messages and boundaries alone.
cat >quiet.lua <<'E'
return { name = "quiet", version = 1,
  tail = function(event) return event.kind ~= "outcome" end }
E
profile quiet.profile.lua 'resume_context = "tail", policies = { "every_boundary", "./quiet.lua" }'
profile loud.profile.lua 'resume_context = "tail", policies = { "every_boundary" }'
profile short.profile.lua 'constraints = { transcript_replay_depth = 2 }, resume_context = "tail",
  policies = { "every_n" }'
profile none.profile.lua 'policies = { "./quiet.lua" }'
exits 8 "an agent is paused in its second turn" run solo.lua --profile ./quiet.profile.lua \
  --session solo --input '"What does it cost?"'
exits 8 "it is resumed with its tail, and fails again" resume solo
# Its prompt, the question, three outcomes, the tool's message, the boundary: in the tail are four.
is "each event that it could be told of is answered as it was" \
  "$(sums tail --profile ./quiet.profile.lua solo)" "7 7 0 0 0 in=4 out=3"
is "without the policy the three outcomes are in, too" \
  "$(sums tail --profile ./loud.profile.lua solo)" "7 4 3 0 0 in=7"
is "with room for two the first two messages are out" \
  "$(sums tail --profile ./short.profile.lua solo)" "4 2 2 0 0 out=2 in=2"
exits 0 "in a list" policy simulate solo --hook tail --list --profile ./short.profile.lua
is "it says why" "$(cut -f 3- <<<"$out" | tr '\t\n' ' ;')" \
  "solo in out beyond the newest 2;solo in out beyond the newest 2;solo in in ;solo in in ;"
is "under a profile whose agents resume with their conversations nobody is asked" \
  "$(sums tail --profile ./none.profile.lua solo)" "0 0 0 0 0"
run policy simulate solo --hook tail --profile ./none.profile.lua
has "and that is told" "$err" 'its agents resume with their conversations'
is "a policy alone is asked as the session was recorded" \
  "$(sums tail --policy ./quiet.lua solo)" "7 7 0 0 0 in=4 out=3"
exits 0 "the resume after that" resume solo
is "has the same section, and asks nobody" "$(sums tail --profile ./quiet.profile.lua solo)" \
  "7 7 0 0 0 in=4 out=3"
finish
