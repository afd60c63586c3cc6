#!/bin/bash
# turn.sh - the number of this commit: tests that are long try a part of their points, others with
# each commit. The commits are counted; where the history is cut short, the commit's id is a number.
#   turn.sh          prints it
#   turn.sh N        every Nth line of the input, other ones with each commit; 1: all
#   TURN=N           the number, to repeat what a run tried
cd "$(dirname "$0")" || exit 1
turn() {
  if [ -n "${TURN:-}" ]; then
    echo "$TURN"
  elif [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ]; then
    printf '%d\n' "0x$(git rev-parse HEAD | cut -c1-7)"
  else
    git rev-list --count HEAD 2>/dev/null || echo 0
  fi
}
[ $# -gt 0 ] || { turn; exit; }
awk -v every="$1" -v turn="$(turn)" 'NR % every == turn % every'
