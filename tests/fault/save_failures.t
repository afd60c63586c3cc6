#!/bin/bash
# save_failures.t - on_save_failure = "continue": the disk takes nothing for a while, or never
# again, while a session runs. It goes on within its bounds, says so everywhere, catches up, and
# loses nothing that was told to be saved.
. "$(dirname "$0")/../host/tap.sh"
. "$(dirname "$0")/../host/steps.sh"
if ! prlimit --pid $$ --fsize >/dev/null 2>&1; then
  skip "prlimit(1) is missing, or may not limit here"
  finish
fi

# A limit on the size of files that is set on a running process: what it writes behind the first
# page of a file fails.
disk_fails() { prlimit --pid "${1:-$pid}" --fsize=4096:unlimited; }
disk_works() { prlimit --pid "${1:-$pid}" --fsize=unlimited:unlimited; }

# profile CHECKPOINTS: how many may be unsaved.
profile() {
  cat >"$dir/brave.lua" <<END
return { name = "brave", extends = "default", on_save_failure = "continue",
  unsaved = { checkpoints = $1 } }
END
}
profile 10
write_flow idempotent
checkpoints() { "$CKRUN" --json sessions checkpoints "$1" 2>/dev/null | \
  grep -c '"id":"checkpoint_'; }

# ---- for a while ----
begin run "$dir/flow.lua" --profile "$dir/brave.lua" --session while
steps 1 2
reach
is "a checkpoint is there for each step" "$(checkpoints while)" 2
disk_fails
steps 3 # its outcome and its checkpoint cannot be saved, nor the intent of the fourth
reach
is "the store is what it was" "$(checkpoints while)" 2
until grep -q '^not saved' "$dir/told"; do :; done # the step can have begun a moment before
ok "who started it is told, once" test "$(grep -c \
  '^not saved  .*the session goes on and tries again$' "$dir/told")" = 1
ok "with the cause" grep -q '^not saved .*store /.*: File too large' "$dir/told"
ok "no checkpoint is called saved that is not" test "$(grep -c '^checkpoint ' "$dir/told")" -le 2
exits 0 "a list from elsewhere" --json sessions list
has "says so" "$(json "$out" '$d->{trouble}')" "File too large"
exits 0 "a list for people" sessions list
has "says so, too" "$out" "File too large"
exits 0 "the session from elsewhere" --json sessions show while
is "says so" "$(json "$out" '$d->{saving}{failing} . $d->{status}')" 1running
exits 0 "the session for people" sessions show while
has "says so, too" "$(cell "$out" saving)" "failing, the session goes on unsaved: "
disk_works
let_on 4
ended
is "the disk works again: it ends well" "$code $(cell "$out" result)" "0 4"
is "and says what came late" "$(cell "$out" saving)" \
  "failed for a while once, 1 checkpoint came late; all is saved"
has "also while it ran" "$err" "saved       again: 1 checkpoint came late"
is "all checkpoints are there" "$(checkpoints while)" 5
exits 0 "its transcript" --json sessions log while --all
is "has no gap" "$(perl -MJSON::PP -ne 'print "gap\n" if decode_json($_)->{seq} != $.' <<<"$out")" \
  ""
is "tells when it failed and when it was over" \
  "$(grep '"kind":"saving"' <<<"$out" | grep -o '"what":"[a-z]*"' | tr '\n' ' ')" \
  '"what":"failing" "what":"saved" '
exits 0 "the session later" --json sessions show while
is "knows of it" "$(json "$out" 'join " ",
  map { $d->{saving}{$_} ? 0 + $d->{saving}{$_} : 0 } qw(failing times late_checkpoints)')" "0 1 1"
exits 0 "the store is sound" store verify
is "each step was run once" "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" \
  "1 1 1 1 "

# ---- never again ----
rm "$dir/done"
begin run "$dir/flow.lua" --profile "$dir/brave.lua" --session never
steps 1
reach
disk_fails
steps 2 3 4
ended
is "the disk never works again: exit 74" "$code" 74
has "what is lost is said" "$(tail -n 1 <<<"$err")" "; 3 checkpoints and "
has "and shown" "$(cell "$out" saving)" "3 checkpoints and "
is "only what is saved was called so" "$(grep -c '^checkpoint ' <<<"$err") $(checkpoints never)" \
  "1 1"
begin resume never
steps 2 3 4
ended
is "a resume goes on from there, to the end" "$code $(cell "$out" result)" "0 4"
is "what was saved is not repeated, the rest is, under its key" \
  "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "1 2 2 2 "
exits 0 "the store is sound" store verify

# ---- no further than the bounds ----
profile 1
begin run "$dir/flow.lua" --profile "$dir/brave.lua" --session bound
disk_fails
steps 1 2
ended
is "unsaved.checkpoints = 1: the second that fails ends it" "$code $(grep -c . "$dir/done")" "74 9"
has "with the reason" "$(tail -n 1 <<<"$err")" "; 1 checkpoint and "
profile 10

# ---- killed meanwhile ----
rm "$dir/done"
begin run "$dir/flow.lua" --profile "$dir/brave.lua" --session killed
steps 1
reach
disk_fails
steps 2
reach
die
exits 0 "killed while the disk fails: the session" --json sessions show killed
is "is not said to be failing any more" "$(json "$out" '$d->{saving}{failing} . $d->{live}')" 00
begin resume killed
steps 2 3 4
ended
is "a resume goes on from what was saved" "$code $(cell "$out" result)" "0 4"
exits 0 "the store is sound" store verify

# ---- what must not be repeated ----
write_flow once
rm "$dir/done"
begin run "$dir/flow.lua" --profile "$dir/brave.lua" --session once
steps 1
reach
disk_fails
let_on 2
ended
is "the outcome of class once does not wait: exit 74" "$code" 74
is "and the next is not begun" "$(grep -c . "$dir/done")" 2
exits 75 "a resume does not guess" resume once
exits 0 "a person says it was done" resolve once main/step#1/tool/1 done
begin resume once
steps 3 4
ended
is "and it goes on to the end" "$code $(cell "$out" result)" "0 4"
is "nothing ran twice" "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "1 1 1 1 "

# ---- a store that is sealed ----
write_flow idempotent
export CKRUN_STORE=sqlite:$dir/sealed.db CKRUN_KEY=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
begin run "$dir/flow.lua" --profile "$dir/brave.lua" --session sealed
disk_fails
steps 1 2
reach
exits 0 "a sealed session from elsewhere" --json sessions list
has "says that it is not saved" "$(json "$out" '$d->{trouble}')" "File too large"
disk_works
steps 3 4
ended
is "and ends well" "$code $(cell "$out" saving)" \
  "0 failed for a while once, 2 checkpoints came late; all is saved"
exits 0 "with nothing wrong in its store" store verify
ok "which is sealed" test -z "$(CKRUN_KEY= "$CKRUN" sessions list 2>/dev/null)"
export CKRUN_STORE=sqlite:$dir/store/ckrun.db
unset CKRUN_KEY

# ---- on a terminal ----
write_flow idempotent
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  script -qfec "env TERM=xterm $CKRUN run $dir/flow.lua --profile $dir/brave.lua --session live" \
    "$dir/typescript" >/dev/null 2>&1 </dev/null 3>&- 4>&- &
  pid=$!
  reach
  exits 76 "a second resume" resume live
  owner=$(grep -o 'process [0-9]*' <<<"$err" | cut -d' ' -f2)
  disk_fails "$owner"
  steps 1
  reach
  until grep -q 'NOT SAVED (1 checkpoint' "$dir/typescript"; do :; done # first its outcome only
  ok "the live line shows it" grep -q 'NOT SAVED (1 checkpoint' "$dir/typescript"
  disk_works "$owner"
  steps 2 3 4
  wait "$pid"
  ok "and what came late has a line of its own" grep -q \
    'saved       again: 1 checkpoint came late' "$dir/typescript"
else
  skip "script(1) or terminals are missing"
fi
finish
