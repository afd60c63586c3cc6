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

# ---- what a person did at rest has not died, nor has a run that two signals stopped ----
ends_of() { json "$("$CKRUN" --json sessions show "$1")" \
  'join " ", map { $_->{outcome} } @{$d->{runs}}'; }
begin run "$dir/flow.lua" --session t
steps 1
reach
kill -INT "$pid"
until grep -q "once more" "$dir/told"; do :; done
kill -INT "$pid"
ended
end_step
is "a second signal stops at once" "$code" 130
is "and its summary has the session as paused" "$(cell "$out" status)" paused
exits 0 "which it is" --json sessions show t
is "for that reason" "$(json "$out" '"$d->{status}: $d->{reason}"')" \
  "paused: stopped at once by a signal"
is "its run was paused" "$(ends_of t)" paused
exits 0 "it is forked" sessions fork t first --session u
exits 0 "it is rewound" sessions rewind t first --report "found nothing"
is "a rewound session" "$(ends_of t)" "paused rewound"
exits 0 "it is taken back" sessions undo t
is "and back again" "$(ends_of t)" "paused rewound undone"
is "a fork" "$(ends_of u)" forked
begin resume u
steps 2 3 4
ended
is "that goes on" "$code $(ends_of u)" "0 forked completed"

# ---- how a run ended is not changed by what a person drops later; what it stopped for is told ----
cat >"$dir/stops.lua" <<'END'
local flow = require "ck.flow"
return flow.graph { start = "z", nodes = {
  z = function() end, a = function(ctx) ctx.pause("first") end, b = flow.ask { question = "Well?" },
  c = flow.exec { argv = { "sh", "-c", "kill -9 $$" }, class = "once" } },
  edges = { z = "a", a = "b", b = "c", c = flow.done } }
END
exits 8 "a run pauses" run "$dir/stops.lua" --profile graph --session stops
is "it was paused" "$(ends_of stops)" paused
begun_of() { json "$("$CKRUN" --json sessions show stops)" '$d->{runs}[0]{last}'; }
last=$(begun_of)
exits 0 "its checkpoints are dropped by hand" sessions prune stops --keep 1
pruned() { "$CKRUN" sessions log stops --kind pruned --all | grep -c ''; }
is "which is written down" "$(pruned)" 1
is "it was paused all the same" "$(ends_of stops)" paused
is "and not later" "$(begun_of)" "$last"
exits 8 "the next asks" resume stops
is "it waits" "$(ends_of stops)" "paused waiting"
exits 0 "it is answered" answer stops yes
exits 75 "the next is in doubt" resume stops
is "which it is said to be" "$(ends_of stops)" "paused waiting resolved in_doubt"
exits 0 "its checkpoints are dropped by hand, too" sessions prune stops --keep 1
is "and written down" "$(pruned)" 2
is "that changes nothing" "$(ends_of stops)" "paused waiting resolved in_doubt"
finish
