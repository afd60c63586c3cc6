#!/bin/bash
# test_turn.t - the parts that long tests try: of N commits in a row each has others, and together
# they have every point once.
here=$(cd "$(dirname "$0")" && pwd)
checks=0 failed=0
echo "TAP version 13"

# same NAME GOT WANTED
same() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] && { echo "ok $checks - $1"; return; }
  failed=1
  echo "not ok $checks - $1"
  printf '%s\n' "$2" | head -n 5 | sed 's/^/# /'
}

for every in 1 2 3 7; do
  for first in 0 5 3721; do
    got=$(for ((turn = first; turn < first + every; turn++)); do
      seq 20 | TURN=$turn "$here/turn.sh" "$every"
    done | sort -n)
    same "every of $every parts from turn $first on: each point once" "$got" "$(seq 20)"
  done
done
same "a turn is repeated" "$(TURN=12 "$here/turn.sh")" 12
same "and chosen by the commit otherwise" "$(env -u TURN "$here/turn.sh" | grep -c '^[0-9]*$')" 1
same "the same part as often as it is asked for" "$(seq 9 | "$here/turn.sh" 2)" \
  "$(seq 9 | "$here/turn.sh" 2)"
echo "1..$checks"
[ $failed = 0 ]
