#!/bin/bash
# random_kills.t - kill -9 at any time, again and again: every time the session resumes, and in the
# end it equals an undisturbed one. RANDOM_KILLS=N rounds (one session of N steps as long as it
# lasts, then another);
# RANDOM_SEED=N repeats a run, as far as the clock lets it.
. "$(dirname "$0")/lib.sh"

rounds=${RANDOM_KILLS:-100}
seed=${RANDOM_SEED:-$RANDOM}

begin
say "RANDOM_SEED=$seed"
RANDOM=$seed
cassette "$rounds"
{ have_compiler && build_kill_at; } || say "no compiler: all kills are by the clock"
start() { bounded "$@" "$CKRUN" --store "$store" run "$here/state.lua" --cassette \
  "$work/$rounds.jsonl" --session s; }

expect() {
  folder baseline
  start env >out 2>err && [ "$(wc -l <count.log)" = "$rounds" ] && summary s >"$work/expected"
}

# Every other kill by the clock, within 60 ms; the others at one of the first calls. Sets `code`.
kill_one() {
  local round=$1
  shift
  if [ $((round % 2)) = 0 ] && [ -f "$work/kill_at.so" ]; then
    bounded env "KILL_AT=$((2 + RANDOM % 300))" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store \
      "$store" "$@" >out 2>err
  else
    timeout --foreground -s KILL "0.0$(printf %02d $((RANDOM % 60 + 1)))" "$CKRUN" --store \
      "$store" "$@" >out 2>err
  fi
  code=$?
}

# One line for each round that was killed and each session that came to its end.
list_rounds() {
  local round command
  folder killed
  for ((round = 1; round <= rounds; round++)); do
    command=(resume s --retry)
    ckrun sessions show s >/dev/null 2>&1 ||
      command=(run "$here/state.lua" --cassette "$work/$rounds.jsonl" --session s)
    kill_one "$round" "${command[@]}"
    [ "$code" = 5 ] && grep -q 'is completed' err && code=0
    [ "$code" = 124 ] && code=0 # the clock struck, but the program had ended by itself
    case $code in
      137) echo "round$round 0 0 0 0 1" ;;
      0) end_session "session$round" && fresh ;;
      *) echo "round$round 0 0 0 1 0 exit $code: $(tail -n 1 err)" ;;
    esac
  done
  end_session last
}

end_session() {
  marks_left
  [ -e s.db ] || return 0
  go_on s start env
  judge "$1" s
}

attack() {
  list_rounds >"$work/result" 2>"$work/talk"
  grep -v ' Killed ' "$work/talk" | head -n 5 | sed 's/^/# /'
  figures "$work/result"
}

check "it counts to $rounds undisturbed" expect
check "killed at random, $rounds times, it always goes on" attack
finish
