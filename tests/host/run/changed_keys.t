#!/bin/bash
# changed_keys.t - policies see which keys got another value since the last checkpoint: those that
# the flow gave one, by name; live, simulated under another profile, in eval, in tests and asked
# again it is the same, and it is what the values in the transcript of the flow's own words say.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# Says what it writes, so that the test can work out what changed without a word of the program.
cat >flow.lua <<'END2'
local flow = require "ck.flow"
local writes = {
  { plan = "a", n = 1 }, { plan = "a", n = 1 }, { plan = "b" }, { n = 2, card = "card 4111" },
  { plan = "b", card = "card 4222" }, {}, { plan = "c", n = 3 }, { n = 3 }, { plan = ck.null },
}
return flow.graph { name = "writes", start = "step", nodes = {
  step = flow.lua(function(ctx)
    local turn = (ctx.input or 0) + (ctx.rounds and 0 or 0)
    local i = (ctx.memory.turn or 0) + 1
    ctx.memory.turn = i
    for key, value in pairs(writes[i]) do
      if value == ck.null then ctx.memory[key] = nil else ctx.memory[key] = value end
      print(("WROTE %d %s=%s"):format(i, key, value == ck.null and "-" or value))
    end
  end) },
  edges = { step = function(ctx)
    return ctx.memory.turn < #writes and "step" or flow.done
  end } }
END2
sed -i '/local turn = /d' flow.lua
cat >plan.lua <<'END2'
return { name = "plan", version = 1, checkpoint = function(at)
  if at.since.changed["memory.plan"] then return "the plan changed" end
end }
END2
cat >names.lua <<'END2'
return { name = "names", version = 1, options = { keep = false }, checkpoint = function(at, opt)
  local list = {}
  for key, truth in pairs(at.since.changed) do
    list[#list + 1] = key .. (truth == true and "" or "?")
  end
  print(("SEES %d %s %d"):format(at.seq, table.concat(list, ","), at.since.changed_keys))
  return not opt.keep and #list > 1 and table.concat(list, ",")
end }
END2
cat >mask.lua <<'END2'
return { name = "mask", version = 1, redact = function(item)
  if item.key == "memory.card" then return ck.mask end
end }
END2
echo 'return { name = "p", policies = { "./plan.lua", "./mask.lua" } }' >p.lua
echo 'return { name = "q", policies = { "./names.lua", "./mask.lua" } }' >q.lua
echo 'return { name = "r", policies = { { "./names.lua", keep = true }, "./mask.lua" } }' >r.lua

# ---- a checkpoint where the plan changes, and nowhere else ----
run run flow.lua --profile ./p.lua --session p
is "a run under the three lines" "$code" 0
taken() { # SESSION: node_complete boundaries with a checkpoint, by their number
  "$CKRUN" --json sessions log "$1" --kind boundary | perl -MJSON::PP -ne '
    my $b = decode_json($_)->{body}; next if $b->{kind} ne "node_complete"; $n++;
    print "$n " if $b->{checkpoint}'
}
is "a checkpoint at each turn with another plan" "$(taken p)" "1 3 7 9 "

# ---- by name, against what the flow said that it wrote ----
for profile in q r; do
  "$CKRUN" run flow.lua --profile ./$profile.lua --session $profile >$profile.out 2>$profile.err
  grep -o 'WROTE .*\|SEES .*' $profile.err >$profile.said
done
# What changed since the last checkpoint: the value of each key beside the one before. A masked
# key's values are all the same in the store, so only its first one is a change.
cat >expect.pl <<'END2'
use strict; use warnings;
my ($keep) = @ARGV;
my (%now, %changed);
my $turn = 0;
for (<STDIN>) {
  if (/^WROTE (\d+) (\w+)=(.*)/) {
    my ($key, $value) = ("memory.$2", $2 eq "card" ? "masked" : $3);
    $changed{"memory.turn"} = 1 if $turn != $1; # each turn writes its number
    $turn = $1;
    $changed{$key} = 1 if ($now{$key} // "-") ne $value;
    $now{$key} = $value;
  } elsif (my ($seq, $seen, $told) = /^SEES (\d+) (\S*) (\d+)$/) {
    $changed{"memory.turn"} = 1 if $seen eq "memory.turn"; # a turn that writes nothing else
    my $want = join ",", sort keys %changed;
    print "$seq: saw '$seen', not '$want'\n" if $seen ne $want;
    my $count = keys %changed;
    print "$seq: $told keys of $count\n" if $told != $count;
    %changed = () if !$keep && $count > 1;
  }
}
END2
is "each boundary is shown what the values say" "$(perl expect.pl 0 <q.said)" ""
is "also when no checkpoint is taken in between" "$(perl expect.pl 1 <r.said)" ""
ok "there are changes, and boundaries without" \
  test "$(grep -c 'SEES [0-9]* memory' q.said)" -ge 7 -a "$(grep -cE 'SEES [0-9]+  0' q.said)" -ge 3

# ---- the same of the record, wherever its checkpoints were ----
grep SEES q.said >q.live
perl -ne '/SEES (\d+) (\S+,\S+)/ and print "$1 $2\n"' q.live >q.takes
# would SESSION: where q takes checkpoints in the session's record, and why.
would() {
  "$CKRUN" --json policy simulate "$1" --profile ./q.lua --list | perl -MJSON::PP -ne '
    for my $made (@{decode_json($_)->{profiles}[0]{sessions}[0]{decisions}}) {
      my ($why) = grep { defined } map { $_->{reason} } @{$made->{reasons} || []};
      print "$made->{seq} $why\n" if defined $why;
    }'
}
ok "there are some" test "$(wc -l <q.takes)" -ge 5
is "simulated under the profile that ran" "$(would q)" "$(cat q.takes)"
is "simulated over a session with other checkpoints" "$(would p)" "$(cat q.takes)"
is "and over one without any" "$(would r)" "$(cat q.takes)"
is "asked again by explain" "$("$CKRUN" --json policy explain r --all --rerun ./q.lua |
  perl -MJSON::PP -ne 'my $d = decode_json($_); my ($r) = @{$d->{rerun}{reasons} || []};
    print "$d->{seq} $r->{reason}\n" if $r && defined $r->{reason}')" "$(cat q.takes)"
again() { "$CKRUN" "$@" 2>&1 >/dev/null | grep -o 'SEES .*'; }
cat >names_test.lua <<'END2'
local test = require "ck.test"
local names = test.policy("./names.lua")
return { test_all = function()
  for _, at in ipairs(test.session "q") do names.checkpoint(at) end
end,
test_walk = function()
  local plan = test.policy "./plan.lua"
  test.equal(test.walk(plan, { { changed = { "memory.plan" } }, {}, { changed = { "memory.n" } },
    { changed = { "memory.n", "memory.plan" } } }), { 1, 4 })
  test.equal(plan.checkpoint { since = { changed = { ["memory.plan"] = true } } },
    "the plan changed")
end }
END2
is "in a test over the session" "$(again policy test names.lua)" "$(cat q.live)"
exits 0 "in a walk, too" policy test names_test.lua
for seq in $(cut -d' ' -f2 q.live); do
  line=$("$CKRUN" policy eval "q#$seq" -e 'at.since.changed_keys')
  list=$("$CKRUN" --json policy eval "q#$seq" -e 'at.since.changed')
  echo "SEES $seq $(perl -MJSON::PP -ne 'my $d = decode_json($_);
    $d = $d->{values}[0] if ref $d eq "HASH" && $d->{values};
    print join ",", sort keys %$d' <<<"$list") $line"
done >evaluated
is "in eval, at each boundary" "$(cat evaluated)" "$(cat q.live)"

# ---- nothing of a value ----
"$CKRUN" --json sessions log q --kind boundary >log
ok "the names are in the transcript" grep -q '"changed":\[[^]]*"memory.card"' log
ok "no value of a masked key is" test "$(grep -c 'card 4111\|card 4222' log)" = 0
is "that it got another value while it is masked is none that is seen" \
  "$(grep -c 'memory.card' q.live)" 1
finish
