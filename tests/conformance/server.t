#!/bin/bash
# server.t - cases of the conformance suite hold with a store in PostgreSQL, too: a prune that is
# killed before its messages, and a process that goes on after it was taken over.
# CONFORMANCE_POINTS=N tries more points.
here=$(cd "$(dirname "$0")" && pwd)
export CKRUN=${CKRUN:?the path of the program} CONFORMANCE_POINTS=${CONFORMANCE_POINTS:-3}
export CONFORMANCE_STEPS=${CONFORMANCE_STEPS:-5}
. "$here/../host/tap.sh"
. "$here/../host/postgres.sh"
need_server
for name in prune zombie; do
  STORE="$server&schema=$name&lease=600" bash "$here/cases/$name.sh" >"$dir/out" 2>"$dir/err" \
    8<&- 9>&-
  code=$?
  figure=$(sed -n "s/^# $name //p" "$dir/out" | tail -n 1)
  reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$dir/out")
  if [ -n "$reason" ]; then
    skip "$name: $reason"
  else
    ok "$name $figure" test "$code" = 0
    [ "$code" = 0 ] || { cat "$dir/out"; grep -v ' Killed ' "$dir/err"; } | cut -c1-300 |
      sed 's/^/# /' >&2
  fi
done
finish
