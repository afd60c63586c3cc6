#!/bin/bash
# tune_groups.t - policy tune tells checkpoints and losses by agent and kind of boundary, of the
# sessions held out and of the others: as a script counts them in the transcripts by the policy's
# rule.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# Which boundaries have a checkpoint depends on nothing but their seq.
cat >nth.lua <<'E'
return { name = "nth", version = 1, options = { n = 7 }, ranges = { n = { 2, 9 } },
  checkpoint = function(at, opt) return at.seq % opt.n == 0 end }
E
echo 'return { name = "p", policies = { "./nth.lua" } }' >p.lua
cat >work.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "work", start = "a", nodes = {
  a = function(ctx) ctx.memory.x = 1 end, b = function() end }, edges = { a = "b", b = flow.done } }
E
for n in 1 2 3; do
  exits 0 "a session of an agent" run "$flow" --cassette "$cassette" --profile default \
    --session "air$n"
  exits 0 "one of nobody" run work.lua --profile default --session "work$n"
done

# counted N GIVEN SESSION…: see losses.pl.
counted() {
  local n=$1 given=$2 one
  shift 2
  for one; do "$CKRUN" --json sessions log "$one" --all; done |
    perl "$root/tests/host/command/losses.pl" "$n" "$given"
}
# told PART: the same of the report.
told() {
  perl -MJSON::PP -e '
    my $part = decode_json($ARGV[0])->{parts}[$ARGV[1]];
    print sort map { my $g = $_;
      my @lost = map { my $what = $_; map {
          my $loss = $g->{$_}{lost}{$what};
          !defined $loss ? "null" : $what eq "cost_usd" ? sprintf "%.0f", $loss * 1e6 + 1e-9
            : sprintf "%.3f", $loss + 1e-9
        } qw(given tuned) } qw(time_ms cost_usd tokens tool_calls);
      join(" ", $g->{agent} // "-", $g->{boundary} // "-", $g->{boundaries},
        (map { $g->{$_}{checkpoints} } qw(given tuned)), @lost) . "\n" }
      @{$part->{groups}}' "$out" "$1"
}

exits 0 "tune" --json policy tune p.lua --holdout 0.5 --checkpoints 40
n=$(json "$out" '$d->{options}[0]{value}')
ok "the option is another than given" test "$n" -ne 7
is "two parts" "$(json "$out" 'join ",", map { $_->{part} } @{$d->{parts}}')" "training,held out"
for part in 0 1; do
  # shellcheck disable=SC2046
  want=$(counted "$n" 7 $(json "$out" "join ' ', @{\$d->{parts}[$part]{sessions}}"))
  is "part $part: each agent's and kind's are those counted" "$(told $part)" "$want"
  ok "part $part: an agent, and nobody" \
    test "$(cut -d' ' -f1 <<<"$want" | sort -u | tr '\n' ' ')" = "- airline "
  is "part $part: together all checkpoints" \
    "$(json "$out" "my \$s = 0; \$s += \$_->{tuned}{checkpoints} for @{\$d->{parts}[$part]{groups}};
      \$s - \$d->{parts}[$part]{tuned}{checkpoints}")" 0
done
held=$(told 1 | grep '^airline tool_round')
exits 0 "in words" policy tune p.lua --holdout 0.5 --checkpoints 40
has "the part held out is told" "$out" "held out, by agent and boundary, as given -> tuned"
ok "with its counts" grep -qP "airline\ttool_round\t$(cut -d' ' -f3 <<<"$held")\t$(
  cut -d' ' -f4 <<<"$held") -> $(cut -d' ' -f5 <<<"$held")\t" <<<"$out"

# Recorded elsewhere, with times and agents below others.
data=$root/tests/lua/import/data
for file in claude_code.jsonl pi.jsonl openai.json swe_agent.traj relay.json; do
  run --json sessions import "$data/$file"
  [ "$code" = 0 ] || is "$file is imported" "$code" 0
done
over=()
for id in $("$CKRUN" --json sessions list | grep -o '"imported_[^"]*"' | tr -d '"' | sort -u); do
  over+=(--over "$id")
done
exits 0 "imported sessions" --json policy tune p.lua --holdout 0 --checkpoints 60 "${over[@]}"
n=$(json "$out" '$d->{options}[0]{value}')
# shellcheck disable=SC2046
want=$(counted "$n" 7 $(json "$out" "join ' ', @{\$d->{parts}[0]{sessions}}"))
is "each agent's and kind's are those counted" "$(told 0)" "$want"
ok "of some agents, in time, tokens and calls of tools" test "$(awk '
  $6 > 0 { time++ } $10 > 0 { tokens++ } $12 > 0 { calls++ } { agents[$1] = 1 }
  END { print (time > 0) + (tokens > 0) + (calls > 0) + (length(agents) > 2) }' <<<"$want")" = 4
exits 0 "without any held out" policy tune p.lua --holdout 0 --checkpoints 40
has "those of training are" "$out" "training, by agent and boundary, as given -> tuned"
finish
