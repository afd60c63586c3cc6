#!/bin/sh
# demo.sh - a recorded booking runs, is killed with SIGKILL in the middle, resumes, and repeats
# nothing.
set -eu
cd "$(dirname "$0")"
ckrun=${CKRUN:-../../build/ckrun}
case $ckrun in */*) ckrun=$(cd "$(dirname "$ckrun")" && pwd)/$(basename "$ckrun") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CKRUN_STORE="sqlite:$work/demo.db"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

# Runs until its progress has shown $1 steps, then kills it. Fails when it was done before the blow
# fell.
run_and_kill() {
  local session=$1 steps=$2 line pid
  mkfifo "$work/$session"
  "$ckrun" run flow.lua --cassette cassette.jsonl --session "$session" >/dev/null \
    2>"$work/$session" &
  pid=$!
  {
    while IFS= read -r line; do
      printf '  %s\n' "$line"
      steps=$((steps - 1))
      [ "$steps" -gt 0 ] || break
    done
    kill -9 "$pid" 2>/dev/null || true
  } <"$work/$session"
  ! wait "$pid" 2>/dev/null && "$ckrun" --json sessions show "$session" | \
    grep -q '"status":"running"'
}

# One line per effect that a driver carried out, replays not counted: its key.
carried_out() {
  "$ckrun" sessions log "$1" --all --kind outcome --json | grep -v '"status":"ended"' | \
    sed -n 's/.*"key":"\([^"]*\)".*"via":"cassette".*/\1/p'
}

say '1. An agent books a flight. Its model and its tools answer from a recording;' \
  'it is killed with SIGKILL on the way.'
session=
attempt=0
while [ -z "$session" ] && [ "$attempt" -lt 100 ]; do
  attempt=$((attempt + 1))
  if run_and_kill "booking-$attempt" 14; then session=booking-$attempt
  else echo '  (it was done before the blow fell: once more)'; fi
done
[ -n "$session" ] || { echo 'demo: the run was never caught in the middle' >&2; exit 1; }
before=$(carried_out "$session" | wc -l)

say "2. What is left of it: ckrun sessions show $session"
"$ckrun" sessions show "$session" | sed 's/^/  /'

say "3. It goes on where it stood: ckrun resume $session"
"$ckrun" resume "$session" >"$work/resumed" 2>&1 || { cat "$work/resumed"; exit 1; }
sed 's/^/  /' "$work/resumed"

say '4. Nothing was done twice.'
carried_out "$session" | sort >"$work/keys"
total=$(wc -l <"$work/keys")
twice=$(uniq -d "$work/keys" | wc -l)
recorded=$(grep -c '"kind"' cassette.jsonl)
printf '  %-36s%s\n' \
  'effects in the recording' "$recorded" \
  'carried out before the kill' "$before" \
  'carried out after it' $((total - before)) \
  'carried out twice' "$twice"
"$ckrun" store verify >"$work/verified" 2>&1 || { cat "$work/verified"; exit 1; }
sed 's/^/  /' "$work/verified"
[ "$twice" = 0 ] && [ "$total" = "$recorded" ]
