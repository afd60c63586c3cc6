#!/bin/bash
# two_resumes.t - of several processes that resume one session at once exactly one wins, the others
# exit 76, nothing runs twice.
# RESUME_ROUNDS=N and RESUME_PROCESSES=N (2 up to N of them in each round) make it longer;
# RESUME_SEED=N repeats a run.
. "$(dirname "$0")/lib.sh"
. "$here/compete.sh"

rounds=${RESUME_ROUNDS:-50}
most=${RESUME_PROCESSES:-2}
seed=${RESUME_SEED:-$RANDOM}

begin
command -v flock >/dev/null || skip_all "flock(1) of util-linux is missing"
{ have_compiler && build_kill_at; } || skip_all "there is no compiler for the library that kills"
say "RESUME_SEED=$seed"
session=s
cassette 10
start() { bounded "$@" "$CKRUN" --store "$store" run "$here/agent.lua" --cassette "$work/10.jsonl" \
  --session s; }

expect() {
  folder baseline
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err &&
    summary s >"$work/expected"
}

# Also the last tool is still to be run: the winner waits in it.
with_a_tool_left() {
  marks_left
  if [ "$marks" -le 8 ]; then standing; else echo "too late"; fi
}

# Killed when it has something behind it and something before it; the first calls make the store.
attack() {
  local round=$1 processes=$2 calls
  RANDOM=$3
  calls=$(cat "$work/calls")
  midway $((calls + RANDOM % (calls / 3))) begin_anew with_a_tool_left ||
    { echo "round$round 0 0 0 1 0 exit $code instead of a kill"; return; }
  marks_left
  compete "$processes"
  ending=completed
  [ "$won $owned" = "1 $((processes - 1))" ] ||
    ending="of $processes: $won exit 0, $owned exit 76, others:$others: $(tail -qn 1 err? | \
    cut -c1-150 | tr '\n' '|')"
  judge "round$round" s
}

list_rounds() {
  RANDOM=$seed
  for ((n = 1; n <= rounds; n++)); do echo "$n $((2 + RANDOM % (most - 1))) $RANDOM"; done \
    >"$work/rounds"
}

list_rounds
check "it counts to ten undisturbed" expect
check "in each of $rounds rounds one process wins and the others exit 76" in_two attack \
  "$work/rounds"
finish
