#!/bin/bash
# claimed.t - a session in the queue is paused by a person while a worker's run of it has found it
# due, and has not taken it yet: wherever that stands still meanwhile, what was answered as paused
# is not begun.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
if ! can_kill_sending; then
  skip "no compiler for the library that stops a program at its messages"
  finish
fi
export CKRUN_COUNTERS=off
schema=one
export CKRUN_STORE="$server&schema=one&lease=60"
cd "$dir" || exit 1
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "flow", run = function() return "begun" end }
END
state() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null; }
status() {
  json "$("$CKRUN" --json sessions show one </dev/null 8<&- 9>&-)" \
    '$d->{status} . " " . ($d->{reason} // "")'
}
# Until it stands still, or has ended.
wait_still() { until [[ $(state "$1") =~ ^[TZX]?$ ]]; do sleep 0.02; done; }
blocked() { [ "$(ask "SELECT count(*) FROM pg_locks WHERE NOT granted")" -gt 0 ]; }

points=0 held=0 asker=
"$CKRUN" submit flow.lua --session one >/dev/null 2>&1
for n in $(seq 4 9 400); do
  LD_PRELOAD=$dir/kill_send.so KILL_SEND=$n STOP_SEND=1 \
    "$CKRUN" resume --queued --flows "$dir" one >run.out 2>run.err </dev/null 8<&- 9>&- &
  run=$!
  wait_still $run
  # From here on it has the session, and is asked.
  [ "$(ask "SELECT status FROM session")" = 1 ] && break
  "$CKRUN" pause one --reason mine >pause.out 2>pause.err </dev/null 8<&- 9>&- &
  asker=$!
  until [ -z "$(state $asker)" ] || [ "$(state $asker)" = Z ] || blocked; do sleep 0.02; done
  blocked && break # it is about to take it: whoever asks waits for that
  wait $asker
  code=$? out=$(cat pause.out) err=$(cat pause.err)
  points=$((points + 1))
  kill -CONT $run
  wait $run
  if [ "$code $(status)" = "0 paused mine" ]; then
    held=$((held + 1))
  else
    echo "# at message $n: exit $code, $(status): $(cat run.err)"
  fi
  "$CKRUN" resume one --detach >/dev/null 2>&1 </dev/null 8<&- 9>&-
done
kill -CONT $run 2>/dev/null
wait $run $asker
ok "a run stood still at several points before it had the session" test "$points" -ge 5
is "at $points of them a pause was answered, and held" "$held" "$points"
exits 0 "the store is sound" store verify
finish
