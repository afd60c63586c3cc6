#!/bin/bash
# runs.t - sessions show lists a session's runs: their parents, ends and costs, which add up to the
# session's cost.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
write_flow idempotent
begin run "$dir/flow.lua" --session s
kill -INT "$pid"
let_on 1
ended
begin resume s
let_on 2
reach
die
begin resume s
exits 0 "while it runs" --json sessions show s
is "its runs" "$(json "$out" 'join " ", map { $_->{outcome} } @{$d->{runs}}')" "paused died running"
steps 3 4
ended
is "it completes" "$code" 0
exits 0 "then" --json sessions show s
is "its runs" "$(json "$out" 'join " ", map { "$_->{outcome}:$_->{tool_calls}" } @{$d->{runs}}')" \
  "paused:1 died:1 completed:2"
is "each after the one before" "$(json "$out" 'join " ", map {
  ($d->{runs}[$_]{parent_run} // "") eq ($_ ? $d->{runs}[$_ - 1]{run} : "") ? 1 : 0
} 0 .. 2')" "1 1 1"
is "together they are the session" "$(json "$out" \
  'my $n = 0; $n += $_->{tool_calls} for @{$d->{runs}}; "$n $d->{totals}{tool_calls}"')" "4 4"
exits 0 "as a table" sessions show s
is "a line each" "$(grep -c '^runs' <<<"$out")" 3
finish
