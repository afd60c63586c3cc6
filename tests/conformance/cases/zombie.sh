#!/bin/bash
# zombie.sh - a process that was taken over, and goes on, changes nothing any more.
# promise: who lost the session to another process writes nothing of it, and begins no effect
# attack: the process is stopped (SIGSTOP) in a call of its tool; another one takes the session over
#   (--take-over; in a store of files also by a resume after the locks were lost) and completes it;
#   the first one is let go (SIGCONT)
# figure: zombies > 0, writes of zombies 0, lost 0, duplicated 0, unresumable 0
. "$(dirname "$0")/../lib.sh"

everything() { ckrun --json sessions log "$session" --all; ckrun --json sessions show "$session"; }

# stop HOLD: begins the session; its process is stopped while its first tool waits at HOLD. Sets
# `job`, and `pid`, the process that runs the session.
stop() {
  fresh
  exec 9>"$1"
  flock 9
  start_bare >out 2>err 9>&- &
  job=$!
  until [ -s waiting ]; do kill -0 $job 2>/dev/null || return 1; sleep 0.01; done
  pid=$(cat waiting)
  kill -STOP "$pid"
  until grep -q '^State:.T' "/proc/$pid/status"; do sleep 0.01; done
  cp out acknowledged
  rm "$1"
}

# zombie NAME HOLD TAKE…: one attack; TAKE takes the session over and completes it.
zombie() {
  local name=$1 hold=$2
  shift 2
  stop "$hold" || { check "$name: the process is stopped in its tool" false; return; }
  "$@" >taken 2>err.taken
  check "$name: another process takes it over" test $? = 0
  everything >before
  kill -CONT "$pid" 2>/dev/null
  exec 9>&-
  wait $job
  check "$name: the first one does not end well" test $? != 0
  count zombies
  everything >after
  count "writes of zombies" "$(diff before after | grep -c '^[<>]')"
  settle "$name"
}

take_over() { ckrun resume "$session" --take-over; }
without_locks() { rm -rf "$file.sessions" && ckrun resume "$session"; }

begin_case
command -v flock >/dev/null || cannot "flock(1) of util-linux is missing"
check "undisturbed it counts to five" expect 5
zombie "stopped before the effect" hold take_over
zombie "stopped behind the effect" hold_after take_over
if [ -n "$file" ]; then
  zombie "without the locks" hold_after without_locks
else
  skip "without the locks" "the store keeps none in files"
fi
finish_case
