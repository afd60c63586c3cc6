#!/bin/bash
# bit_rot.t - one bit is turned over in every 256 bytes of a store, and it is cut off at each page:
# the damage is told, or every answer is what it was. Never a crash, never a wrong answer.
# BIT_ROT_SEED=N repeats a run,
# BIT_ROT_STEP=N takes as many bytes.
. "$(dirname "$0")/../crash/lib.sh"

seed=${BIT_ROT_SEED:-$RANDOM}
step=${BIT_ROT_STEP:-256}
page=4096

begin
say "BIT_ROT_SEED=$seed"
command -v sqlite3 >/dev/null || skip_all \
  "sqlite3 is missing: the log cannot be put into the database"
cassette 10

# Three sessions: one completed, one killed on the way, one of another kind; all of it in the
# database file.
make_store() {
  folder good
  ckrun run "$here/state.lua" --cassette "$work/10.jsonl" --session s >out 2>err || return 1
  touch kill
  ckrun run "$here/once.lua" --cassette "$work/10.jsonl" --session t >out 2>err
  ckrun run "$here/agent.lua" --cassette "$work/10.jsonl" --session u >out 2>err || return 1
  sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null && rm -rf s.db-* &&
    ckrun store verify 2>/dev/null
  rm -f s.db-*
}

questions=("sessions inspect s" "sessions log s --all" "sessions checkpoints s" \
  "sessions log t --all" "sessions list")
ask() { ckrun --json $1; }

answer_all() {
  local n
  for n in "${!questions[@]}"; do ask "${questions[n]}" >"$work/answer$n" 2>/dev/null ||
    return 1; done
}

# It answers or says what is wrong; anything else is a death, also by a sanitizer.
lives() { case $1 in 0 | 3 | 7 | 74) ;; *) false ;; esac; }

# Prints a line as judge does: the last figure counts the damage that was told.
examine() {
  local point=$1 code verified n
  rm -f s.db-*
  ckrun store verify >out 2>err
  verified=$?
  lives "$verified" || { echo "$point 0 0 0 1 0 verify dies: exit $verified: $(tail -n 1 err)"; \
    return; }
  for n in "${!questions[@]}"; do
    ask "${questions[n]}" >out 2>err
    code=$?
    lives "$code" || { echo "$point 0 0 0 1 0 ${questions[n]} dies: exit $code: $(tail -n 1 err)"; \
      return; }
    if [ "$code" = 0 ] && [ "$verified" = 0 ] && ! cmp -s out "$work/answer$n"; then
      echo "$point 1 0 0 0 0 ${questions[n]}: $(diff "$work/answer$n" out | tail -n 1 | \
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
  local at=$1 bit=$2 byte
  cp "$work/good/s.db" s.db
  byte=$(od -An -tu1 -j "$at" -N 1 s.db)
  printf "\\x$(printf %02x $((byte ^ (1 << bit))))" | \
    dd of=s.db bs=1 seek="$at" conv=notrunc 2>/dev/null
  examine "byte:$at:bit:$bit"
}

cut_off() {
  head -c "$1" "$work/good/s.db" >s.db
  examine "cut:$1"
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

check "a store to be damaged" make_store
check "it answers" answer_all
list_points
check "at $(wc -l <"$work/points") places the damage is told or harmless" in_two attack \
  "$work/points"
finish
