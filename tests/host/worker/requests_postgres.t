#!/bin/bash
# requests_postgres.t - what was asked of a session that workers have holds, on a server
# (requests.sh); and of one that another worker has taken over from one that stands still.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
schema=one trust=(--flows "$dir")
export CKRUN_STORE="$server&schema=one&lease=60"
. "$root/tests/host/worker/requests.sh"

# ---- a process stands still until its lease is over; another worker takes its session over ----
export CKRUN_STORE="$server&schema=one&lease=3&margin=1"
gone() { ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }
for what in pause cancel; do
  [ $what = pause ] && became=paused || became=cancelled
  submit "$what"
  worker
  reach
  first=$worker still=$(child "$what")
  mv "$dir/worker.out" "$dir/first.out"
  kill -STOP "$still"
  "$CKRUN" "$what" "$what" --reason mine --timeout 100ms >/dev/null 2>&1
  before=$(left)
  worker
  told ended
  has "who takes it over carries the $what out" "$(cat "$dir/worker.out")" \
    "ended	$what	$became"
  is "of it" "$(status "$what")" "$became mine"
  is "and begins nothing" "$(left)" "$before"
  kill -CONT "$still"
  for _ in $(seq 3000); do gone "$still" && break; sleep 0.02; done
  is "nor does the one that stood still" "$(left) $(status "$what")" \
    "$before $became mine"
  kill -TERM "$first" "$worker"
  wait "$first" "$worker"
done

# ---- a reason that workers go on for, as whoever can write the database may leave it ----
submit word
worker
reach
ask "INSERT INTO request (session, kind, body) SELECT no, 'pause', convert_to('{\"id\":\"run_0\",
  \"run\":\"' || run || '\",\"text\":\"queued\"}', 'UTF8') FROM session WHERE id = 'word'"
ask "INSERT INTO request (session, kind, body) SELECT no, 'pause', '{\"id\":'
  FROM session WHERE id = 'word'"
"$CKRUN" checkpoint word --no-wait >/dev/null 2>&1
asker=$worker
noted word pause
has "it is noted, with what is wrong" "$("$CKRUN" --json sessions log word --all --kind note)" \
  "the reason 'queued' is that of a session which workers go on with"
noted word checkpoint
is "one that is no JSON holds up none behind it, and is told" \
  "$("$CKRUN" --json sessions log word --all --kind note | grep -c 'is not what was written')" 1
steps on on on on
told ended
is "none is left" "$(ask "SELECT count(*) FROM request")" 0
is "and the session goes on" "$(status word)" "completed "
stop
exits 0 "the store is sound still" store verify
finish
