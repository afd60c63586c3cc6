#!/bin/bash
# simulate.t - policy simulate decides about a live session what was decided live, and compares
# profiles on the same sessions.
. "$(dirname "$0")/../../host/tap.sh"
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1

# Policies that hang on everything a boundary tells: chance, time, money, tokens, what a checkpoint
# was measured to cost.
cat >chance.lua <<'EOF2'
return { name = "chance", version = 2, checkpoint = function(at)
  if at.random < 0.3 then return "chance " .. at.random end
  if at.now % 7 == 0 then return { reason = "the hour " .. at.now, durability = "sync" } end
  if at.checkpoint_cost_ms > 0.5 and at.since.boundaries > 2 then
    return "cost " .. at.checkpoint_cost_ms
  end
end }
EOF2
cat >stake.lua <<'EOF2'
return { name = "stake", version = 1, options = { usd = 0.004, drop = 3 },
  checkpoint = function(at, opt)
    local since = at.since
    if since.cost_usd >= opt.usd then return "stake " .. since.cost_usd end
    if since.tokens > 5000 or since.events > 20 or since.changed_bytes > 400
      or since.iterations > 2 then
      return true
    end
  end,
  prune = function(history, opt)
    local drop = {}
    for i = 1, #history - opt.drop do drop[i] = history[i].id end
    return { drop = drop }
  end }
EOF2
echo 'return { name = "chance", policies = { "./chance.lua" } }' >chance_profile.lua
echo 'return { name = "stake", policies = { "./stake.lua" } }' >stake_profile.lua
echo 'return { name = "both", policies = { "./stake.lua", "./chance.lua", "tool_rounds" } }' \
  >both_profile.lua
echo 'return { name = "nothing", policies = {} }' >nothing_profile.lua
profiles="default chance_profile.lua stake_profile.lua both_profile.lua nothing_profile.lua"

# same NAME PROFILE SESSION: the simulation under that profile decides as recorded, everywhere.
same() {
  exits 0 "$1: simulated under $2" --json policy simulate --profile "$2" "$3"
  is "$1: every decision under $2 is the recorded one" \
    "$(json "$out" 'my $p = $d->{profiles}[0];
      $p->{as_recorded} == $p->{boundaries} && $p->{boundaries} > 10')" 1
}
# took SESSION: how many checkpoints it took, those that were pruned later too.
took() { "$CKRUN" --json sessions log "$1" --all --kind boundary | \
  grep -c '"checkpoint":"checkpoint_'; }
for profile in $profiles; do
  name=${profile%_profile.lua}
  exits 0 "run under $profile" run "$flow" --cassette "$cassette" --session "live-$name" --profile \
    "$profile"
  same "live" "$profile" "live-$name"
  taken=$(took "live-$name")
  is "live-$name: as many checkpoints as were taken" \
    "$(json "$out" '$d->{profiles}[0]{checkpoints}')" "$taken"
  is "live-$name: as many kept as are left" "$(json "$out" '$d->{profiles}[0]{kept}')" \
    "$("$CKRUN" sessions checkpoints "live-$name" | grep -c .)"
  is "live-$name: the reasons add up" "$(json "$out" \
    'my $n = 0; $n += $_->{count} for @{$d->{profiles}[0]{reasons}}; $n >= '"$taken")" 1
done

# A session that dies and goes on, again and again.
if can_kill; then
  for profile in chance_profile.lua both_profile.lua; do
    id=killed-${profile%_profile.lua}
    die_midway 4 10 "$id" run "$flow" --cassette "$cassette" --session "$id" --profile "$profile"
    is "$id is killed while it runs" "$code" 137
    die_midway 6 10 "$id" resume "$id"
    is "$id is killed while it is resumed" "$code" 137
    exits 0 "resume $id" resume "$id"
    is "$id did die" "$("$CKRUN" sessions log "$id" --all --kind session_resumed | grep -c .)" 2
    same "killed and resumed" "$profile" "$id"
  done
else
  skip "no compiler for the library that kills: no session is killed"
fi

# Another profile than the recorded one, checked against a live run of its own: the cassette makes
# the same course.
for profile in stake_profile.lua nothing_profile.lua default; do
  name=${profile%_profile.lua}
  exits 0 "simulate $profile on others" --json policy simulate --profile "$profile" live-default \
    live-chance live-both live-nothing "live-$name"
  is "$name: the same checkpoints on each recording of the same course" \
    "$(json "$out" 'my %n; $n{$_->{checkpoints}}++ for @{$d->{profiles}[0]{sessions}};
      join ",", keys %n')" "$(took "live-$name")"
done

exits 0 "side by side" policy simulate --profile stake_profile.lua --profile default \
  --profile=nothing_profile.lua live-default live-chance
is "one column each" "$(head -n 1 <<<"$out")" "$(printf 'profile\tstake\tdefault\tnothing')"
table=$out
exits 0 "the same as JSON" --json policy simulate --profile stake_profile.lua --profile default \
  --profile=nothing_profile.lua live-default live-chance
for i in 0 1 2; do
  for row in "checkpoints:checkpoints" "checkpoints kept:kept" \
    "lost tokens, worst:lost}{tokens}{worst" \
    "lost tool calls, p95:lost}{tool_calls}{p95" "bytes kept, estimated:kept_bytes"; do
    is "table and JSON agree on ${row%%:*} of profile $i" \
      "$(awk -F'\t' -v name="${row%%:*}" -v at=$((i + 2)) '$1 == name { print $at }' <<<"$table")" \
      "$(json "$out" "\$d->{profiles}[$i]{${row#*:}}")"
  done
  is "table and JSON agree on lost money, p95 of profile $i, in dollars" \
    "$(awk -F'\t' -v at=$((i + 2)) '$1 == "lost money, p95" { print $at }' <<<"$table")" \
    "$(dollars "$(json "$out" "micros(\$d->{profiles}[$i]{lost}{cost_usd}{p95})")")"
done
p='$d->{profiles}'
is "without checkpoints a crash costs most" \
  "$(json "$out" "${p}[2]{lost}{cost_usd}{worst} > ${p}[0]{lost}{cost_usd}{worst} &&
    ${p}[2]{lost}{cost_usd}{mean} > ${p}[1]{lost}{cost_usd}{mean}")" 1
is "nothing but what is always taken" "$(json "$out" "${p}[2]{reasons}")" \
  '[{"count":2,"reason":"always at final"}]'
is "pruned: three a session, and the head" \
  "$(json "$out" "${p}[0]{kept} <= 6 && ${p}[0]{kept} < ${p}[0]{checkpoints}")" 1
is "bytes: no less than a row each" "$(json "$out" \
  "${p}[0]{written_bytes} >= ${p}[0]{checkpoints} * \$d->{row_bytes}")" 1
is "figures in reasons are folded" "$(json "$out" \
  "scalar grep { \$_->{reason} eq 'stake #' } @{${p}[0]{reasons}}")" 1

exits 0 "no session named: all" --json policy simulate
is "all are there, oldest first" "$(json "$out" \
  "scalar(@{${p}[0]{sessions}}) . ' ' . ${p}[0]{sessions}[0]{session}")" \
  "$("$CKRUN" sessions list | grep -c .) live-default"
exits 0 "the same profile twice" policy simulate --profile default --profile default live-default
is "is told apart" "$(head -n 1 <<<"$out")" "$(printf 'profile\tdefault\tdefault (2)')"

exits 0 "--plot" policy simulate --plot --profile default --profile nothing_profile.lua live-default
has "what is plotted" "$out" "live-default: lost money, over "
is "one line for each profile" "$(grep -c '[▁▂▃▄▅▆▇█]' <<<"$out")" 2
has "the highest is a full bar" "$(grep '^nothing  ' <<<"$out")" "█"
is "it grows where nothing is kept" "$(grep '^nothing  ' <<<"$out" | perl -CSD -Mutf8 -ne '
  my @c = map ord, grep /[▁▂▃▄▅▆▇█]/, split //;
  print "@c" eq join(" ", sort { $a <=> $b } @c) ? "yes" : "no"')" yes
exits 0 "--plot --json" --json policy simulate --plot live-default
is "the values are in the object" "$(json "$out" \
  "${p}[0]{sessions}[0]{plot}{of} . ' ' . scalar(@{${p}[0]{sessions}[0]{plot}{values}})")" \
  "cost_usd 72"

# Policies that fail are contained, told, and the exit code says so.
cat >weak.lua <<'EOF2'
return { name = "weak", version = 1,
  checkpoint = function(at) if at.seq > 30 then return 1 .. nil end end }
EOF2
echo 'return { name = "weak", policies = { "./weak.lua" } }' >weak_profile.lua
exits 5 "a policy that fails" policy simulate --profile weak_profile.lua live-default
has "its place is told" "$err" "weak.lua:2:"
has "and counted as the checkpoint that it comes to" "$out" "a policy failed"
exits 8 "a run under it pauses after three failures" run "$flow" --cassette "$cassette" --session \
  live-weak --profile weak_profile.lua
exits 5 "simulated" --json policy simulate --profile weak_profile.lua live-weak
is "contained live as simulated" "$(json "$out" "${p}[0]{as_recorded} == ${p}[0]{boundaries}")" 1

before=$("$CKRUN" store stats | grep -v wal_bytes)
exits 0 "simulate once more" policy simulate --profile stake_profile.lua
is "nothing is written" "$("$CKRUN" store stats | grep -v wal_bytes)" "$before"
refused 3 "a session that is not there" "nobody" policy simulate nobody
refused 2 "a malformed id" "session" policy simulate 'a/b'
refused 3 "a profile that is not there" "defalt" policy simulate --profile defalt live-default
refused 2 "too many profiles" "at most" policy simulate \
  $(printf -- '--profile default %.0s' $(seq 12)) live-default
refused 3 "no store" "nostore" --store sqlite:nostore.db policy simulate

# Imported sessions: recorded elsewhere, decided nowhere.
if [ -f "${CKRUN_DATA:-$root/../shared/data}/FORMATS.md" ]; then
  data=${CKRUN_DATA:-$root/../shared/data}
  exits 0 "import" sessions import "$data"/tau_bench/*.json "$data"/pi/*.jsonl --store \
    sqlite:import.db
  exits 0 "simulate what was imported" --store sqlite:import.db --json policy simulate --profile \
    default
  is "each session is there" "$(json "$out" "scalar @{${p}[0]{sessions}}")" \
    "$("$CKRUN" --store sqlite:import.db sessions list | grep -c .)"
  is "a source without costs has no losses of money" \
    "$(json "$out" "join ',', map { defined \$_->{lost}{cost_usd} ? 1 : 0 }
      grep { \$_->{session} =~ /tau_bench/ } @{${p}[0]{sessions}}" | tr -d '0,')" ""
  is "pi has money, time and tokens" "$(json "$out" \
    "join ',', map { my \$l = \$_->{lost};
      \$l->{cost_usd}{worst} > 0 && \$l->{time_ms}{worst} > 0 && \$l->{tokens}{worst} > 0
    } grep { \$_->{session} =~ /_pi_/ } @{${p}[0]{sessions}}")" 1
else
  skip "no recorded sessions: \$CKRUN_DATA"
fi
finish
