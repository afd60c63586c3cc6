#!/bin/bash
# explain_rerun.t - policy explain --rerun asks every hook that a policy has, checkpoint or not, and
# lists the answers that would be others; prune is asked over the checkpoints that there were then.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
local function nothing() end
return flow.graph { name = "work", start = "a", nodes = {
  a = nothing, b = nothing, c = nothing,
  build = flow.exec { argv = { "sh", "-c", "[ -e built ] || { touch built; exit 7; }" },
    class = "idempotent" },
  send = flow.exec { argv = { "echo", "my card 4111" }, class = "once" },
}, edges = { a = "b", b = "c", c = "build", build = "send", send = flow.done } }
E
cat >keep_three.lua <<'E'
return { name = "keep_three", version = 1, prune = function(history)
  local drop = {}
  for i = 1, #history - 3 do drop[i] = history[i].id end
  return { drop = drop }
end }
E
cat >live.lua <<'E'
return { name = "live", version = 1,
  on_failure = function() return "retry" end,
  permit = function(effect) if effect.class == "once" then return "allow" end end }
E
cat >p.lua <<'E'
return { name = "p", policies = { "every_boundary", "./keep_three.lua", "./live.lua" },
  prune_every_n_nodes = 2 }
E
exits 0 "a session" run flow.lua --profile ./p.lua --session s
"$CKRUN" --json sessions log s --all >log

# by_hand PERL: what goes at each prune, worked out from the transcript: of the ids that there are
# by then, oldest first, those that PERL gives. The run asks after two checkpoints, and at its end;
# where nothing went then, the checkpoint's own event stands for the prune. Prints what went then
# and what would go now: each has its own history.
by_hand() {
  perl -MJSON::PP -e '
    my $choose = eval "sub { $ARGV[0] }"; my (%then, %now, @all, $taken);
    my @events = grep {
      $_->{kind} eq "pruned" || $_->{kind} eq "boundary" && $_->{body}{checkpoint}
    } map { decode_json($_) } <STDIN>;
    for my $i (0 .. $#events) {
      my $e = $events[$i];
      next if $e->{kind} eq "pruned";
      push @all, $e->{body}{checkpoint};
      next if ++$taken < 2 && $e->{body}{kind} ne "final";
      $taken = 0;
      my $prune = $i < $#events && $events[$i + 1]{kind} eq "pruned" ? $events[$i + 1] : undef;
      my %went = map { $_ => 1 } $prune ? @{$prune->{body}{ids}} : ();
      my %goes = map { $_ => 1 } grep { $_ ne $all[-1] } $choose->(grep { !$now{$_} } @all);
      for my $id (@all) {
        next if !$went{$id} && !$goes{$id};
        my @words = map { $_->[0]{$id} ? "drop" : $_->[1]{$id} ? "gone" : "keep" }
          [\%went, \%then], [\%goes, \%now];
        print join(" ", ($prune // $e)->{seq}, $id, @words), "\n";
      }
      @then{keys %went} = values %went;
      @now{keys %goes} = values %goes;
    }' "$1" <log
}
asked() {
  "$CKRUN" --json policy simulate s --hook prune --list "$@" | perl -MJSON::PP -ne '
    for (map { @{$_->{places}} } @{decode_json($_)->{profiles}[0]{sessions}}) {
      print "$_->{seq} $_->{about} $_->{recorded}{answer} $_->{now}{answer}\n" }'
}
# rows POLICY: of --rerun, without the columns of why.
rows() { "$CKRUN" policy explain s --rerun "$1" 2>notices | cut -f 1,2,3,5,7; }

# ---- prune ----
same=$(by_hand '@_[0 .. $#_ - 3]')
ok "checkpoints went more than once" test "$(cut -d' ' -f1 <<<"$same" | sort -u | wc -l)" -ge 2
is "the same policy drops at each prune what it dropped" "$(asked --profile ./p.lua)" "$same"
is "none of it would be otherwise" "$(grep -c ' drop keep\| keep drop' <<<"$same")" 0
sed 's/keep_three/keep_two/; s/#history - 3/#history - 2/' keep_three.lua >keep_two.lua
two=$(by_hand '@_[0 .. $#_ - 2]')
is "one that keeps less drops others, too" "$(asked --policy ./keep_two.lua)" "$two"
ok "some of them" grep -q ' keep drop$' <<<"$two"
is "explain --rerun lists those alone" "$(rows keep_two.lua)" \
  "$(awk '$3 != $4 { print $1 "\tprune\t" $2 "\t" $3 "\t" $4 }' <<<"$two")"
has "and counts them" "$(cat notices)" \
  "prune: $(awk '$3 != $4' <<<"$two" | wc -l) of $(wc -l <<<"$two") answers would be others: ckrun"
echo 'return { name = "all", version = 1, prune = function(history)
  local drop = {}
  for i, c in ipairs(history) do drop[i] = c.id end
  return { drop = drop } end }' >all.lua
is "the last one stays whatever a policy says" "$(asked --policy ./all.lua)" \
  "$(by_hand '@_')"
echo 'return { name = "bytes", version = 1, prune = function(history)
  return #history > 0 and history[1].bytes > 5 and {} or nil end }' >bytes.lua
run --json policy simulate s --hook prune --policy ./bytes.lua
is "what storing has changed since is not told" \
  "$(json "$out" '$d->{profiles}[0]{unknown}[0]{field}')" checkpoint.bytes

is "the log tells what went, and leaves who said what to explain" \
  "$("$CKRUN" sessions log s --all --kind pruned | cut -f 7 |
    sed -E 's/("[^"]*",?)+/ID/g; s/[0-9]+/N/' | sort -u)" "ids [ID]  bytes N"

# ---- whose it was ----
gone=$(head -1 <<<"$same" | cut -d' ' -f2)
at=$(head -1 <<<"$same" | cut -d' ' -f1)
exits 0 "a checkpoint that is gone" policy explain s "$gone"
has "is told with who dropped it" "$out" "it was pruned at event $at, by keep_three"
exits 0 "as JSON" --json policy explain s "$gone"
is "by name" "$(json "$out" 'join " ", $d->{pruned_at}, @{$d->{pruned_by}}')" "$at keep_three"
sed 's/"p"/"both"/; s/"\.\/live.lua"/".\/keep_two.lua"/' p.lua >both.lua
rm built
run run flow.lua --profile ./both.lua --session both
gone=$("$CKRUN" --json sessions log both --kind pruned --all |
  perl -MJSON::PP -ne '$id = decode_json($_)->{body}{ids}[0]; END { print $id }')
exits 0 "one that several dropped" policy explain both "$gone"
has "tells all of them" "$out" ", by keep_three, keep_two"
exits 0 "a person's choice" sessions prune s --keep 1
gone=$("$CKRUN" --json sessions log s --kind pruned --all |
  perl -MJSON::PP -ne '$id = decode_json($_)->{body}{ids}[0]; END { print $id }')
exits 0 "what a person dropped" policy explain s "$gone"
ok "is no policy's" grep -qE '^it was pruned at event [0-9]+$' <<<"$out"

# ---- the other hooks ----
cat >other.lua <<'E'
return { name = "other", version = 1,
  on_failure = function(failure) return failure.try == 1 and "pause" or nil end,
  in_doubt = function() return "tell" end,
  permit = function(effect) if effect.class == "once" then return ck.ask("Send?") end end,
  redact = function(item)
    return item.kind == "outcome" and ck.mask(item.value, "[0-9]{4}") or nil
  end }
E
failure=$(perl -ne 'print $1 if /"seq":(\d+),.*"failure":\{/' log)
intent=$(perl -ne 'print $1 if /"seq":(\d+),.*"kind":"intent".*"once"/' log)
is "each answer that would be another is a row" "$(rows other.lua | sort -n)" \
  "$failure	on_failure	main/build#1/exec/1	retry	pause
$intent	permit	main/send#1/exec/1	allow	ask"
has "what would be masked is counted" "$(cat notices)" "redact: 1 of "
has "a hook that nobody would have asked is told, too" "$(cat notices)" "in_doubt: asked 0 times"
exits 0 "one event" policy explain s "$intent" --rerun other.lua
has "is told in a sentence" "$out" \
  "permit, main/send#1/exec/1: allow, asked now: ask (other: Send?)"
exits 0 "as JSON" --json policy explain s "$intent" --rerun other.lua
is "an object" "$(json "$(tail -1 <<<"$out")" \
  'join " ", $d->{hook}, $d->{seq}, $d->{recorded}{answer}, $d->{now}{answer}, $d->{differs}')" \
  "permit $intent allow ask 1"
exits 0 "the session's own" policy explain s --rerun live.lua
is "answers as it did" "$out" ""
exits 0 "a profile" policy explain s --rerun p.lua
is "too" "$out" ""

# ---- a fork: the checkpoints before its cut are the origin's ----
"$CKRUN" sessions fork s latest --session fork >/dev/null
exits 0 "prune is asked of a fork, too" --json policy simulate fork --hook prune --policy ./all.lua
is "which has none of its own to drop" \
  "$(json "$out" 'scalar map { @{$_->{places} // []} } @{$d->{profiles}[0]{sessions}}')" 0
exits 0 "and its decisions are asked again" policy explain fork --rerun p.lua
finish
