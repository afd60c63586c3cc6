#!/bin/bash
# watch.t - a session is followed from anywhere, whoever runs it and dies of it, and the watch ends
# as a run of it would have; on a file and on a server.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
cat >ask.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "asks", start = "ask", edges = { ask = flow.done },
  nodes = { ask = flow.ask { question = "go?", options = { "yes", "no" } } } }
END
cat >fail.lua <<'END'
return require "ck.flow".exec { argv = { "sh", "-c", "exit 3" } }
END

# watch SESSION: one in the background as $watch, until its first event is there.
watch() {
  : >watch.out
  "$CKRUN" --json sessions watch "$1" >watch.out 2>watch.err </dev/null 3>&- 4>&- 8<&- 9>&- &
  watch=$!
  until [ -s watch.out ]; do kill -0 "$watch" 2>/dev/null || break; done
}
# watched NAME CODE STATUS: it ends so.
watched() {
  wait "$watch"
  code=$? out=$(cat watch.out) err=$(cat watch.err)
  is "$1: exit $2" "$code" "$2"
  is "$1: the last object is the end" "$(json "$(tail -1 watch.out)" '$d->{status}')" "$3"
}
# logged NAME SESSION: what the log has is there, each event once, in order. What was left behind
# since was no such thing when it was seen.
logged() {
  is "$1: every event of the log" "$(comm -23 <("$CKRUN" --json sessions log "$2" | sort) \
    <(sort watch.out) | cut -c1-200)" ""
  is "$1: each once, in order" "$(grep -o '"seq":[0-9]*' watch.out | cut -d: -f2)" \
    "$(grep -o '"seq":[0-9]*' watch.out | cut -d: -f2 | sort -nu)"
}
work() { "$CKRUN" worker --flows "$dir" --poll 50ms --until-idle >>worked 2>&1 8<&- 9>&-; }

# ---- the same on each kind of store ----
scenes() {
  local on=$1
  "$CKRUN" submit ask.lua --session one >/dev/null 2>&1
  watch one
  ok "$on: one that waits for a worker is watched" kill -0 "$watch"
  work
  watched "$on: one that asks" 8 waiting
  has "$on: with the question" "$err" "waits for a human: go?"
  logged "$on: one that asks" one
  "$CKRUN" answer one yes >/dev/null 2>&1
  watch one
  work
  watched "$on: one that was answered elsewhere" 0 completed
  logged "$on: one that was answered" one
  exits 0 "$on: one that has ended" sessions watch one
  is "$on: is told as the log tells it" "$out" "$("$CKRUN" sessions log one)"
  "$CKRUN" submit fail.lua --session two >/dev/null 2>&1
  watch two
  work
  watched "$on: one that fails" 1 failed
  for how in pause cancel; do
    "$CKRUN" submit ask.lua --session "$how" >/dev/null 2>&1
    watch "$how"
    run "$how" "$how"
    case $how in
      pause) watched "$on: one that is paused in the queue" 8 paused ;;
      *) watched "$on: one that is cancelled in it" 1 cancelled ;;
    esac
  done
  # What a worker runs is reached from anywhere.
  write_flow once
  "$CKRUN" submit flow.lua --session three >/dev/null 2>&1
  "$CKRUN" worker --flows "$dir" --poll 50ms --until-idle >worked 2>&1 3>&- 4>&- 8<&- 9>&- &
  worker=$!
  reach
  watch three
  "$CKRUN" pause three >paused 2>&1 8<&- 9>&- &
  pausing=$!
  until grep -q '"kind":"note"' watch.out; do kill -0 "$watch" || break; done
  let_on first
  watched "$on: one that is paused while a worker runs it" 8 paused
  wait "$worker" "$pausing"
  refused 3 "$on: none" "no session" sessions watch nobody
}
export CKRUN_STORE=sqlite:$dir/a.db
scenes "a file"

# ---- its worker dies ----
write_flow idempotent
"$CKRUN" submit flow.lua --session dies >/dev/null 2>&1
"$CKRUN" worker --poll 50ms >worker.out 2>&1 </dev/null 3>&- 4>&- &
worker=$!
reach
watch dies
child=$(sed -n 's/^begun\tdies\tpid //p' worker.out)
step=$(cat step)
kill -KILL "$worker" "$child"
while kill -KILL "$step" 2>/dev/null; do :; done
wait "$worker" 2>/dev/null
"$CKRUN" worker --poll 50ms --until-idle >worker.out 2>&1 </dev/null 3>&- 4>&- &
worker=$!
reach
steps first second third fourth
wait "$worker"
watched "one whose worker was killed" 0 completed
has "the next one's run is in it" "$out" session_resumed
logged "one whose worker was killed" dies

# ---- nobody's ----
write_flow once
begin run flow.lua --session mine
watch mine
kill -KILL "$pid"
wait "$pid" 2>/dev/null
while kill -KILL "$(cat step)" 2>/dev/null; do :; done
watched "a person's whose process was killed" 130 running
has "says what goes on" "$err" "ckrun resume mine"

# ---- on a server ----
begin_server
if has_server; then
  export CKRUN_STORE="$server&schema=watch"
  scenes "a server"

  # A server that is away, while one is run and another one waits for a worker: who follows them is
  # told of it, and goes on.
  export CKRUN_STORE="$server&schema=away&lease=600"
  "$CKRUN" submit ask.lua --session waits >/dev/null 2>&1
  begin run flow.lua --session away 8<&- 9>&-
  # follow NAME COMMAND…: in the background, until its first event is there.
  follow() {
    "$CKRUN" "${@:2}" >"$1.out" 2>"$1.err" </dev/null 3>&- 4>&- 8<&- 9>&- &
    followers+=($!)
    until [ -s "$1.out" ]; do kill -0 $! 2>/dev/null || break; done
  }
  # tells TEXT: until each of them has said so; one that ends is not waited for.
  tells() {
    local at names=(watched log queue)
    for at in 0 1 2; do
      until grep -q "$1" "${names[at]}.err"; do
        kill -0 "${followers[at]}" 2>/dev/null || break
        sleep 0.02
      done
    done
  }
  followers=()
  follow watched sessions watch away
  follow log sessions log away --follow
  follow queue sessions watch waits
  echo stop >&9
  read -r _ <&8
  tells "the session is not seen"
  gone=0
  for at in "${followers[@]}"; do kill -0 "$at" || gone=$((gone + 1)); done
  is "without the server a watch, a log and a watch of the queue go on" "$gone" 0
  echo start >&9
  read -r _ <&8
  tells "works again"
  steps first second third fourth
  ended
  work
  wait "${followers[0]}"
  is "the watch ends with the session" "$?" 0
  wait "${followers[1]}"
  is "so does the log" "$?" 0
  wait "${followers[2]}"
  is "that of the queue ends as the worker's run" "$?" 8
  for name in watched log; do
    is "each event is told once, in order: $name" "$(sed -n 's/^\([0-9]\+\)\t.*/\1/p' "$name.out" |
      tr '\n' ' ')" "$("$CKRUN" sessions log away | sed -n 's/^\([0-9]\+\)\t.*/\1/p' |
      tr '\n' ' ')"
  done
  for name in watched log queue; do
    is "what is missing is told once: $name" "$(grep "is not seen" "$name.err" | sort | uniq -d)" ""
  done
else
  skip "a store of PostgreSQL: ${server#skip: }"
fi
finish
