#!/bin/bash
# out_of_memory.t - a session for which memory runs out, in ckrun or in the flow's Lua, pauses; with
# more of it the same session goes on, and nothing is lost or done twice. Of the ways in which a
# flow fills memory every third is tried, others with each commit; MEMORY_WAYS=1: every Nth.
. "$(dirname "$0")/../host/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$dir" || exit 1
. "$here/shortage.sh"

# Sanitizers map more than any limit.
(ulimit -v 200000 && exec "$CKRUN" --version) >/dev/null 2>&1 || {
  skip "no limit of memory can be set here"
  finish
  exit
}

# try KIB COMMAND…: `bad`: where a session was lost; `paused`: what one was told; `completed`.
try() {
  "${@:2}" || return
  [ "$code" = 8 ] && grep -q 'is paused' err && paused=$(tail -n 1 err)
  completed=$([ "$code" = 0 ] && echo yes)
  goes_on "${*:2} ($1 KiB)" || bad="$bad $1"
}

with_memory() { "$2" -v "$1" "${@:3}"; }

least=9000 # KiB: with less the system cannot even load the program

# sweep WHAT…: finds where WHAT begins to complete, and tries every step below.
sweep() {
  local low=$least high=200000 at step=${step:-100}
  bad= paused=
  while [ $((high - low)) -gt "$step" ]; do
    at=$(((low + high) / 2))
    try "$at" with_memory "$at" "$@"
    if [ "$completed" ]; then high=$at; else low=$at; fi
  done
  for at in $(seq $((high - ${below:-2000})) "$step" "$high"); do
    [ "$at" -lt "$least" ] || try "$at" with_memory "$at" "$@"
  done
}

sweep runs
is "with any amount of memory a session ends well or can go on" "$bad" ""
ok "some of them pause it" test -n "$paused"
has "and it says what to do" "$paused" "no memory is left: end other programs, or raise the limit"
has "which limit" "$paused" "('ulimit -v')"

begin_half
is "a session is paused half way" "$(status)" paused
sweep resumes
is "and resumed with any amount of memory" "$bad" ""

# fills HOW INPUT
fills() {
  step=5000 below=60000 sweep runs --input "$2"
  is "the same where the flow fills memory ($1)" "$bad" ""
  ok "some of them pause it ($1)" test -n "$paused"
  has "and it says what to do ($1)" "$paused" "raise the limit ('ulimit -v')"
}

# In a scope below, the parent is not told that it failed.
ways=$(printf '%s\n' list text state caught below | "$root/tests/turn.sh" "${MEMORY_WAYS:-3}")
for how in $ways; do
  case $how in
    below) fills "$how" '{"use":"list","child":true}' ;;
    *) fills "$how" "{\"use\":\"$how\"}" ;;
  esac
done

# What a pause leaves is a session as any other.
runs -v 30000 --input '{"use":"list"}'
is "a session out of memory is paused" "$(status)" paused
"$CKRUN" --store s.db sessions show s --json >shown
has "with the reason" "$(cat shown)" "no memory is left"
ok "the store is whole" "$CKRUN" --store s.db store verify
finish
