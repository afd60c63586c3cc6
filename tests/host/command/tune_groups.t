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

# counted N GIVEN SESSION…: by agent and kind of boundary, boundaries and checkpoints as given and
# at each N-th seq, and the micro-dollars that a crash loses on average: what was spent since the
# last checkpoint, at each event up to such a boundary, over the events of sessions that cost.
counted() {
  local n=$1 given=$2 one
  shift 2
  for one; do "$CKRUN" --json sessions log "$one" --all; done | perl -MJSON::PP -e '
    my ($n, $given) = @ARGV;
    my %always = map { $_ => 1 } qw(final pause failure edit user_checkpoint);
    my (%of, @session);
    sub done {
      my (@steps, %risk, @events);
      my $costs = grep { ($_->{body}{cost} // 0) && $_->{kind} eq "outcome" } @session;
      for my $e (@session) {
        my $b = $e->{body};
        my @lost;
        for my $step ($given, $n) {
          $risk{$step} += $b->{cost} // 0 if $e->{kind} eq "outcome";
          push @lost, $risk{$step} // 0;
        }
        push @events, \@lost;
        next if $e->{kind} ne "boundary" && $e != $session[-1];
        my $at = $e->{kind} eq "boundary";
        my $to = $of{$at ? ($e->{agent} // "-") . " $b->{kind}" : "- -"} //= [(0) x 6];
        $to->[0]++ if $at;
        for my $k (0, 1) {
          my $step = ($given, $n)[$k];
          my $taken = $at && ($always{$b->{kind}} || $e->{seq} % $step == 0);
          $to->[1 + $k] += $taken ? 1 : 0;
          $to->[4 + $k] += $_->[$k] for $costs ? @events : ();
          $risk{$step} = 0 if $taken;
        }
        $to->[3] += @events if $costs;
        @events = ();
      }
      @session = ();
    }
    while (<STDIN>) {
      my $e = decode_json($_);
      done() if $e->{seq} == 1 && @session;
      push @session, $e;
    }
    done();
    for (sort keys %of) {
      my $to = $of{$_};
      print join(" ", $_, @$to[0 .. 2],
        map { $to->[3] ? int($to->[$_] / $to->[3] + 0.5) : "null" } 4, 5), "\n";
    }' "$n" "$given"
}
# told PART: the same of the report.
told() {
  perl -MJSON::PP -e '
    my $part = decode_json($ARGV[0])->{parts}[$ARGV[1]];
    print sort map { my $g = $_;
      join(" ", $g->{agent} // "-", $g->{boundary} // "-", $g->{boundaries},
        (map { $g->{$_}{checkpoints} } qw(given tuned)),
        map { my $usd = $g->{$_}{lost}{cost_usd};
          defined $usd ? int($usd * 1e6 + 0.5) : "null" } qw(given tuned)) . "\n" }
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
exits 0 "without any held out" policy tune p.lua --holdout 0 --checkpoints 40
has "those of training are" "$out" "training, by agent and boundary, as given -> tuned"
finish
