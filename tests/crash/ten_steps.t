#!/bin/bash
# ten_steps.t - a session of ten steps, killed at every call that changes something, resumes to the
# same end as an undisturbed one.
# First by strace at every system call of the kinds below, counted per thread; then by a preloaded
# library that counts the calls of all threads in one order, before and after each: the faster of
# two threads cannot mask the other's.
# KILL_STEPS=N makes the session longer, KILL_EVERY=N tries only every Nth point. When nothing is
# said every second one is tried, and by strace, which finds what the library finds once more, every
# sixth: others with each commit.
. "$(dirname "$0")/lib.sh"

steps=${KILL_STEPS:-10}
every=${KILL_EVERY:-2}
every_by_strace=${KILL_EVERY:-6}

begin
cassette "$steps"
start() { bounded "$@" "$CKRUN" --store "$store" run "$here/$flow.lua" --cassette \
  "$work/$steps.jsonl" --session s; }

# expect FLOW: runs it undisturbed, and keeps its result.
expect() {
  flow=$1
  folder baseline
  fresh
  start env >out 2>err && [ "$(wc -l <count.log)" = "$steps" ] &&
    ckrun store verify 2>/dev/null && summary s >"$work/expected"
}

by_strace() { attack "$1:$2" strace -f -b execve -o /dev/null -e "trace=$1" -e \
  "inject=$1:signal=KILL:when=$2"; }
by_count() { attack "call:$1" env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so"; }

# The highest number of calls of each kind that one thread makes.
list_calls() {
  fresh
  start strace -f -b execve -o trace -e "trace=${changing_calls// /,}" >out 2>err
  most_calls <trace | while read -r name most; do
    for ((n = 1; n <= most; n++)); do echo "$name $n"; done
  done | sort | thin "$every_by_strace" >"$work/strace.points"
  [ -s "$work/strace.points" ]
}

count_calls() {
  fresh
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err
  # Threads do not always share the work in the same way: a few calls more.
  seq 2 $((2 * $(cat "$work/calls") + 20)) | thin "$every" >"$work/count.points"
}

check "agent.lua counts to $steps undisturbed" expect agent
if have_strace; then
  check "its system calls are known" list_calls
  points=$(wc -l <"$work/strace.points")
  check "killed at $points of its system calls it goes on, and nothing ran twice" \
    in_two by_strace "$work/strace.points"
else
  skip "killed at each of its system calls" "strace is missing, or may not trace here"
fi

check "state.lua counts to $steps undisturbed" expect state
if have_compiler && build_kill_at; then
  check "its calls are counted" count_calls
  check "killed before and after each of $(cat \
    "$work/calls") calls it goes on, with the same state" in_two by_count "$work/count.points"
else
  skip "killed before and after each of its calls" "there is no compiler for the library that kills"
fi
finish
