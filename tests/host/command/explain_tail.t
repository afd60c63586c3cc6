#!/bin/bash
# explain_tail.t - by the event an agent is told its tail, it is kept which policy let which event
# in and which left it out: as the policies' rules have it, worked out from the transcript; what is
# told is what all let in. A policy that fails is told, and so is a record without answers.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

cat >silent.lua <<'E'
return { name = "silent", version = 1, checkpoint = function() return true end }
E
cat >plain.lua <<'E'
return { name = "plain", version = 1, tail = function(event)
  return event.kind ~= "boundary"
end }
E
cat >quiet.lua <<'E'
return { name = "quiet", version = 1, tail = function(event)
  if event.kind == "message" then return event.body.message.role ~= "tool" end
end }
E

# expect.pl N FAILS: of a transcript, at each tail that was told: the events that the agent took
# part in, newest first, until N are in; of each what plain and quiet say, quiet only where plain
# lets it in; where quiet fails of what it is asked about with FAILS.
cat >expect.pl <<'E'
use JSON::PP;
my ($n, $fails) = @ARGV;
my (@events, $agent);
while (<STDIN>) {
  my $e = decode_json($_);
  if ($e->{kind} eq "outcome" && $e->{body}{key} =~ m{/tail$}) {
    my ($in, @said) = (0);
    for my $of (reverse @events) {
      last if $in == $n;
      next if ($of->{agent} // "") ne "solo" || $of->{kind} eq "intent" || $of->{abandoned};
      next if $of->{kind} eq "outcome" && $of->{body}{status} eq "failed"; # is tried again
      my $plain = $of->{kind} ne "boundary";
      my $quiet = $of->{kind} ne "message" || $of->{body}{message}{role} ne "tool";
      my $failed = $plain && $fails && $of->{kind} eq $fails;
      unshift @said, join " ", $e->{seq}, $of->{seq}, "plain:" . ($plain ? "in" : "out"),
        !$plain ? () : $failed ? "quiet:failed" : "quiet:" . ($quiet ? "in" : "out");
      $in++ if $plain && $quiet && !$failed;
    }
    print "$_\n" for @said;
    my $lines = () = $e->{body}{result} =~ /\n/g;
    print STDERR "tail $e->{seq}: ", $lines - 2, " lines, not $in\n" if $lines - 2 != $in;
  }
  push @events, $e;
}
E
cat >recorded.pl <<'E'
use JSON::PP;
while (<STDIN>) {
  my $e = decode_json($_);
  my %of;
  for my $group (@{$e->{events} // []}) {
    for my $policy (qw(plain quiet)) {
      for my $answer (qw(in out failed)) {
        next unless grep { $_ eq $policy } @{$group->{$answer} // []};
        $of{$_} .= " $policy:$answer" for @{$group->{seqs}};
      }
    }
  }
  print "$e->{seq} $_$of{$_}\n" for sort { $a <=> $b } keys %of;
}
E
# alike SESSION N FAILS
alike() {
  want=$("$CKRUN" --json sessions log "$1" --all | perl expect.pl "$2" "$3" 2>wrong)
  got=$("$CKRUN" --json policy explain "$1" --all | perl recorded.pl)
  [ -n "$want" ] && [ "$got" = "$want" ] && [ ! -s wrong ] && return
  diff <(echo "$want") <(echo "$got") | head -9 | sed 's/^/#   /' >&2
  sed 's/^/#   /' wrong >&2
  return 1
}
lists='"./silent.lua", "./plain.lua", "./quiet.lua"'

looks_up one
profile one.profile.lua \
  "resume_context = \"tail\", policies = { $lists }, constraints = { transcript_replay_depth = 3 }"
exits 8 "an agent is paused in its second turn" run one.lua --profile ./one.profile.lua \
  --session one --input '"What does it cost?"'
exits 8 "it is resumed with its tail, and fails again" resume one
ok "who let which event in is what the rules say, of as many as were asked about" alike one 3 ''
ok "some are left out by the first" grep -q ' plain:out$' <<<"$want"
ok "some by the second" grep -q ' plain:in quiet:out$' <<<"$want"
is "three are in" "$(grep -c ' plain:in quiet:in$' <<<"$want")" 3
exits 0 "it is resumed once more, and told the same" resume one
ok "which asks nobody anew" alike one 3 ''

at=$(head -1 <<<"$want" | cut -d' ' -f1) left=$(wc -l <<<"$want")
exits 0 "the whole session" policy explain one
has "has a row of it" "$out" \
  "agent solo is told its tail; of $left events $((left - 3)) left out; out: plain, quiet; in:"
exits 0 "it alone" policy explain one "$at"
out_quiet=$(grep ' plain:in quiet:out$' <<<"$want" | cut -d' ' -f2 | paste -sd, | sed 's/,/, /g')
has "says of which events" "$out" "$out_quiet: in: plain; out: quiet"
boundary=$(grep ' plain:out$' <<<"$want" | tail -1 | cut -d' ' -f2)
id=$("$CKRUN" --json policy explain one "$boundary" | head -1 |
  sed 's/.*"checkpoint":"\([^"]*\)".*/\1/')
exits 0 "a checkpoint" policy explain one "$id"
has "says that it was left out, of what, by whom" "$(tail -1 <<<"$out")" \
  "event $boundary was left out of the tail that agent solo was told at event $at; out: plain"
message=$(grep ' quiet:in$' <<<"$want" | tail -1 | cut -d' ' -f2)
exits 0 "an event that no other hook decides about" policy explain one "$message"
is "says that it was in" "$(tail -1 <<<"$out")" \
  "event $message was kept in the tail that agent solo was told at event $at; in: plain, quiet"
exits 0 "as JSON" --json policy explain one "$message"
is "too" "$(json "$(tail -1 <<<"$out")" '[@$d{qw(seq kind told told_at in)}]')" \
  "[$message,\"tail\",\"solo\",$at,[\"plain\",\"quiet\"]]"
exits 0 "an archive" sessions export one --format archive -o one.archive
run --store sqlite:other.db sessions import one.archive
is "keeps it" "$("$CKRUN" --store sqlite:other.db --json policy explain one "$at")" \
  "$("$CKRUN" --json policy explain one "$at")"

# ---- a policy that fails leaves the event out, and says so ----

cat >quiet.lua <<'E'
return { name = "quiet", version = 1, tail = function(event)
  if event.kind == "delegation" or event.kind == "outcome" then error("lost") end
  if event.kind == "message" then return event.body.message.role ~= "tool" end
end }
E
looks_up bad
profile bad.profile.lua "resume_context = \"tail\", policies = { $lists }"
run run bad.lua --profile ./bad.profile.lua --session bad --input '"What does it cost?"'
run resume bad
ok "who failed of what is known" alike bad 50 outcome
exits 0 "it" policy explain bad
has "is told" "$out" "; out: plain, quiet; failed: quiet; in: plain, quiet"
has "with the error" "$out" 'tail failed: policy "quiet", tail: '

# ---- policies that leave everything out are told, too: the agent keeps its conversation ----

echo 'return { name = "nothing", version = 1, tail = function() return false end }' >nothing.lua
looks_up empty
profile empty.profile.lua \
  'resume_context = "tail", policies = { "./silent.lua", "./nothing.lua" }'
exits 8 "an agent is paused" run empty.lua --profile ./empty.profile.lua --session empty \
  --input '"What does it cost?"'
exits 8 "it is resumed, and fails again" resume empty
told() { "$CKRUN" --json sessions log empty --all --kind outcome | grep -c '/tail"'; }
is "that it is told nothing is an event" "$(told)" 1
exits 0 "the session" policy explain empty
has "says it" "$out" "agent solo is told no tail; of"
at=$("$CKRUN" --json sessions log empty --all --kind outcome | grep '/tail"' |
  sed 's/.*"seq":\([0-9]*\),.*/\1/')
exits 0 "as JSON" --json policy explain empty "$at"
is "by whom, of which events" \
  "$(json "$out" '[map { ($_->{out}, @{$_->{seqs}} > 1, $_->{in}) } @{$d->{events}}]')" \
  '[["nothing"],1,null]'
exits 0 "it is resumed once more" resume empty
is "and nobody is asked anew" "$(told)" 1
exits 0 "another policy asked about it" policy simulate empty --hook tail --policy ./nothing.lua
run store verify
is "the store is whole" "$code" 0

# ---- without such a policy, and of an event without the answers, nothing is said ----

looks_up none
profile none.profile.lua 'resume_context = "tail"'
run run none.lua --profile ./none.profile.lua --session none --input '"What does it cost?"'
run resume none
exits 0 "nobody has a tail hook" policy explain none
ok "nothing is told of a tail" bash -c '! grep -q "told its tail" <<<"$1"' - "$out"
ok "though there was one" bash -c '"$CKRUN" sessions log none --kind outcome | grep -q /tail' -
exits 0 "the store is sound" store verify
finish
