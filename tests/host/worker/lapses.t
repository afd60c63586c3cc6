#!/bin/bash
# lapses.t - a run that stops since its lease lapsed did not die: neither a server that stands still
# again and again nor a process that does makes its session failing. One that kills its run, or its
# worker, each time is.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
export CKRUN_COUNTERS=off
schema=one
tell() { echo "$1" >&9; read -r _ <&8; }
cd "$dir" || exit 1
write_flow idempotent
# A session that is failing reaches nothing any more.
reach() {
  read -r -t 60 _ <&3 && return
  echo "Bail out! no step was reached: $(tail -n 3 *.out *.err)"
  exit 1
}
submit() { "$CKRUN" submit flow.lua --session "$1" >/dev/null 2>&1 </dev/null; }
# worker NAME: one in the background, $worker; its output in NAME.out.
worker() {
  : >"$1.out"
  "$CKRUN" worker --poll 50ms --concurrency 1 --flows "$dir" >"$1.out" 2>"$1.err" </dev/null \
    8<&- 9>&- 3>&- 4>&- &
  worker=$!
}
# comes COUNT FILE TEXT: until the file has so many lines with it.
comes() {
  for _ in $(seq 3000); do
    [ "$(grep -c "$3" "$2")" -ge "$1" ] && return
    sleep 0.02
  done
}
gone() { ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }
wait_gone() { for _ in $(seq 3000); do gone "$1" && return; sleep 0.02; done; }
status() { json "$("$CKRUN" --json sessions show "$1" </dev/null)" '$d->{status}'; }
restarts() { ask "SELECT restarts FROM session WHERE id = '$1'"; }
child() { sed -n "s/^begun\t$1\tpid //p" "${@:2}" | tail -1; }

# ---- a server that stands still three times, before anything is done ----
export CKRUN_STORE="$server&schema=one&lease=8&margin=6"
submit slow
worker only
for n in 1 2 3; do
  reach
  tell freeze
  wait_gone "$(child slow only.out)"
  tell thaw
  comes "$n" only.out "^ended	slow	lapsed"
done
reach
is "a run that lapsed three times is told so" "$(grep -c '^ended	slow	lapsed' only.out)" 3
ok "none of which counts as a death" test "$(restarts slow)" -le 1
steps one two three four
comes 1 only.out "^ended	slow	completed"
is "its session is not failing, but ends" "$(status slow)" completed
kill -TERM "$worker"
wait "$worker"

# ---- runs that stand still past their leases, one taken over from the other, three times ----
export CKRUN_STORE="$server&schema=one&lease=3&margin=1"
submit frozen
worker a
workers=$worker
worker b
workers="$workers $worker"
reach
had=$(child frozen a.out b.out)
for n in 1 2 3; do
  kill -STOP "$had"
  reach
  for _ in $(seq 3000); do
    for file in a.out b.out; do
      now=$(child frozen $file)
      [ -n "$now" ] && [ "$now" != "$had" ] && ! gone "$now" && break 2
    done
    sleep 0.02
  done
  kill -CONT "$had"
  wait_gone "$had"
  for _ in $(seq 3000); do
    [ "$(cat a.out b.out | grep -c '^ended	frozen	lapsed')" -ge "$n" ] && break
    sleep 0.02
  done
  had=$now
done
is "runs that stood still past their leases are told as lapsed when they go on" \
  "$(cat a.out b.out | grep -c '^ended	frozen	lapsed')" 3
ok "none of which counts as a death, though it was taken over" test "$(restarts frozen)" -le 1
steps one two three four
for _ in $(seq 3000); do
  [ "$(status frozen)" = completed ] && break
  [ "$(status frozen)" = failing ] && break
done
is "their session is not failing, but ends" "$(status frozen)" completed
kill -TERM $workers
wait $workers

# ---- three that stand still at a time: who would be the fourth finds the session failing ----
submit still
stopped= workers=
for name in c d e; do
  worker $name
  workers="$workers $worker"
  reach
  had=$(child still $name.out)
  stopped="$stopped $had"
  kill -STOP "$had"
done
worker f
workers="$workers $worker"
for _ in $(seq 3000); do [ "$(status still)" = failing ] && break; sleep 0.02; done
is "a session of which three runs stand still is failing" "$(status still)" failing
kill -CONT $stopped
for had in $stopped; do wait_gone "$had"; done
reach
is "when they go on it is gone on with, by a worker that waits for no person" "$(status still)" \
  running
steps one two three four
for _ in $(seq 3000); do [ "$(status still)" = completed ] && break; sleep 0.02; done
is "to its end" "$(status still)" completed
is "and each is told as lapsed" "$(cat c.out d.out e.out | grep -c '^ended	still	lapsed')" 3
kill -TERM $workers
wait $workers

# ---- what ends its run, and its worker, each time ----
export CKRUN_STORE="$server&schema=one&lease=8&margin=2"
submit deadly
for n in 1 2 3; do
  worker deadly
  reach
  kill -KILL "$worker" "$(child deadly deadly.out)"
  wait "$worker" 2>/dev/null
  end_step
done
exits 0 "a worker that finds a session whose runs died three times" worker --until-idle \
  --flows "$dir"
is "does not begin it once more: it is failing" "$(status deadly)" failing
# A lapse among them is no pardon for the others.
submit mixed
for n in 1 2 3; do
  worker mixed
  reach
  if [ "$n" = 2 ]; then
    tell freeze
    wait_gone "$(child mixed mixed.out)"
    tell thaw
    comes 1 mixed.out "^ended	mixed	lapsed"
    reach
  fi
  kill -KILL "$worker" "$(child mixed mixed.out)"
  wait "$worker" 2>/dev/null
  end_step
done
exits 0 "a worker that finds one whose runs died three times, and lapsed once" worker --until-idle \
  --flows "$dir"
is "does not begin it once more either" "$(status mixed)" failing
exits 0 "the store is sound" store verify
finish
