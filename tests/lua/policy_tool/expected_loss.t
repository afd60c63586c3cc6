#!/bin/bash
# expected_loss.t - at an equal number of checkpoints expected_loss loses less than every_n on
# recorded sessions; prints the figures.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
data=${CKRUN_DATA:-$root/../shared/data}
if [ ! -f "$data/FORMATS.md" ]; then
  skip "no recorded sessions: \$CKRUN_DATA"
  finish
fi
exits 0 "import pi and tau2" sessions import "$data"/pi/*.jsonl "$data"/tau2_bench/*.json

# How often sessions are taken to fail scales expected_loss from no checkpoint to one at each
# boundary. The largest number of checkpoints that is no more than that of every_n is looked for,
# ten scales at a time.
cat >compare.pl <<'EOF2'
use strict; use warnings; use JSON::PP;
my ($name, @sessions) = @ARGV;
my @of = (['cost_usd', 'dollars', 1], ['time_ms', 'seconds', 1e3], ['tokens', 'tokens', 1]);
sub profile {
  my ($file, $text) = @_;
  open my $out, '>', "$file.lua" or die;
  print $out "return { name = '$file', policies = { $text } }";
  "./$file.lua";
}
sub simulate {
  my @profiles = map { ('--profile', $_) } @_;
  open my $in, '-|', $ENV{CKRUN}, '--json', 'policy', 'simulate', @profiles, '--', @sessions or die;
  decode_json(do { local $/; <$in> })->{profiles};
}
for my $n (2, 3, 5, 10) {
  my $every = simulate(profile("every_$n", "{ 'every_n', n = $n }"))->[0];
  my ($low, $high, $best) = (-9, 6);
  for (1 .. 4) {
    my $step = ($high - $low) / 11;
    my @scales = map { $low + $step * $_ } 1 .. 10;
    my @policies = map {
      sprintf "{ 'expected_loss', failures_per_hour = %.12g }", 10 ** $_
    } @scales;
    my $tried = simulate(map { profile("loss_$_", $policies[$_]) } 0 .. 9);
    for (0 .. 9) {
      next if $tried->[$_]{checkpoints} > $every->{checkpoints};
      ($best, $low) = ($tried->[$_], $scales[$_]);
    }
    $high = $low + $step;
  }
  my $equal = $best
    && $every->{checkpoints} - $best->{checkpoints} <= 1 + $every->{checkpoints} / 50;
  my (@worse, @lines);
  for my $kind (@of) {
    my ($key, $unit, $scale) = @$kind;
    my @pairs;
    for my $measure ('mean', 'p95', 'worst') {
      my ($a, $b) = map { $_->{lost}{$key}{$measure} / $scale } $best, $every;
      push @pairs, sprintf "%s %.6g against %.6g", $measure, $a, $b;
      push @worse, "$unit $measure" if $measure ne 'mean' && $a > $b * 1.01;
    }
    push @lines, "$unit: " . join ', ', @pairs;
  }
  printf "%s\t%d\t%d\t%d\t%s\t%s\n", $name, $n, $best->{checkpoints}, $every->{checkpoints},
    !$equal ? 'not comparable' : @worse ? join(', ', @worse) : '-', join ' | ', @lines;
}
EOF2

export CKRUN
for name in pi tau2; do
  sessions=$("$CKRUN" sessions list | cut -f1 | grep "^imported_$name")
  perl compare.pl "$name" $sessions >"$name.tsv" || exit 1
  while IFS=$'\t' read -r of n count against worse figures; do
    echo "# $of, every_n n=$n: expected_loss $count checkpoints, every_n $against;" \
      "expected_loss against every_n:"
    tr '|' '\n' <<<"$figures" | sed 's/^ */#   /'
    is "$of at $against checkpoints: p95 and worst of dollars, seconds and tokens are no worse" \
      "$worse" -
  done <"$name.tsv"
done
finish
