#!/bin/bash
# bit_rot.t - one bit is turned over in every 512 bytes of a store at rest, and it is cut off at
# each page; and in every 4,096 of the files of one that was killed, whose commits are in its log:
# the damage is told, or every answer is what it was. Never a crash, never a wrong answer.
# The places are others with each commit. BIT_ROT_SEED=N repeats a run, BIT_ROT_STEP=N takes as
# many bytes.
. "$(dirname "$0")/../crash/lib.sh"
. "$(dirname "$0")/damage.sh"

seed=${BIT_ROT_SEED:-$turn}
step=${BIT_ROT_STEP:-512}
page=4096

begin
say "BIT_ROT_SEED=$seed"
cassette 10

# Three sessions: one completed, one killed on the way, one of another kind; all of it in the
# database file.
make_store() {
  folder good
  ckrun run "$here/state.lua" --cassette "$work/10.jsonl" --session s >out 2>err || return 1
  touch kill
  ckrun run "$here/once.lua" --cassette "$work/10.jsonl" --session t >out 2>err
  ckrun run "$here/agent.lua" --cassette "$work/10.jsonl" --session u >out 2>err || return 1
  [ "$(log_frames)" = 0 ] && rm -f s.db-* && ckrun store verify 2>/dev/null
  rm -f s.db-*
}

# The same sessions, the last of them killed: what was done is in the log, and in the log alone.
make_killed() {
  folder killed
  ckrun run "$here/state.lua" --cassette "$work/10.jsonl" --session s >out 2>err || return 1
  ckrun run "$here/agent.lua" --cassette "$work/10.jsonl" --session u >out 2>err || return 1
  touch kill
  ckrun run "$here/once.lua" --cassette "$work/10.jsonl" --session t >out 2>err
  frames=$(log_frames)
  [ "$frames" -gt 5 ] && ! grep -aq once.lua s.db && grep -aq once.lua s.db-wal
}

questions=("sessions inspect s" "sessions log s --all" "sessions checkpoints s" \
  "sessions log t --all" "sessions list")
ask() { ckrun --json $1; }
answers=$work/answer

answer_all() {
  local n
  for n in "${!questions[@]}"; do ask "${questions[n]}" >"$answers$n" 2>/dev/null ||
    return 1; done
}

# It answers or says what is wrong; anything else is a death, also by a sanitizer.
lives() { case $1 in 0 | 3 | 7 | 74) ;; *) false ;; esac; }

# Prints a line as judge does: the last figure counts the damage that was told.
examine() {
  local point=$1 code verified n
  ckrun store verify >out 2>err
  verified=$?
  lives "$verified" || { echo "$point 0 0 0 1 0 verify dies: exit $verified: $(tail -n 1 err)"; \
    return; }
  for n in "${!questions[@]}"; do
    ask "${questions[n]}" >out 2>err
    code=$?
    lives "$code" || { echo "$point 0 0 0 1 0 ${questions[n]} dies: exit $code: $(tail -n 1 err)"; \
      return; }
    if [ "$code" = 0 ] && [ "$verified" = 0 ] && ! cmp -s out "$answers$n"; then
      echo "$point 1 0 0 0 0 ${questions[n]}: $(diff "$answers$n" out | tail -n 1 | \
        cut -c1-300)"
      return
    fi
    [ "$code" = 0 ] || [ "$verified" != 0 ] ||
      { echo "$point 1 0 0 0 0 verify finds nothing, but ${questions[n]}: $(tail -n 1 err)"; \
      return; }
  done
  echo "$point 0 0 0 0 $((verified != 0))"
}

turn_over() {
  local at=$1 bit=$2
  rm -f s.db-*
  cp "$work/good/s.db" s.db
  turn_bit s.db "$at" "$bit"
  examine "byte:$at:bit:$bit"
}

cut_off() {
  rm -f s.db-*
  head -c "$1" "$work/good/s.db" >s.db
  examine "cut:$1"
}

# One bit of one of the files that the kill left.
live_over() {
  local file=$1 at=$2 bit=$3
  rm -rf s.db*
  cp -a "$work"/killed/s.db* .
  turn_bit "$file" "$at" "$bit"
  examine "$file:$at:bit:$bit"
}

attack() { "$@"; }

list_points() {
  local size at
  size=$(stat -c %s "$work/good/s.db")
  RANDOM=$seed
  for ((at = 0; at < size; at += step)); do echo \
    "turn_over $((at + RANDOM % step)) $((RANDOM % 8))"; done >"$work/points"
  for ((at = 0; at < size; at += page)); do echo "cut_off $at"; done >>"$work/points"
}

# Database, mark, and the frames and the index that readers use.
list_live_points() {
  local file size at
  RANDOM=$seed
  for file in s.db s.db.lock s.db-wal s.db-shm; do
    size=$(stat -c %s "$work/killed/$file")
    [ $file = s.db-wal ] && size=$((32 + frames * (24 + page)))
    for ((at = 0; at < size; at += page)); do
      echo "live_over $file $(((at + RANDOM % page) % size)) $((RANDOM % 8))"
    done
  done >"$work/live_points"
}

check "a store to be damaged" make_store
check "it answers" answer_all
list_points
check "at $(wc -l <"$work/points") places the damage is told or harmless" in_two attack \
  "$work/points"
answers=$work/killed_answer
check "a store that was killed, with its commits in the log" make_killed
folder copy
cp -a "$work"/killed/s.db* .
check "it answers, too" answer_all
list_live_points
check "at $(wc -l <"$work/live_points") places of its files the damage is told or harmless" in_two \
  attack "$work/live_points"
finish
