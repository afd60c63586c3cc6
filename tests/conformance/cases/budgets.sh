#!/bin/bash
# budgets.sh - a budget holds over crashes: nothing is spent twice, nothing is forgotten.
# promise: what was spent counts in every resume; a call that may cost more than is left is not
#   made; a call that was lost counts at its highest price
# attack: a session with a budget is killed in each call of its tool, then in two of them, and
#   resumed until it stops at the limit; what it spent is worked out from the recording
# figure: sessions > 0, over the budget 0, forgotten 0, stopped too early 0, duplicated 0
. "$(dirname "$0")/../lib.sh"

# Call n of the recording costs 100 + n millionths of a dollar.
limit=${CONFORMANCE_LIMIT:-950}
cost_of() { echo $((100 * $1 + $1 * ($1 + 1) / 2)); }
micros() { member "sprintf '%.0f', 1e6 * (\$d->{totals}{$1} // -1)" <shown; }

begin_limited() { bounded "$CKRUN" --store "$store" run "$here/state.lua" --cassette \
  "$work/12.jsonl" --session "$session" --limit "budget_usd=0.$(printf %06d "$limit")"; }
is_at_limit() {
  ckrun --json sessions show "$session" >shown 2>err
  [ "$(member '$d->{status} . " " . ($d->{reason} // "")' <shown | grep -c '^paused budget')" = 1 ]
}

# session DIES…: one that dies in the calls of these numbers.
session() {
  local calls spent reserved
  fresh
  echo "$1" >kill
  begin_limited >out 2>err
  shift
  for died; do echo "$died" >kill; ckrun resume "$session" >out 2>err; done
  for _ in 1 2 3; do is_at_limit && break; ckrun resume "$session" >out 2>err; done
  count sessions
  is_at_limit || { count "stopped too early"; say "$(tail -n 1 err)"; return; }
  calls=$(grep -c . count.log) spent=$(micros cost_usd) reserved=$(micros reserved_usd)
  count duplicated "$(sort count.log | uniq -d | grep -c '')"
  [ "$spent" -le "$limit" ] && count "over the budget" 0 || count "over the budget"
  [ $((spent - reserved)) = "$(cost_of "$calls")" ] && count forgotten 0 || {
    count forgotten
    say "$calls calls cost $(cost_of "$calls"), not $spent - $reserved"
  }
  [ $((spent + 101 + calls)) -gt "$limit" ] && count "stopped too early" 0 ||
    count "stopped too early"
}

begin_case
cassette 12
most=0
while [ "$(cost_of $((most + 1)))" -le "$limit" ]; do most=$((most + 1)); done
for ((n = 1; n <= most; n++)); do
  echo "$n"
  [ "$n" = "$most" ] || echo "$n $((n + 1))"
done >lives
while read -r dies; do session $dies; done < <(spread <lives)
finish_case
