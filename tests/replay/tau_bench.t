#!/bin/bash
# tau_bench.t - every recorded trajectory, killed at random up to twice and resumed, ends with the
# messages it was recorded
# with: roles and bytes, in order. TAU_SEED=N repeats a run of this test.
. "$(dirname "$0")/../crash/lib.sh"

flow="$here/../../examples/airline/flow.lua"
tool="$CKRUN_BUILD/tests/replay/tool_messages"

begin
recordings=("$CKRUN_DATA"/tau_bench/*.json)
[ -f "${recordings[0]}" ] || skip_all "there are no recordings in $CKRUN_DATA/tau_bench"
{ have_compiler && build_kill_at; } || skip_all "there is no compiler for the library that kills"
[ -x "$tool" ] || { echo "Bail out! tests/replay/tool_messages is not built"; exit 1; }
seed=${TAU_SEED:-$RANDOM}
say "TAU_SEED=$seed"
undisturbed="sqlite:$work/undisturbed.db"
killed="sqlite:$work/killed.db"

# One line for each session of each file: its name, its place, a seed of its own.
list_sessions() {
  local file index number=0
  RANDOM=$seed
  for file in "${recordings[@]}"; do
    for ((index = 0; ; index++)); do
      "$tool" recorded "$file" "$index" >"$work/session$number" || break
      echo "session$number $file#$index $RANDOM"
      number=$((number + 1))
    done
  done >"$work/sessions"
  rm -f "$work/session$number"
  [ -s "$work/sessions" ]
}

# Runs the command until it is not killed any more; it is killed at most twice, at a random one of
# its calls. Sets `code`.
kill_twice() {
  local session=$1 recording=$2 calls=$3
  set -- run "$flow" --cassette "$recording" --session "$session"
  for _ in 1 2; do
    bounded env "KILL_AT=$((2 + RANDOM % (2 * calls)))" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" \
      --store "$killed" "$@" >out 2>err
    code=$?
    [ "$code" = 137 ] || break
    kills=$((kills + 1))
    ckrun_at "$killed" sessions show "$session" >/dev/null 2>&1 && set -- resume "$session"
  done
  if [ "$code" = 137 ]; then
    ckrun_at "$killed" "$@" >out 2>err
    code=$?
  fi
  # Killed when all was done.
  [ "$code" = 5 ] && grep -q 'is completed' err && code=0
}

# Prints a line as judge does: NAME lost duplicated in_doubt unresumable kills text.
attack() {
  local session=$1 recording=$2 kills=0 code
  RANDOM=$3
  bounded env "KILL_COUNT=$work/$session.calls" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store \
    "$undisturbed" run "$flow" --cassette "$recording" --session "$session" >out 2>err ||
    { echo "$session 0 0 0 1 0 undisturbed: $(tail -n 1 err)"; return; }
  kill_twice "$session" "$recording" "$(cat "$work/$session.calls")"
  [ "$code" = 0 ] || {
    echo "$session 0 0 $((code == 75)) $((code != 75)) $kills exit $code: $(tail -n 1 err)"
    return
  }
  "$tool" session "$undisturbed" "$session" >whole 2>&1
  "$tool" session "$killed" "$session" >resumed 2>&1
  cmp -s whole "$work/$session" || { echo \
    "$session 1 0 0 0 $kills undisturbed: $(diff "$work/$session" whole | head -n 2 | \
    cut -c1-200)"; return; }
  cmp -s resumed "$work/$session" || { echo \
    "$session 1 0 0 0 $kills resumed: $(diff "$work/$session" resumed | head -n 2 | cut -c1-200)"; \
    return; }
  echo "$session 0 $(paid_twice "$session") 0 0 $kills"
}

# 1 when the number of outcomes differs from that of an undisturbed run: something was paid twice.
paid_twice() {
  local a b
  a=$(ckrun_at "$undisturbed" --json sessions log "$1" --all --kind outcome | \
    grep -c '"status":"ok"')
  b=$(ckrun_at "$killed" --json sessions log "$1" --all --kind outcome | grep -c '"status":"ok"')
  echo $((a != b))
}

check "the recordings are read" list_sessions
count=$(wc -l <"$work/sessions")
check "all $count sessions end with their recorded messages, undisturbed and killed" \
  in_two attack "$work/sessions"
check "the undisturbed store is sound" ckrun_at "$undisturbed" store verify
check "the store of the killed is sound" ckrun_at "$killed" store verify
finish
