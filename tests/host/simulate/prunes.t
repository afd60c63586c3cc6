#!/bin/bash
# prunes.t - what policies would drop of a recorded session is what they drop live: when they are
# asked, and what stays whatever they say (the newest, pinned ones, what a run or a fork goes on
# from). Random profiles over sessions that paused, failed, went back, were killed, pinned, forked;
# each is asked about the sessions of all others, too.
# RANDOM_PROFILES=N profiles from number RANDOM_FIRST on.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1
export CKRUN

cat >flow.lua <<'E'
local flow = require "ck.flow"
local function work(ctx)
  local turn = (ctx.memory.turn or 0) + 1
  ctx.memory.turn = turn
  if turn == 5 or turn == 9 then ctx.pause("on " .. turn) end
end
local names = { "a", "b", "try", "a", "b", "b", "who", "try", "a", "b", "a" }
local function go(ctx) return names[(ctx.memory.turn or 0) + 1] or flow.done end
return flow.graph { name = "work", start = "a", max_visits = 100,
  nodes = { a = flow.lua(work), b = flow.lua(work), count = flow.lua(work),
    who = flow.ask { question = "Who?", writes = "who" },
    try = flow.exec { argv = { "sh", "-c", "test -e $AT || { touch $AT; exit 3; }" },
      env = { AT = "tried" }, class = "pure" } },
  edges = { a = go, b = go, try = "count", who = "count", count = go } }
E
echo 'return { name = "again", version = 1, on_failure = function() return "retry" end }' >again.lua
cat >places.lua <<'E'
return { name = "places", version = 1, options = { every = 2, rest = 0, keep = "none" },
  prune = function(history, opt)
    local answer = { drop = {}, keep = {} }
    for i, checkpoint in ipairs(history) do
      local turn = i % opt.every == opt.rest
      if turn or checkpoint.node == "b" then table.insert(answer.drop, checkpoint.id) end
      if checkpoint.kind == opt.keep then table.insert(answer.keep, checkpoint.id) end
    end
    return answer
  end }
E

# live SESSION PROFILE: it runs to its end; a person pins, answers, forks and goes back on the way.
live() {
  rm -f tried
  run run flow.lua --session "$1" --profile "$2"
  [ "$code" = 8 ] || is "$1 pauses" "$code" 8
  "$CKRUN" sessions pin "$1" latest >pinned 2>&1
  run resume "$1"
  [ "$code" = 8 ] || is "$1 waits" "$code" 8
  "$CKRUN" answer "$1" me >answered 2>&1 || ok "$1 is answered" false
  run resume "$1"
  [ "$code" = 8 ] || is "$1 pauses again" "$code" 8
  "$CKRUN" sessions fork "$1" latest --session "fork-$1" >forked 2>&1
  run resume "$1" --set memory.note=1
  [ "$code" = 0 ] || is "$1 ends" "$code" 0
}
# A log as lines: "+ KIND" for each boundary, with its number and a star for a checkpoint; "- N…":
# the numbers of those whose checkpoints went there.
cat >told.pl <<'E'
use JSON::PP;
my ($what, @events) = ($ARGV[0], map { decode_json($_) } <STDIN>);
my ($boundaries, $taken, %number, %gone, @went) = (0, 0);
for my $e (@events) {
  my $b = $e->{body};
  if ($e->{kind} eq 'boundary') {
    $boundaries++;
    $number{$b->{checkpoint}} = [++$taken, $boundaries, $e->{seq}] if $b->{checkpoint};
  } elsif ($e->{kind} eq 'pruned') {
    $gone{$_} = 1 for @{$b->{ids}};
    push @went, map { "$number{$_}[0]<$taken" } @{$b->{ids}};
  }
}
my @stay = sort { $a->[1] <=> $b->[1] } map { $number{$_} } grep { !$gone{$_} } keys %number;
print join(' ', $what eq 'went' ? sort @went : map { $_->[$what eq 'seqs' ? 2 : 1] } @stay), "\n";
E
told() { "$CKRUN" --json sessions log "$2" --all | perl told.pl "$1"; }
# simulate SESSION PROFILE…: under each of them, in files: kept.PROFILE, the boundaries of which it
# keeps a checkpoint, by number, seqs.PROFILE, their seqs; went.PROFILE, the checkpoints that go, by
# number, with how many there were by then; how.PROFILE: how many answers are otherwise, not
# recorded or not told.
simulate() {
  local session=$1 of=()
  shift
  for profile in "$@"; do of+=(--profile "./$profile.lua"); done
  {
    "$CKRUN" --json sessions log "$session" --all --kind boundary
    "$CKRUN" --json policy simulate "$session" --list "${of[@]}"
    "$CKRUN" --json policy simulate "$session" --list --hook prune "${of[@]}"
  } | perl simulated.pl "$@"
}
cat >simulated.pl <<'E'
use JSON::PP;
sub put { open my $out, '>', shift or die; print $out "@_\n" }
my @lines = map { decode_json($_) } <STDIN>;
my ($takes, $drops) = map { $_->{profiles} } splice @lines, -2;
my @seqs = map { $_->{seq} } grep { $_->{body}{checkpoint} } @lines;
my @ids = map { $_->{body}{checkpoint} // () } @lines;
my %number = map { $ids[$_] => $_ + 1 } 0 .. $#ids;
for my $i (0 .. $#ARGV) {
  my $n = 0;
  my @all = map { [++$n, $_->{seq}, $_->{kept}] } @{$takes->[$i]{sessions}[0]{decisions}};
  put("kept.$ARGV[$i]", map { $_->[0] } grep { $_->[2] } @all);
  put("seqs.$ARGV[$i]", map { $_->[1] } grep { $_->[2] } @all);
  my $d = $drops->[$i]{sessions}[0];
  put("went.$ARGV[$i]", sort map {
    my $p = $_;
    $p->{now}{answer} eq 'drop' ? "$number{$p->{about}}<" . grep { $_ <= $p->{seq} } @seqs : ()
  } @{$d->{places}});
  put("how.$ARGV[$i]", @$d{qw(otherwise not_recorded untold)});
}
E
# same SESSION PROFILE: a simulation of its own profile repeats it.
same() {
  local seqs differ=
  simulate "$1" "$2"
  seqs=$(told seqs "$1")
  [ "$(cat "seqs.$2")" = "$seqs" ] || differ="kept $(cat "seqs.$2"), live $seqs"
  grep -q single "$2.lua" || [ "$(cat "how.$2")" = "0 0 0" ] ||
    differ+=" otherwise, not recorded, not told: $(cat "how.$2")"
  is "$1: a simulation keeps what it kept$([ -z "$differ" ] || cat "$2.lua")" "$differ" ""
}
# rough SESSION PROFILE: it is killed, and a person goes back, and prunes.
rough() {
  rm -f tried
  run run rough.lua --session "$1" --profile "./$2.lua"
  [ "$code" = 137 ] || [ "$code" = 8 ] || is "$1 is killed" "$code" 137
  run resume "$1"
  "$CKRUN" sessions prune "$1" >pruned 2>&1
  "$CKRUN" answer "$1" me >answered 2>&1
  "$CKRUN" sessions rewind "$1" '@{1}' --report "not so" >rewound 2>&1
  run resume "$1" --set memory.note=1
  "$CKRUN" sessions prune "$1" >pruned 2>&1
  for again in 1 2 3; do
    "$CKRUN" answer "$1" me >answered 2>&1
    run resume "$1"
  done
  status=$(cell "$("$CKRUN" sessions show "$1")" status)
  [ "$status" = completed ] || is "$1 ends" "$status" completed
}
sed 's/exit 3/kill -9 $PPID; sleep 60/' flow.lua >rough.lua

first=${RANDOM_FIRST:-1} count=${RANDOM_PROFILES:-3}
profiles=() dropped=0
for ((i = first; i < first + count; i++)); do
  perl "$root/tests/host/simulate/random_prunes.pl" $i '"every_boundary"' >p$i.lua
  perl "$root/tests/host/simulate/random_prunes.pl" $i >q$i.lua
  profiles+=(p$i q$i)
done
for p in "${profiles[@]}"; do
  live "$p" "./$p.lua"
  same "$p" "$p"
  told went "$p" >"live_went.$p"
  told stay "$p" >"live_kept.$p"
  dropped=$((dropped + $(wc -w <"live_went.$p")))
done
ok "checkpoints went ($dropped)" test "$dropped" -gt $((5 * count))
for p in "${profiles[@]:0:4}"; do
  rough "rough-$p" "$p"
  same "rough-$p" "$p"
done
for q in "${profiles[@]}"; do
  differ=
  simulate "$q" "${profiles[@]}"
  for p in "${profiles[@]}"; do
    cmp -s "kept.$p" "live_kept.$p" || differ+="$p: $(diff "kept.$p" "live_kept.$p")"$'\n'
    [[ $p$q != p*p* ]] || cmp -s "went.$p" "live_went.$p" ||
      differ+="$p: $(diff "went.$p" "live_went.$p")"$'\n'
  done
  is "$q: the others drop of it what they drop live" "$differ" ""
done
finish
