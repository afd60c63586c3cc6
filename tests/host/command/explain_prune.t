#!/bin/bash
# explain_prune.t - what is recorded of each checkpoint at a prune is what the policies say of it
# when Lua alone asks them, over the checkpoints that the transcript says there were, through a kill
# and for prunes by hand; what went is what that makes; old records and long lists say what is
# missing.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
bare=$CKRUN_BUILD/tests/host/command/tool_bare_prune
[ -x "$bare" ] || { echo "Bail out! $bare is not built"; exit 1; }

cat >odd.lua <<'E'
return { name = "odd", version = 1, prune = function(history)
  local drop = {}
  for _, c in ipairs(history) do if c.seq % 2 == 1 then drop[#drop + 1] = c.id end end
  return { drop = drop }
end }
E
cat >old.lua <<'E'
return { name = "old", version = 1, prune = function(history)
  local drop = {}
  for i = 1, #history - 2 do drop[i] = history[i].id end
  return { drop = drop }
end }
E
cat >third.lua <<'E'
return { name = "third", version = 1, prune = function(history)
  local keep = {}
  for _, c in ipairs(history) do if c.seq % 3 == 0 then keep[#keep + 1] = c.id end end
  return { keep = keep }
end }
E
cat >silent.lua <<'E'
return { name = "silent", version = 1, prune = function() end }
E
echo 'return { name = "p", prune_every_n_nodes = 4, policies = { "every_boundary", "./odd.lua",
  "./silent.lua", "./old.lua", "./third.lua" } }' >p.lua
killer die.sh "$dir/ran"
cat >flow.lua <<E
local flow = require "ck.flow"
local nodes, edges, before = {}, {}, nil
for i = 1, 12 do
  local name = "n" .. i
  nodes[name] = flow.lua(function(ctx) ctx.memory.at = i end)
  if before then edges[before] = name end
  before = name
end
nodes.n6 = flow.exec { argv = { "$dir/die.sh" }, class = "pure" }
edges[before] = flow.done
return flow.graph { name = "g", start = "n1", nodes = nodes, edges = edges }
E

# expect.pl BARE POLICY…: of a transcript, for each prune and each checkpoint that there was, which
# policies drop and keep it. A line on stderr where other ones went than those that some drop and
# none keeps, but for the latest and those in HELD.
cat >expect.pl <<'E'
use JSON::PP;
my ($bare, @policies) = @ARGV;
my %held = map { $_ => 1 } split / /, $ENV{HELD} // "";
my @history;
while (<STDIN>) {
  my $e = decode_json($_);
  my $b = $e->{body};
  push @history, [$e->{seq}, $b->{checkpoint}] if $e->{kind} eq "boundary" && $b->{checkpoint};
  next if $e->{kind} ne "pruned";
  open my $to, ">", "history" or die;
  print $to "@$_\n" for @history;
  close $to;
  my %said;
  for my $policy (@policies) {
    for (`$bare $policy.lua <history`) {
      my ($answer, $id) = split;
      push @{$said{$id}{$answer}}, $policy;
    }
    die "$policy" if $?;
  }
  for (@history) {
    my $of = $said{$_->[1]} or next;
    print join(" ", $e->{seq}, $_->[0], map { my $a = $_; map { "$a:$_" } @{$of->{$a} // []} }
      qw(drop keep)), "\n";
  }
  my $must = join " ", sort map { $_->[1] }
    grep { my $of = $said{$_->[1]}; $of->{drop} && !$of->{keep} && !$held{$_->[1]} }
    @history[0 .. $#history - 1];
  my $went = join " ", sort @{$b->{ids}};
  print STDERR "prune $e->{seq}: $went, not $must\n" if $went ne $must;
  my %gone = map { $_ => 1 } @{$b->{ids}};
  @history = grep { !$gone{$_->[1]} } @history;
}
E
# recorded.pl: the same of policy explain, checkpoint by checkpoint of the transcript.
cat >recorded.pl <<'E'
use JSON::PP;
open my $log, "<", "log" or die;
my (@history, %at);
while (<$log>) {
  my $e = decode_json($_);
  push @history, [$e->{seq}, $e->{body}{checkpoint}]
    if $e->{kind} eq "boundary" && $e->{body}{checkpoint};
  next if $e->{kind} ne "pruned";
  $at{$e->{seq}} = [@history];
  my %gone = map { $_ => 1 } @{$e->{body}{ids}};
  @history = grep { !$gone{$_->[1]} } @history;
}
while (<STDIN>) {
  my $e = decode_json($_);
  next if $e->{kind} ne "pruned";
  for my $c (@{$at{$e->{seq}}}) {
    for my $of (grep { $_->{from} <= $c->[0] && $c->[0] <= $_->{to} } @{$e->{candidates}}) {
      print join(" ", $e->{seq}, $c->[0],
        map { my $a = $_; map { "$a:$_" } @{$of->{$a} // []} } qw(drop keep)), "\n";
    }
  }
}
E
# alike SESSION POLICY…: both ways of telling it are the same.
alike() {
  local session=$1
  shift
  "$CKRUN" --json sessions log "$session" --all >log
  want=$(perl expect.pl "$bare" "$@" <log 2>wrong)
  got=$("$CKRUN" --json policy explain "$session" --all | perl recorded.pl)
  [ -n "$want" ] && [ "$got" = "$want" ] && [ ! -s wrong ] && return
  diff <(echo "$want") <(echo "$got") | head -5 | sed 's/^/#   /' >&2
  head -3 wrong | sed 's/^/#   /' >&2
  return 1
}
seq_of() { sed 's/.*"seq":\([0-9]*\),.*/\1/' <<<"$1"; }
last_prune() { seq_of "$("$CKRUN" --json sessions log "$1" --kind pruned | tail -1)"; }

exits 137 "a session is killed" run flow.lua --profile p.lua --session s
from=$("$CKRUN" --json sessions checkpoints s | tail -1)
exits 0 "and goes on" resume s
HELD=$(sed 's/.*"id":"\([^"]*\)".*/\1/' <<<"$from")
export HELD
ok "what each policy said of each checkpoint is what bare Lua says" alike s odd silent old third
ok "at several prunes" test "$(cut -d' ' -f1 <<<"$want" | sort -u | wc -l)" -ge 4
ok "some dropped by both" grep -q 'drop:odd drop:old$' <<<"$want"
ok "some kept against both" grep -q 'drop:odd drop:old keep:third' <<<"$want"
ok "some kept that nobody would drop" grep -qE '^[0-9]+ [0-9]+ keep:third$' <<<"$want"

# Of one boundary alone, as in the list of all: gone or there, and by whom.
cat >alone.pl <<'E'
use JSON::PP;
my $json = JSON::PP->new->canonical->allow_nonref;
my ($compared, $gone) = (0, 0);
for my $line (grep /"kind":"boundary"/, qx("$ENV{CKRUN}" --json policy explain s --all)) {
  my $of = $json->decode($line);
  my ($alone) = map { $json->decode($_) } grep /"kind":"boundary"/,
    qx("$ENV{CKRUN}" --json policy explain s $of->{seq});
  $compared++;
  $gone++ if $of->{pruned};
  for (qw(checkpoint taken pruned pruned_at pruned_by kept_at kept_by against)) {
    my ($all, $one) = map { $json->encode($_) } $of->{$_}, $alone->{$_};
    print "$of->{seq}: $_ is $one alone, and $all of all\n" if $one ne $all;
  }
}
print "$compared boundaries, none gone\n" if !$gone || $gone == $compared;
E
is "each is said alone what is said of it among all" "$(CKRUN=$CKRUN perl alone.pl)" ""

# ---- a checkpoint says which of them dropped it, and who kept it against whom ----

gone=$(grep -E ' drop:odd$' <<<"$want" | head -1 | cut -d' ' -f1,2)
exits 0 "one that one policy alone dropped" policy explain s "${gone#* }"
has "names that one" "$out" "it was pruned at event ${gone% *}, by odd"
ok "and no other" bash -c '! grep -q "by odd, \|by one of" <<<"$1"' - "$out"
kept=$(grep 'drop:odd drop:old keep:third' <<<"$want" | tail -1 | cut -d' ' -f1,2)
exits 0 "one that was kept against two" policy explain s "${kept#* }"
has "names all" "$out" \
  "it was kept at event ${kept% *}, by third; it would have been dropped by odd, old"
exits 0 "as JSON" --json policy explain s "${kept#* }"
is "too" "$(json "$out" '[@$d{qw(kept_at kept_by against)}]')" \
  "[${kept% *},[\"third\"],[\"odd\",\"old\"]]"
stayed=$(grep -E "^[0-9]+ $(seq_of "$from") drop:" <<<"$want" | tail -1)
ok "the one that the run went on from would be dropped" test -n "$stayed"
exits 0 "which stays" policy explain s "$(seq_of "$from")"
has "and says why" "$out" "it was kept at event ${stayed%% *}, as the latest, pinned, or one that"

# ---- by hand: policies that are others than those of the run ----

echo 'return { name = "h", policies = { "every_boundary" } }' >h.lua
sed 's/die.sh/true/; s/"[^"]*true"/"true"/' flow.lua >calm.lua
run run calm.lua --profile h.lua --session hand
run sessions pin hand "$("$CKRUN" --json sessions checkpoints hand |
  sed -n '2s/.*"id":"\([^"]*\)".*/\1/p')"
HELD=$("$CKRUN" --json sessions checkpoints hand | sed -n '2s/.*"id":"\([^"]*\)".*/\1/p')
echo 'return { name = "h", policies = { "every_boundary", "./third.lua", "./old.lua" } }' >h.lua
exits 0 "a person has other policies prune" sessions prune hand
ok "what they said is recorded" alike hand third old
ok "of what they kept, too" grep -q ' drop:old keep:third$' <<<"$want"
pinned=$("$CKRUN" --json policy explain hand "$HELD")
is "the pinned one says who would have dropped it" "$(json "$pinned" '[@$d{qw(pruned against)}]')" \
  '[false,["old"]]'
exits 0 "the rest" policy explain hand "$(last_prune hand)"
has "is told in words" "$out" ": drop: old; keep: third"
run run calm.lua --profile h.lua --session count
run sessions prune count --keep 3
exits 0 "a person who says how many stay" --json policy explain count "$(last_prune count)"
is "asks nobody: nothing is recorded of any" "$(json "$out" '[$d->{candidates}, $d->{answers}]')" \
  '[null,[]]'

# ---- more than an event keeps; agents and lists longer than names are kept of ----

sed 's/1, 12/1, 80/' calm.lua >long.lua
cat >comb.lua <<'E'
return { name = "comb", version = 1, prune = function(history)
  local drop = {}
  for i = 1, #history, 2 do drop[#drop + 1] = history[i].id end
  return { drop = drop }
end }
E
echo 'return { name = "l", policies = { "every_boundary" } }' >l.lua
exits 0 "a long session" run long.lua --profile l.lua --session long
echo 'return { name = "l", policies = { "./comb.lua" } }' >l.lua
exits 0 "every other checkpoint goes" sessions prune long
gone=$("$CKRUN" --json sessions log long --kind pruned | grep -o checkpoint_ | wc -l)
exits 0 "64 groups are kept" --json policy explain long "$(last_prune long)"
is "the others are counted, the latest among them, which stays" \
  "$(json "$out" '[scalar @{$d->{candidates}}, 64 + $d->{candidates_more} - @{$d->{dropped}}]')" \
  "[64,1]"
ok "there are others" test "$gone" -gt 70
exits 0 "in words" policy explain long "$(last_prune long)"
has "too" "$out" "what was said of $((gone - 63)) more checkpoints is not recorded"
late=$("$CKRUN" --json policy explain long | grep '"pruned":true' | tail -1)
is "one of them still has the policy of whom it can only be" "$(json "$late" '$d->{pruned_by}')" \
  '["comb"]'

# ---- what an earlier ckrun wrote ----

cp "$root/tests/golden/schema2.db" old.db
exits 0 "an older store" --store sqlite:old.db --json policy explain pruned
pruned=$(grep '"kind":"pruned"' <<<"$out")
is "tells of no checkpoint who said what" "$(json "$pruned" \
  '[$d->{recorded}, $d->{candidates}, $d->{candidates_more}, scalar @{$d->{dropped}}]')" \
  '["no",null,null,2]'
exits 0 "in words" --store sqlite:old.db policy explain pruned "$(seq_of "$pruned")"
has "what went" "$out" " was dropped"
has "and that it is not known by whom" "$out" "who dropped them is not recorded"
ok "nobody is said to have dropped or kept any" bash -c '! grep -q "drop:\|keep:" <<<"$1"' - "$out"
exits 0 "the stores are sound" store verify
finish
