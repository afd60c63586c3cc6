#!/bin/bash
# zombie.t - a run that stood still, and whose session another run has taken since without its
# leave (its lock file was removed), writes nothing more and begins nothing more when it goes on.
. "$(dirname "$0")/../host/tap.sh"
. "$(dirname "$0")/../host/steps.sh"

# The step that the stopped run waits for takes the word and ends.
step_ends() {
  let_on "$1"
  while grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$(cat "$dir/step")/status" 2>/dev/null
  do :; done
}
events() { "$CKRUN" --json sessions log z --all | grep -c ''; }

write_flow idempotent
begin run "$dir/flow.lua" --session z
old=$pid
kill -STOP "$old"
step_ends old
rm "$dir"/store/ckrun.db.sessions/*.lock
begin resume z
let_on 1
reach
between=$(events)
kill -CONT "$old"
wait "$old"
is "the old run ends when it writes: its epoch is over" "$?" 76
is "none of it is in the session" "$(events)" "$between"
is "and it began nothing more" "$(grep -c '' "$dir/done")" 3
steps 2 3 4
ended
is "the new run goes on undisturbed" "$code" 0
exits 0 "the session" --json sessions show z
is "is the new run's" "$(json "$out" '"$d->{status} $d->{totals}{tool_calls}"')" "completed 4"
exits 0 "the store is whole" store verify
finish
