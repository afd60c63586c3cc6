#!/bin/bash
# tune.t - expected_loss as tuned on seven in ten recorded sessions, against every_n at as many
# checkpoints on the other three, in five splits; prints the figures. A part of the campaign.
#   TUNE_TRIES=N      settings tried for each split; without it the test is left out
#   TUNE_SEEDS="1 …"  the splits (default: 1 2 3 4 5)
. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1
data=${CKRUN_DATA:-$root/../shared/data}
if [ -z "${TUNE_TRIES:-}" ]; then
  skip "a part of the campaign: tests/campaign.sh tune"
  finish
fi
if [ ! -f "$data/FORMATS.md" ]; then
  skip "no recorded sessions: \$CKRUN_DATA"
  finish
fi
# All that importers know. A sub-agent's file repeats what its session's file tells.
while read -r file; do
  "$CKRUN" sessions import "$file" >/dev/null 2>&1
done < <(find "$data" -name '*.json' -o -name '*.jsonl' -o -name '*.traj' -o -name '*.txt' |
  grep -vE '/LICENSES/|/subagents/' | LC_ALL=C sort)
sessions=$("$CKRUN" sessions list | grep -c .)
echo "# $sessions sessions"
ok "there are recorded sessions to split" test "$sessions" -ge 10
echo 'return { name = "loss", policies = { "expected_loss" } }' >loss.lua
for seed in ${TUNE_SEEDS:-1 2 3 4 5}; do
  exits 0 "split $seed" --json policy tune loss.lua --checkpoints 50 --tries "$TUNE_TRIES" \
    --seed "$seed"
  echo "$out" >>splits.jsonl
done
perl -MJSON::PP -e '
  my (@money, %worst);
  while (<>) {
    my $d = decode_json($_);
    my $p = $d->{parts}[1];
    printf "# seed %d: %d of %d boundaries held out;", $d->{seed}, $p->{tuned}{checkpoints},
      $p->{boundaries};
    for my $c (@{$p->{changes}}) {
      printf " %s %+.1f%% (%+.1f..%+.1f)", $c->{of}, map { 100 * $c->{$_} } qw(share low high);
      push @money, $c->{share} if $c->{of} eq "cost_usd";
      my $worst = \$worst{$c->{of}};
      $$worst = $c->{share} if !defined $$worst || $c->{share} > $$worst;
    }
    print "\n";
  }
  @money = sort { $a <=> $b } @money;
  printf "median\t%.4f\n", $money[@money / 2];
  printf "worst %s\t%.4f\n", $_, $worst{$_} for sort keys %worst;
' splits.jsonl >figures
sed '/^#/!s/^/# /' figures
# at_most NAME MOST: a figure of that name.
at_most() {
  ok "$1 is at most $2" perl -e 'exit !($ARGV[0] <= $ARGV[1])' -- \
    "$(cell "$(cat figures)" "$1")" "$2"
}
at_most median -0.15
at_most "worst cost_usd" 0
for kind in time_ms tokens tool_calls; do at_most "worst $kind" 0.02; done
finish
