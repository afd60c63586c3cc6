#!/bin/bash
# show_screen.t - one look at a session tells how it stands, what failed, what it cost, and what to
# do next; its figures are those of the transcript; from a failed session to its cause, its cost and
# going on there are three commands.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"

has_terminal || { skip "no pseudo-terminal"; finish; }
cd "$dir" || exit 1

is "the name alone tells in five lines what to do" "$(screen 60 | grep -c .)" 5
is "of which none is too wide" "$(screen 60 | too_wide 60)" 0
refused 2 "a script that names no command" "no command was given"

# ---- the figures, worked out anew from the transcript ----

exits 0 "a session" run "$flow" --cassette "$cassette" --session air
"$CKRUN" --json sessions log air --all >log
exits 0 "is shown" --json sessions show air
from_log() {
  perl -MJSON::PP -ne '
    my $e = JSON::PP->new->utf8->decode($_);
    my $b = $e->{body};
    if ($e->{kind} eq "outcome") {
      for my $who (@{$b->{for} || []}) {
        $spent{$who}{cost} += $b->{cost} // 0;
        $spent{$who}{tokens} += ($b->{input_tokens} // 0) + ($b->{output_tokens} // 0);
        $spent{$who}{calls}++ if $b->{kind} eq "model" && ($b->{status} eq "ok");
        $spent{$who}{tools}++ if $b->{kind} eq "tool";
      }
      $end{$b->{key}} = [$b->{status}, $b->{cost} // "-"];
    }
    push @begun, [$e->{seq}, $b->{key}] if $e->{kind} eq "intent";
    END {
      for (sort keys %spent) {
        printf "%s %s %s %s %s\n", $_, @{$spent{$_}}{qw(cost tokens calls tools)};
      }
      printf "%s %s %s %s\n", @$_, @{$end{$_->[1]}} for @begun[-20 .. -1];
    }' log
}
is "its agents and its last effects are as in the transcript" \
  "$(json "$out" 'join "", (map { sprintf "%s %s %s %s %s\n", $_->{agent}, micros($_->{cost_usd}),
    @$_{qw(tokens model_calls tool_calls)} } @{$d->{agents}}), map { sprintf "%s %s %s %s\n",
    @$_{qw(seq effect status)}, micros($_->{cost_usd}) // "-" } @{$d->{last_effects}}')" \
  "$(from_log)"

# Limits, of the session and of one agent.
cat >tight.lua <<'END'
return { name = "tight", extends = "default", constraints = { budget_usd = 0.02, tokens = 9000 },
  agents = { airline = { constraints = { budget_usd = 0.03 } } } }
END
run run "$flow" --cassette "$cassette" --profile ./tight.lua --session tight
exits 0 "one with limits" --json sessions show tight
is "tells them" "$(json "$out" 'join " ", $d->{limits}{budget_usd}, $d->{limits}{tokens},
  $d->{agents}[0]{limits}{budget_usd}')" "0.02 9000 0.03"
shown=$(COLOR=1 screen 120 sessions show tight)
ok "what is near its limit is yellow or red" grep -qE $'\e\\[3[13]m\\$0\\.0[12]' <<<"$shown"

# ---- a fork: its agents and what was spent before it come to its totals ----

# usage FILTER: cost, tokens, model calls, tool calls of the outcomes in `log` that it is true of.
usage() {
  perl -MJSON::PP -e 'my $is = eval "sub { $ARGV[0] }"; my @sum = (0) x 4;
    open my $log, "<", "log" or die;
    for (<$log>) {
      my $e = JSON::PP->new->utf8->decode($_);
      my $b = $e->{body};
      next if $e->{kind} ne "outcome" || !$is->($e->{seq});
      $sum[0] += $b->{cost} // 0;
      $sum[1] += ($b->{input_tokens} // 0) + ($b->{output_tokens} // 0);
      $sum[2]++ if $b->{kind} eq "model" && $b->{status} eq "ok";
      $sum[3]++ if $b->{kind} eq "tool";
    }
    print "@sum"' "$1"
}
before() {
  json "$1" 'my $f = $d->{totals}{before_fork}; join " ", micros($f->{cost_usd}),
    $f->{input_tokens} + $f->{output_tokens}, @$f{qw(model_calls tool_calls)}'
}
own() {
  json "$1" 'my @s = (0) x 4; for my $a (@{$d->{agents}}) { $s[0] += micros($a->{cost_usd});
    $s[1] += $a->{tokens}; $s[2] += $a->{model_calls}; $s[3] += $a->{tool_calls} } "@s"'
}
whole() {
  json "$1" 'my $t = $d->{totals}; join " ", micros($t->{cost_usd}),
    $t->{input_tokens} + $t->{output_tokens}, @$t{qw(model_calls tool_calls)}'
}
cut=$("$CKRUN" sessions checkpoints air | awk -F'\t' '$3 == "tool_round" { print $1 }' | sed -n 4p)
exits 0 "a fork in the middle" sessions fork air --session fork --checkpoint \
  "$("$CKRUN" sessions checkpoints air | awk -F'\t' -v cut="$cut" '$1 == cut { print $2 }')"
shown=$("$CKRUN" --json sessions show fork)
is "that has spent nothing yet" "$(own "$shown")" "0 0 0 0"
is "has what was spent before it" "$(before "$shown")" "$(whole "$shown")"
exits 0 "goes on" resume fork
"$CKRUN" --json sessions log fork --all >log
like_fork() {
  shown=$("$CKRUN" --json sessions show fork)
  is "$1: what was spent before the fork" "$(before "$shown")" "$(usage "\$_[0] <= $cut")"
  is "$1: what its agents have spent since" "$(own "$shown")" "$(usage "\$_[0] > $cut")"
  is "$1: that is all" "$(whole "$shown")" "$(usage 1)"
  has "$1: names and values have it" "$("$CKRUN" sessions show fork)" \
    "spent_before_fork	$(dollars "$(before "$shown" | cut -d' ' -f1)")"
  is "$1: on a terminal dollars, tokens and calls of the rows come to those of the session" \
    "$(screen 120 sessions show fork | perl -CSD -ne '
      @at = /^(\w[\w ]*?)  +\$([\d.]+) .*? ([\d,]+) .*? (\d+) +(\d+)\s*$/ or next;
      tr/,//d for @at;
      @of = ($at[1] * 1e6, @at[2 .. 4]);
      print "@of - @sum" if $at[0] eq "the session";
      $sum[$_] += $of[$_] for 0 .. 3')" \
    "$(whole "$shown") - $(whole "$shown")"
}
ok "both have a part" test "$(usage "\$_[0] <= $cut" | tr -d ' 0')" -a \
  "$(usage "\$_[0] > $cut" | tr -d ' 0')"
like_fork "a fork"
exits 0 "its origin is deleted" sessions delete air --detach
like_fork "a fork without its origin"
is "what is no fork has nothing before it" \
  "$(json "$("$CKRUN" --json sessions show tight)" 'exists $d->{totals}{before_fork} ? 1 : 0')" 0

# ---- the screen ----

cp "$root"/tests/golden/schema3.db . && CKRUN_STORE=$dir/schema3.db
for session in done failed doubt killed failing; do
  view "show_$session" sessions show $session
  shown=$(screen 120 sessions show $session)
  all=$("$CKRUN" --json sessions show $session)
  has "$session: its status" "$(head -n 1 <<<"$shown")" "$(json "$all" '$d->{status}')"
  next=$(json "$all" '$d->{next}')
  [ "$next" = null ] || has "$session: the command that goes on, in full" \
    "$(screen 60 sessions show $session | tr -d '\n')" "next: $next"
done
ok "what failed is red" grep -q $'\e\\[31m.*nothing more can be done' \
  <<<"$(COLOR=1 screen 80 sessions show failed)"
ok "completed is green" grep -q $'\e\\[32mcompleted' <<<"$(COLOR=1 screen 80 sessions show done)"
# Two days later, whatever day it is, so that what is told of the time is kept, too.
if set_clock "2026-11-24 08:00"; then
  view list sessions list
  view log sessions log rewound --all
  view inspect sessions inspect done
  has "the day is told where it is another one" "$(screen 80 sessions log failed)" \
    "  11-22 07:44:10"
  is "where a day has to be told, too, ids are whole at 80 columns" \
    "$(screen 80 sessions log failed | grep -cE 'checkpoint [0-9a-f]{8}$')" 2
  is "and a status has the colour that show gives it" \
    "$(COLOR=1 screen 80 sessions list | grep -cE $'^(failed|failing|doubt|killed) .*\e\\[31m')" 4
  set_clock "2027-01-01 08:00"
  has "the year is told where it is another one" "$(screen 80 sessions log failed)" \
    "2026-11-22 07:44:10"
  at_clock=()
else
  skip "no compiler for a clock that stands"
fi
is "with -v every field" "$(screen 200 sessions show failed -v | cut -d' ' -f1)" \
  "$("$CKRUN" sessions show failed | cut -f1)"

# ---- a person's path: cause, cost, and going on ----

CKRUN_STORE=sqlite:$dir/path.db
cat >path.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "path", start = "pay",
  nodes = {
    pay = flow.exec { argv = { "sh", "-c", "echo paid >>paid" }, class = "once" },
    mail = flow.exec {
      argv = { "sh", "-c", "test -e address || { echo no address >&2; exit 3; }" } },
  },
  edges = { pay = "mail", mail = flow.done } }
END
run run path.lua --session trip
screen 80 sessions show latest >look
has "one look tells the cause" "$(cat look)" "no address"
has "and the cost" "$(cat look)" "the session"
next=$(sed -n 's/^  next: ckrun //p' look)
ok "and what to do next" test -n "$next"
touch address
exits 0 "which goes on" $next
is "to the end" "$(json "$("$CKRUN" --json sessions show latest)" '$d->{status}')" completed
is "and pays once" "$(cat paid)" paid
finish
