#!/bin/bash
# kill.sh - a process is killed at any of its calls, and the session goes on to the same end.
# promise: what was said to be durable is there after kill -9; nothing that was done is done again;
#   any session can be resumed
# attack: a run, and the resume of one that died on its way, is killed at each call that changes
#   something outside of it, and resumed until it ends; it is compared with an undisturbed one
# figure: points > 0, went on > 0, acknowledged and lost 0, lost 0, duplicated 0, unresumable 0
. "$(dirname "$0")/../lib.sh"

resume_half() { bounded "$@" "$CKRUN" --store "$store" resume "$session" --events; }

begin_run() { fresh; }
begin_resume() { start_dead $((steps / 2)); }
do_run() { start "$@"; }
do_resume() { resume_half "$@"; }

by_count() { local at=$1; shift; "$@" env "KILL_AT=$at" "LD_PRELOAD=$work/kill_at.so"; }
by_strace() {
  local at=$1
  shift
  "$@" strace -f -b execve -o /dev/null -e "trace=${at%:*}" -e \
    "inject=${at%:*}:signal=KILL:when=${at#*:}"
}

# try RUN|RESUME WAY AT: one point; one behind the end of the process is none.
try() {
  "begin_$1"
  "by_$2" "$3" "do_$1" >>out 2>err
  [ $? = 137 ] || return
  count points
  cp out acknowledged
  settle "$1 $3"
  count "went on" "$progress"
}

# list_points RUN|RESUME WAY: where it can be killed.
list_points() {
  "begin_$1"
  case $2 in
    count)
      "do_$1" env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err
      [ ! -s calls ] || seq 2 $((2 * $(cat calls) + 1))
      rm -f calls ;;
    strace)
      "do_$1" strace -f -b execve -o trace -e "trace=${changing_calls// /,}" >out 2>err
      most_calls <trace | while read -r name most; do
        for ((n = 1; n <= most; n++)); do echo "$name:$n"; done
      done ;;
  esac
}

begin_case
have_strace
check "undisturbed it counts to ${CONFORMANCE_STEPS:-10}" expect "${CONFORMANCE_STEPS:-10}"
way=none
have_compiler && build_kill_at && [ -n "$(list_points run count)" ] && way=count
[ $way = none ] && have_strace && way=strace
[ $way != none ] || cannot "there is neither a compiler for a library that kills, nor strace"
for part in run resume; do
  list_points $part $way >"points.$part"
  for at in $(spread <"points.$part"); do try $part $way "$at"; done
done
finish_case
