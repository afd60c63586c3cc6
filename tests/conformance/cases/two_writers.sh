#!/bin/bash
# two_writers.sh - a session has one writer, however many begin to write it at once.
# promise: of processes that resume one session at once exactly one does; the others exit 76
# attack: a session whose process died is resumed by several processes at once, while the one that
#   won is held in the next call of its tool until all others have answered
# figure: rounds > 0, rounds without one winner 0, lost 0, duplicated 0, unresumable 0
. "$(dirname "$0")/../lib.sh"
. "$conformance/../crash/compete.sh"

# round DIED PROCESSES
round() {
  start_dead "$1"
  compete "$2"
  count rounds
  if [ "$won $owned" = "1 $(($2 - 1))" ]; then count "rounds without one winner" 0; else
    count "rounds without one winner"
    say "of $2: $won exit 0, $owned exit 76, others:$others"
  fi
  settle "round $1 $2"
}

begin_case
command -v flock >/dev/null || cannot "flock(1) of util-linux is missing"
check "undisturbed it counts to ten" expect 10
for n in {1..18}; do echo "$((1 + n / 2)) $((2 + n % 4))"; done >rounds
while read -r died processes; do round "$died" "$processes"; done < <(spread <rounds)
finish_case
