#!/bin/bash
# orphans.t - processes that a session's programs leave behind end with it, however it ends, and
# never act beside a resume.
. "$(dirname "$0")/lib.sh"

begin
command -v flock >/dev/null || skip_all "flock(1) of util-linux is missing"
cassette 3
folder baseline
ckrun run "$here/agent.lua" --cassette "$work/3.jsonl" --session s >out 2>err &&
  summary s >"$work/expected"
check "it counts to three undisturbed" [ -s "$work/expected" ]

# The first tool waits for "hold"; the FIFO tells when it waits, and its end when it is gone.
folder killed
mkfifo waiting
exec 9>hold
flock 9
"$CKRUN" --store "$store" run "$here/agent.lua" --cassette "$work/3.jsonl" --session s >out 2>err \
  9>&- &
program=$!
exec 8<waiting
read -r _ <&8
kill -KILL "$program"
wait "$program" 2>/dev/null
check "the tool ends with its session" timeout 300 cat <&8
rm -f waiting hold
marks_left
go_on s
check "a resume completes the session" [ "$ending" = completed ]
# Whoever still waits may go on now.
exec 9>&-
timeout 300 cat <&8
summary s >seen
check "nothing ran twice, nothing is lost" cmp seen "$work/expected"

# ---- daemons: forked twice, in a session of their own, with no descriptor of the run; with and
# without an environment ----

child=$CKRUN_BUILD/tests/effect/process/tool_child

# daemons: a flow whose first program leaves daemons behind, which write their pids; its second one
# waits until "go" is there.
daemons() {
  folder "$1"
  mkfifo waiting hold
  cat >flow.lua <<'EOF_FLOW'
local flow = require "ck.flow"
return flow.custom {
  name = "daemons",
  run = function(ctx)
    local leave = "for i in 1 2 3; do \"$0\" daemon away >pid.$i.a; "
      .. "env -i \"$0\" daemon away >pid.$i.b; \"$0\" daemon here >pid.$i.c; done"
    local wait = "[ -e go ] || { echo x >waiting; read -r _ <hold; }"
    local first = flow.exec { argv = { "sh", "-c", leave, ctx.input } }
    local second = flow.exec { argv = { "sh", "-c", wait }, class = "pure" }
    first.run(ctx, first)
    second.run(ctx, second)
    return "done"
  end,
}
EOF_FLOW
}

# start: runs it in the background until its second program waits. Sets `program`.
start() {
  "$CKRUN" --store "$store" run flow.lua --session s --input "\"$child\"" >out 2>err &
  program=$!
  read -r _ <waiting
}

# Two that come at once are one: the second is sent when the first has been heard.
term_twice() {
  kill -TERM "$1"
  until grep -q "once more" err || ! kill -0 "$1" 2>/dev/null; do :; done
  kill -TERM "$1"
  wait "$1" 2>/dev/null
}

# Zombies that nobody collects count as gone.
alive() {
  local state
  { read -r state <"/proc/$1/stat"; } 2>/dev/null || return 1
  state=${state##*) }
  [ "${state%% *}" != Z ]
}
# The pids, once all have been written: their writers end in their own time.
pids() {
  local file
  for file in pid.[1-3].[abc]; do
    until [ -s "$file" ]; do :; done
    cat "$file"
    echo
  done
}
survivors() {
  local pid count=0
  for pid in $(pids); do ! alive "$pid" || count=$((count + 1)); done
  echo "$count"
}
none_left() {
  local left
  left=$(survivors)
  say "$1: $left of 9 survive"
  check "$1: nobody survives" [ "$left" = 0 ]
}

daemons ended
touch go
ckrun run flow.lua --session s --input "\"$child\"" >out 2>err
check "a session that ran well completes" grep -q completed out
none_left "its end"

daemons failed
sed -i 's/return "done"/error("no")/' flow.lua
touch go
ckrun run flow.lua --session s --input "\"$child\"" >out 2>err
check "a session fails" [ $? = 1 ]
none_left "a failure"

daemons terminated
start
check "daemons are there while it runs" [ "$(survivors)" -ge 6 ]
term_twice "$program"
none_left "SIGTERM twice"

daemons cancelled
start
ckrun cancel s >cancel.out 2>&1
wait "$program" 2>/dev/null
none_left "a cancel"

daemons shot
start
kill -KILL "$program"
{ wait "$program"; } 2>/dev/null
check "without its process, what moved away lives on" [ "$(survivors)" -ge 6 ]
touch go
go_on s
check "a resume completes the session" [ "$ending" = completed ]
check "and says what it ended" grep -q 'ended [0-9]* processes that an earlier run left behind' err
none_left "kill -9 and a resume"

daemons shot_and_cancelled
start
kill -KILL "$program"
{ wait "$program"; } 2>/dev/null
ckrun cancel s >out 2>err
check "a session at rest is cancelled" grep -q cancelled out
none_left "kill -9 and a cancel"

# Another session with the same id, in another store, is not touched.
daemons neighbour
start
neighbour=$program
(
  daemons other
  start
  kill -KILL "$program"
  wait "$program" 2>/dev/null
  touch go
  go_on s
  for pid in $(pids); do kill -KILL "$pid" 2>/dev/null; done
) >/dev/null 2>&1
check "a session of the same name in another store keeps its programs" [ "$(survivors)" -ge 6 ]
term_twice "$neighbour"
none_left "its own end"

# A copy of the store has the same runs, and one of them is alive elsewhere.
daemons copied
start
mkdir copy
cp s.db s.db-wal copy
touch go
ckrun_at "sqlite:$PWD/copy/s.db" resume s >out2 2>err2
check "a copy of a session that runs goes on by itself" [ $? = 0 ]
check "the original keeps its programs" [ "$(survivors)" -ge 6 ]
check "and its process" kill -0 "$program"
term_twice "$program"
none_left "the original's end"

finish
