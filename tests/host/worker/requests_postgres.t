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

# ---- a question is answered while its process stands still: before its lease is over, when it is,
# and when another worker has the session ----
result() {
  json "$("$CKRUN" --json sessions log "$1" --kind session_completed)" '$d->{body}{result}'
}
asks() { "$CKRUN" --json sessions log "$1" --all --kind intent | grep -c '"kind":"ask"'; }
for when in before over taken; do
  id=asks_$when
  "$CKRUN" submit "$dir/asks.lua" --session "$id" >/dev/null 2>&1
  worker
  reach
  until [ "$(asks "$id")" -ge 1 ]; do kill -0 "$worker" || break; done
  first=$worker still=$(child "$id")
  mv "$dir/worker.out" "$dir/first.out"
  kill -STOP "$still"
  end_step
  case $when in
    before) exits 1 "an answer before its lease is over" answer "$id" red --timeout 100ms ;;
    over)
      until [ "$(ask "SELECT expires < clock_timestamp() FROM lease JOIN session ON no = session
        WHERE id = '$id'")" = t ]; do sleep 0.05; done
      exits 0 "an answer when its lease is over" answer "$id" red
      ;;
  esac
  worker
  reach
  if [ $when = taken ]; then
    until [ "$(asks "$id")" -ge 2 ]; do kill -0 "$worker" || break; done
    exits 0 "an answer when another one has the session" answer "$id" red
  fi
  let_on done
  told "ended	$id"
  is "is the one that its session goes on with" "$(status "$id")$(result "$id")" \
    "completed red done"
  events=$("$CKRUN" --json sessions log "$id" --all | grep -c .)
  kill -CONT "$still"
  for _ in $(seq 3000); do gone "$still" && break; sleep 0.02; done
  is "and the process that stood still adds nothing" \
    "$("$CKRUN" --json sessions log "$id" --all | grep -c .)" "$events"
  is "and no request is left" "$(ask "SELECT count(*) FROM request")" 0
  kill -TERM "$first" "$worker"
  wait "$first" "$worker"
done

# ---- a reason that workers go on for, as whoever can write the database may leave it ----
export CKRUN_STORE="$server&schema=one&lease=60"
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
