#!/bin/bash
# resume_kills.t - a resume is killed at every call that changes something, and so is the resume
# after it: the session resumes all the same. RESUME_EVERY=N tries only every Nth call.
. "$(dirname "$0")/lib.sh"

steps=10
every=${RESUME_EVERY:-7}

begin
cassette "$steps"
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"
start() { bounded "$@" "$CKRUN" --store "$store" run "$here/state.lua" --cassette \
  "$work/$steps.jsonl" --session s; }

expect() {
  folder baseline
  start env >out 2>err && [ "$(wc -l <count.log)" = "$steps" ] && summary s >"$work/expected"
}

# The middle of the way, in calls: before and after each is one to be killed at.
find_half() {
  folder count
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err &&
    half=$(($(cat "$work/calls") * 8 / 5))
}

kill_half() { midway "$half" begin_anew standing; }

resume_killed() { bounded env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store "$store" \
  resume s >out 2>err; }

attack() {
  kill_half || { echo "call:$1 0 0 0 1 0 exit $code instead of a kill"; return; }
  resume_killed "$1"
  [ $? = 0 ] && return
  resume_killed "$1"
  marks_left
  go_on s
  judge "call:$1" s
}

count_calls() {
  kill_half || return
  env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store "$store" resume s \
    >out 2>err
  seq 2 $((2 * $(cat "$work/calls") + 20)) | awk -v every="$every" 'NR % every == 0' >"$work/points"
}

check "it counts to $steps undisturbed" expect
check "half its way is known" find_half
check "the calls of a resume are counted" count_calls
check "killed twice at each of $(wc -l <"$work/points") of them it goes on, and nothing ran twice" \
  in_two attack "$work/points"
finish
