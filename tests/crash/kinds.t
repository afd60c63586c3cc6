#!/bin/bash
# kinds.t - a small session of each kind of flow, with parallel branches, killed at every call that
# changes something, and three times at random: it resumes to the same state and result, and no tool
# runs twice.
# KINDS_ONLY=NAME tries only that kind, KINDS_EVERY=N only every Nth call, and of those that make
# the store, which is the same for all and killed at each by ten_steps.t, fewer; KINDS_RANDOM=N
# sessions of each kind are killed at random; RANDOM_SEED=N repeats them.
. "$(dirname "$0")/lib.sh"

every=${KINDS_EVERY:-15}
rounds=${KINDS_RANDOM:-12}
seed=${RANDOM_SEED:-$RANDOM}

begin
say "RANDOM_SEED=$seed"
RANDOM=$seed

# before_call is rounds with a checkpoint between each answer and its calls, delegations too.
file_of() {
  local name=$1
  [ "$1" = before_call ] && name=rounds
  echo "$here/kinds/$name"
}

start() {
  local file recording
  file=$(file_of "$flow")
  recording=$file.jsonl
  [ -f "$recording" ] && recording=(--cassette "$recording") || recording=()
  [ "$flow" = explore ] && recording+=(--profile explore)
  [ "$flow" = before_call ] && recording+=(--profile "$here/before_call.profile.lua")
  bounded "$@" "$CKRUN" --store "$store" run "$file.lua" "${recording[@]}" --session s
}

# The order in which scopes end, and so the last position of the main one, is not part of a
# session's result: the memory, the result, each agent's cost and the tools' marks are.
summary() {
  ckrun --json sessions inspect "$1" >seen.state
  grep -oE '"(memory|outputs|scratch)\.[^"]*":("[^"]*"|[^",]*)' seen.state | sort
  grep -oE '"[a-z0-9_]+":\{"cost":[^}]*\}' seen.state | grep -v '^"base"' | \
    sed -E 's/"ms":[0-9]+/"ms":0/' | sort
  ckrun --json sessions log "$1" --all | grep -o '"kind":"session_completed".*' | \
    grep -o '"result":.*'
  sort count.log
}

expect() {
  folder "baseline_$flow"
  fresh
  start env >out 2>err && [ -s count.log ] && [ -z "$(sort count.log | uniq -d)" ] &&
    ckrun store verify >/dev/null 2>&1 &&
    summary s >"$work/expected"
}

by_count() { attack "call:$1" env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so"; }

# Killed at a call of its own in each of three runs, one after the other.
by_chance() {
  local point="calls:$1,$2,$3" code=137
  fresh
  start env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so" >out 2>err
  for at in "$2" "$3"; do
    [ -e s.db ] && bounded env "KILL_AT=$at" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store \
      "$store" resume s >out 2>err
  done
  marks_left
  go_on s start env
  judge "$point" s
}

count_calls() {
  fresh
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err
  local last=$((2 * $(cat "$work/calls") + 20)) half
  half=$((last / 2))
  { seq $((2 + turn % every)) $((5 * every)) "$half"
    seq $((half + 1 + turn % every)) "$every" "$last"; } >"$work/count.points"
}

list_chances() {
  local calls
  calls=$(cat "$work/calls")
  # One kill in the middle in any case: KILL_AT counts each call twice, before it and after it.
  echo "$((calls * 2 - 10)) $((calls * 3 / 2)) $calls" >"$work/chance.points"
  for ((i = 1; i < rounds; i++)); do
    echo "$((2 + RANDOM % (2 * calls))) $((2 + RANDOM % (2 * calls))) $((2 + RANDOM % calls))"
  done >>"$work/chance.points"
}

kills=
have_compiler && build_kill_at && kills=yes
all=$(basename -s .lua "$here"/kinds/*.lua)
for flow in ${KINDS_ONLY:-$all before_call}; do
  check "$flow: undisturbed it completes, each tool once" expect
  if [ -n "$kills" ]; then
    check "$flow: its calls are counted" count_calls
    list_chances
    check "$flow: killed at $(wc -l <"$work/count.points") of its $(cat \
      "$work/calls") calls it goes on to the same" in_two by_count "$work/count.points"
    check "$flow: killed three times at random, $rounds times, it goes on to the same" in_two \
      by_chance "$work/chance.points"
  else
    skip "$flow: killed at its calls" "there is no compiler for the library that kills"
  fi
done
finish
