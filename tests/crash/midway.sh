# midway.sh - a program is killed in the middle of what it does, by kill_at.c. Sourced.
# How many calls a session makes is not always the same: what a slow disk or a busy machine lets
# come together is written together. So a point that was reckoned from one run may lie behind the
# end of the next.

# midway AT TRY STANDS: calls `TRY AT`, which does all of it anew with KILL_AT=AT, until it died in
# the middle: its exit code is 137, and `STANDS` prints that the session is "running". It prints
# nothing when that was too early, anything else when it was too late. Sets `code`.
midway() {
  local at=$1 try
  for ((try = 0; try < 40; try++)); do
    "$2" "$at"
    code=$?
    case "$code $("$3")" in
      "137 running") return 0 ;;
      "137 ") at=$((at * 5 / 4 + 1)) ;;
      *) at=$((at * 3 / 4)) ;;
    esac
  done
  return 1
}
