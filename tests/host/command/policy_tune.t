#!/bin/bash
# policy_tune.t - policy tune finds the options that lose least, by the training sessions alone, and
# writes a profile that comes to the figures it tells.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# session ID DOLLARS: twelve rounds of a call each, every one for so many dollars.
session() {
  perl -e '
    my ($id, $usd) = @ARGV;
    my $at = 1;
    sub at { sprintf "2030-02-01T00:%02d:%02d.000Z", int($at / 60), $at++ % 60 }
    printf qq({"type":"session","id":"%s","timestamp":"%s","cwd":"/tmp"}\n), $id, at();
    for my $n (1 .. 12) {
      printf qq({"type":"message","timestamp":"%s","message":{"role":"assistant","content":[) .
        qq({"type":"toolCall","id":"p%d","name":"look","arguments":{}}],"usage":{"input":3,) .
        qq("output":5,"cost":{"total":%s}},"stopReason":"toolUse"}}\n), at(), $n, $usd;
      printf qq({"type":"message","timestamp":"%s","message":{"role":"toolResult","toolCallId":) .
        qq("p%d","toolName":"look","content":[],"isError":false}}\n), at(), $n;
    }' "$1" "$2" >"$1.jsonl"
}
# store NAME ID=DOLLARS…: a store of such sessions.
store() {
  local name=$1 one
  shift
  for one; do
    session "${one%=*}" "${one#*=}"
    exits 0 "$name: import ${one%=*}" --store "sqlite:$dir/$name.db" sessions import \
      "${one%=*}.jsonl" --session "${one%=*}"
  done
}

# Takes a checkpoint once `usd` are at risk; when it is lazy, only from the fifth boundary on.
cat >stake.lua <<'EOF2'
return { name = "stake", version = 1, options = { usd = 1, lazy = true, words = { "a" } },
  ranges = { usd = { 0.5, 12 }, lazy = { false, true } },
  checkpoint = function(at, opt)
    if opt.lazy and at.seq < 22 then return nil end
    return at.since.cost_usd >= opt.usd
  end }
EOF2
echo 'return { name = "stake", policies = { { "./stake.lua", words = { "b\"c" } } } }' \
  >stake_profile.lua

all="s1=1 s2=1 s3=1 s4=1 s5=1 s6=1 s7=1 s8=1"
# shellcheck disable=SC2086
store one $all
tune=(policy tune stake_profile.lua --checkpoints 34 --holdout 0.5 --tries 150)

# lost SESSION: micro-dollars that a crash loses on average, by the transcript, with a checkpoint at
# every third tool round: what was spent since, over all events.
lost() {
  "$CKRUN" --store sqlite:one.db --json sessions log "$1" --all | perl -MJSON::PP -ne '
    BEGIN { our ($lost, $events, $rounds, $risk) = (0, 0, 0, 0) }
    my $e = decode_json($_);
    $risk += $e->{body}{cost} // 0 if $e->{kind} eq "outcome";
    $lost += $risk;
    $events++;
    $risk = 0 if $e->{kind} eq "boundary" && !(++$rounds % 3);
    END { printf "%d", $lost / $events + 0.5 }'
}

# ---- the optimum ----
# 34 of 100 boundaries are 4 of 12: every third round, when three dollars are at risk. Whoever waits
# for the fifth round and takes every second one then has as many, 5, 7, 9 and 11, and loses more.
exits 0 "tune" --json --store sqlite:one.db "${tune[@]}" -o tuned.lua
told=$out
option() { json "$1" "(grep { \$_->{option} eq '$2' } @{\$d->{options}})[0]{value}"; }
is "it is not lazy" "$(option "$told" lazy)" false
ok "a checkpoint every third round: more than 2 dollars, at most 3" \
  perl -e 'exit !($ARGV[0] > 2 && $ARGV[0] <= 3)' "$(option "$told" usd)"
part() { json "$told" "\$d->{parts}[$1]$2"; }
is "the parts" "$(part 0 '{part}'), $(part 1 '{part}')" "training, held out"
is "half of the sessions each" \
  "$(json "$told" 'join " ", map { scalar @{$_->{sessions}} } @{$d->{parts}}')" "4 4"
is "none is in both" "$(json "$told" 'my %n; $n{$_}++ for map { @{$_->{sessions}} } @{$d->{parts}};
  join " ", scalar(keys %n), grep { $n{$_} > 1 } keys %n')" "8"
is "four checkpoints a session" \
  "$(part 0 '{tuned}{checkpoints}') $(part 1 '{tuned}{checkpoints}')" "16 16"
is "what a crash loses, by hand" "$(part 0 '{tuned}{lost}{cost_usd}')" \
  "$(perl -e 'print $ARGV[0] / 1e6' "$(lost "$(part 0 '{sessions}[0]')")")"
is "as many as may be: 34 of 100 boundaries" "$(json "$told" '$d->{most_checkpoints}')" \
  "$(json "$told" 'int(($d->{parts}[0]{boundaries} * 34 + 99) / 100)')"

# ---- the written profile ----
exits 0 "it loads" profile check tuned.lua
for at in 0 1; do
  list=$(json "$told" "join ' ', @{\$d->{parts}[$at]{sessions}}")
  # shellcheck disable=SC2086
  exits 0 "part $at simulated" --json --store sqlite:one.db policy simulate --profile tuned.lua \
    $list
  is "part $at: checkpoints, bytes and losses of the written profile are those told" \
    "$(json "$out" 'my $p = $d->{profiles}[0]; my $l = $p->{lost};
      +{ checkpoints => $p->{checkpoints}, written_bytes => $p->{written_bytes},
         lost => { map { ($_ => $l->{$_} ? $l->{$_}{mean} : undef) } keys %$l } }')" \
    "$(part "$at" '{tuned}')"
done
has "it extends the one given, as seen from itself" "$(cat tuned.lua)" \
  'extends = "./stake_profile.lua"'
has "and its policy is" "$(cat tuned.lua)" '{ "./stake.lua",'
has "options that are not tuned stay" "$(cat tuned.lua)" '["words"] = { "b\034c" }'
has "it says its seed" "$(cat tuned.lua)" "seed 1, 150 settings tried"
has "and a session" "$(cat tuned.lua)" "$(part 0 "{sessions}[0]")"

# ---- the same again ----
cp tuned.lua first.lua
refused 5 "a file that is there" \
  "tuned.lua is there already: name another file with -o, or write over it with --force" \
  --store sqlite:one.db "${tune[@]}" -o tuned.lua
ok "and is left as it is" cmp first.lua tuned.lua
echo "-- taken" >tuned.lua
exits 0 "tune again" --json --store sqlite:one.db "${tune[@]}" -o tuned.lua --force
is "the same seed gives the same output" "$out" "$told"
ok "and the same file" cmp first.lua tuned.lua
exits 0 "another seed" --json --store sqlite:one.db "${tune[@]}" --seed 2
ok "another seed holds out others" test "$(json "$out" '$d->{parts}[1]{sessions}')" != \
  "$(part 1 '{sessions}')"

# ---- what is held out has no say ----
# In a second store those held out cost ten dollars a round: by all of them, three dollars would be
# a checkpoint at each of their rounds, and far too many.
other=
for one in $all; do
  id=${one%=*}
  if json "$told" "join ' ', @{\$d->{parts}[1]{sessions}}" | grep -qw "$id"; then
    other="$other $id=10"
  else
    other="$other $one"
  fi
done
# shellcheck disable=SC2086
store two $other
exits 0 "tune the second store" --json --store sqlite:two.db "${tune[@]}"
is "the same sessions are held out" "$(json "$out" '$d->{parts}[1]{sessions}')" \
  "$(part 1 '{sessions}')"
is "the choice is the same" "$(json "$out" '$d->{options}')" "$(json "$told" '$d->{options}')"
is "and so is the frontier" "$(json "$out" '$d->{frontier}')" "$(json "$told" '$d->{frontier}')"
is "what is held out costs more" \
  "$(json "$out" '$d->{parts}[1]{tuned}{checkpoints}')" 48

# ---- for people ----
exits 0 "in words" --store sqlite:one.db "${tune[@]}"
ok "no line of the drawing is wider than a terminal" \
  awk '/^Training/ { on = 1 } on && length > 80 { exit 1 }' <<<"$out"
is "nothing on stderr that is no terminal" "$err" ""

# ---- one session has no interval ----
# intervals: of the last document, part by part, how many comparisons have one.
intervals() {
  json "$out" '[map { my @c = @{ $_->{changes} }; [scalar @c, scalar grep { defined $_->{low} &&
    defined $_->{high} } @c] } @{ $d->{parts} }]'
}
single=(policy tune stake_profile.lua --checkpoints 34 --tries 20 --over s1)
exits 0 "of several" --json --store sqlite:one.db "${single[@]}" s2 s3 --holdout 0.3
is "the part with two has intervals, that with one has none" "$(intervals)" "[[4,4],[4,0]]"
exits 0 "of one, in words" --store sqlite:one.db "${single[@]}" --holdout 0
has "says that it is one" "$out" "% (one session: no interval)"
is "and has no figures of one" "$(grep -c '%[^a-z]*\.\.' <<<"$out")" 0

# ---- interrupted ----
echo "-- old" >old.lua
timeout -s INT 0.2 "$CKRUN" --store sqlite:one.db "${tune[@]}" --tries 10000 -o old.lua --force \
  >interrupted 2>&1
ok "an interrupted search leaves the file as it was, or whole" \
  grep -qxE -- '-- old|}' <(tail -n 1 old.lua)
is "and nothing beside it" "$(echo old.lua*)" old.lua

# ---- where it is written, and of what ----
quick=(--checkpoints 34 --holdout 0 --tries 20)
mkdir -p deep/er beside
for at in deep/er/t.lua:../../ deep/t.lua:../ t.lua:./; do
  file=${at%:*}
  exits 0 "tune into $file" --store sqlite:one.db policy tune stake_profile.lua "${quick[@]}" \
    -o "$file"
  has "$file: paths are seen from there" "$(cat "$file")" "extends = \"${at#*:}stake_profile.lua\""
  has "$file: of policies, too" "$(cat "$file")" "{ \"${at#*:}stake.lua\","
  exits 0 "$file: loads" profile check "$file"
done
ln -s "$dir/deep" beside/link
exits 0 "through a link" --store sqlite:one.db policy tune stake_profile.lua "${quick[@]}" \
  -o beside/link/linked.lua
exits 0 "its file loads" profile check beside/link/linked.lua
mkdir moved && cp stake.lua stake_profile.lua moved && cp t.lua moved
exits 0 "they can be moved together" --json profile show moved/t.lua
is "and name each other" "$(json "$out" 'my %of = map { ($_->{from} => 1) }
  grep { ($_->{origin} // "") =~ m{^/} && $_->{origin} !~ m{/moved/} } @{$d->{settings}};
  join " ", %of')" ""
exits 0 "one that was tuned" --store sqlite:one.db policy tune deep/t.lua "${quick[@]}" -o next.lua
has "keeps its name" "$(cat next.lua)" 'name = "stake_tuned"'
for file in deep/t.lua stake_profile.lua stake.lua deep/../stake.lua; do
  cp "$file" before
  refused 5 "over $file, which it is made of" \
    "$file is a file that ckrun works by: name another one" --store sqlite:one.db \
    policy tune deep/t.lua "${quick[@]}" -o "$file" --force
  ok "$file is left" cmp before "$file"
done
refused 3 "a folder that is not there" "cannot write nowhere/t.lua: No such file" \
  --store sqlite:one.db policy tune stake_profile.lua "${quick[@]}" -o nowhere/t.lua
refused 2 "--force without a file" "--force: of the file that -o names" \
  --store sqlite:one.db policy tune stake_profile.lua "${quick[@]}" --force

# ---- mistakes ----
refused 2 "a profile without options" "profile default: none of its policies that decide on" \
  --store sqlite:one.db policy tune default
cat >choosy.lua <<'EOF2'
return { name = "choosy", version = 1, options = { n = 4 }, allowed = { n = { 3, 5 } },
  checkpoint = function(at, opt) return at.since.boundaries >= opt.n end }
EOF2
echo 'return { name = "choosy", policies = { "./choosy.lua" } }' >choosy_profile.lua
exits 0 "values that a policy does not allow are passed over" --json --store sqlite:one.db \
  policy tune choosy_profile.lua --checkpoints 100
is "and the best of the others is found" "$(option "$out" n)" 3
cat >agent_profile.lua <<'EOF2'
return { name = "both", policies = { "./stake.lua" },
  agents = { ann = { policies = { { "./stake.lua", usd = 2 } } } } }
EOF2
refused 2 "an agent with the same policy" \
  "agents.ann.policies: stake is in the profile's own list" \
  --store sqlite:one.db policy tune agent_profile.lua
for share in 1 -0.1 x 0.5x nan; do
  refused 2 "--holdout $share" "--holdout $share: a share from 0 to less than 1 is expected" \
    --store sqlite:one.db policy tune stake_profile.lua "--holdout=$share"
done
refused 2 "--checkpoints 101" "1 to 100 are expected" --store sqlite:one.db policy tune \
  stake_profile.lua --checkpoints 101
refused 3 "no store" "store/ckrun.db" policy tune stake_profile.lua
refused 3 "a session that is not there" "nobody" --store sqlite:one.db policy tune \
  stake_profile.lua --over nobody
echo '{"type":"session","id":"none","timestamp":"2030-02-01T00:00:01.000Z","cwd":"/tmp"}' \
  >none.jsonl
exits 0 "import a session without a boundary" --store sqlite:three.db sessions import none.jsonl
refused 2 "sessions without boundaries" "none of the 1 sessions to tune by has a boundary" \
  --store sqlite:three.db policy tune stake_profile.lua
cat >broken.lua <<'EOF2'
return { name = "broken", version = 1, options = { n = 1 },
  checkpoint = function(at, opt) return opt.n + at.since.nothing end }
EOF2
echo 'return { name = "broken", policies = { "./broken.lua" } }' >broken_profile.lua
exits 5 "a policy that fails" --store sqlite:one.db policy tune broken_profile.lua
has "is told" "$err" "broken"

# ---- ranges ----
# ranged TEXT RANGES: policy check tells it.
ranged() {
  echo "return { name = 'ranged', version = 1,
    options = { n = 1, word = 'a', list = { 1 } }, ranges = $2 }" >ranged.lua
  exits 1 "ranges $2" policy check ranged.lua
  has "ranges $2: is told" "$out" "$1"
}
ranged "ranges: unknown option 'm'" "{ m = { 1, 2 } }"
ranged "option 'n': { low, high } is expected, two numbers from 0, the second one greater, not \
{ 10, 1.5 }" "{ n = { 10, 1.5 } }"
ranged "the second one greater, not { 2, 2 }" "{ n = { 2, 2 } }"
ranged "option 'n': { low, high } is expected" "{ n = { -1, 1 } }"
ranged "option 'n': { low, high } is expected" "{ n = { 1, 2, 3 } }"
ranged "option 'n': a list is expected" "{ n = 4 }"
ranged "option 'word': a list of two or more values is expected, each a string" "{ word = { 'a' } }"
ranged "option 'list' is no number, text or boolean" "{ list = { 1, 2 } }"
ranged "ranges: a table of options is expected, not a number" 1
echo "return { name = 'ranged', version = 1, options = { n = 1 }, ranges = { n = { 1, 9 } } }" \
  >ranged.lua
exits 0 "ranges that hold" policy check ranged.lua
sed -i 's/ranges/allowed/; s/{ 1, 9 }/{ 9, 1 }/' ranged.lua
exits 1 "what is allowed, turned round" policy check ranged.lua
has "is told" "$out" "allowed: 'n': { least, most } is expected, not { 9, 1 }: the first is greater"
sed -i 's/{ 9, 1 }/{ 1, 1 }/' ranged.lua
exits 0 "one number alone may be allowed" policy check ranged.lua

# ---- what the sessions say nothing about ----
# These sessions have tool rounds alone: whatever is found keeps the other options as given.
echo 'return { name = "inert", policies = { { "every_boundary", on_round_complete = false },
  "./stake.lua" } }' >inert.lua
for seed in 1 2 3; do
  exits 0 "seed $seed" --json --store sqlite:one.db policy tune inert.lua --holdout 0 \
    --checkpoints 34 --tries 60 --seed $seed
  is "seed $seed keeps what makes no difference" \
    "$(json "$out" 'join " ", sort map { "$_->{option}=$_->{value}" }
      grep { $_->{policy} eq "every_boundary" && $_->{option} ne "on_tool_round" &&
        defined $_->{given} && $_->{given} ne $_->{value} } @{$d->{options}}')" ""
done
finish
