#!/bin/bash
# tails.sh - what a resumed agent is given of its past is what it took part in.
# promise: the tail of an agent is the last events that it took part in, in order, and never those
#   of another one; and all else that is said of a session follows from its transcript
# attack: sessions of agents that delegate to each other are killed in calls of their tools, and
#   resumed; dead and ended, everything that is said of them is worked out anew from the transcript
#   (tests/oracle), which has no code in common with the program
# figure: sessions > 0, tails > 0, things compared > 0, differences 0
. "$(dirname "$0")/../lib.sh"

start_kind() {
  local recording=(--cassette "$here/kinds/$kind.jsonl")
  [ -f "$here/kinds/$kind.jsonl" ] || recording=()
  bounded "$CKRUN" --store "$store" run "$here/kinds/$kind.lua" "${recording[@]}" --session \
    "$session"
}

# compare NAME: counts what the oracle compared, and what differs.
compare() {
  CKRUN_STORE=$store perl "$oracle/compare.pl" "$CKRUN" "$1" '{}' "$session" >compared 2>differ
  [ $? = 0 ] || { count differences; say "$1: $(tail -n 1 differ | cut -c1-300)"; }
  count "things compared" "$(sum ': ' <compared)"
  count tails "$(sum ': tails (' <compared)"
  count differences "$(grep -c '^not ok' compared)"
  grep '^#' differ | head -n 3 | cut -c1-300
}
sum() { awk -v what="$1" 'index($0, what) && match($0, /\([0-9]+ times\)$/) {
  n += substr($0, RSTART + 1) } END { print n + 0 }'; }

# session KIND DIES: compared where it died, and at its end.
session() {
  kind=$1
  fresh
  echo "$2" >kill
  start_kind >out 2>err
  [ $? = 137 ] || return
  count sessions
  compare "$1, dead in call $2"
  go_on "$session" start_kind
  [ "$ending" = completed ] || { count differences; say "$1 $2: $ending"; }
  compare "$1, completed"
}

begin_case
perl -MJSON::PP -e 1 2>/dev/null || cannot "the oracle needs perl with JSON::PP"
for kind in rounds agent; do
  grep -oE 'n\\": *[0-9]+' "$here/kinds/$kind.jsonl" | grep -oE '[0-9]+$' | sort -nu |
    sed "s/^/$kind /"
done >lives
while read -r kind dies; do session "$kind" "$dies"; done < <(spread <lives)
finish_case
