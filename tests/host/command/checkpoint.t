#!/bin/bash
# checkpoint.t - a live session is asked to save: it does at its next boundary, whatever its
# policies say, and goes on; who asked is told the id of what is on the disk.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
write_flow idempotent
# A policy that never asks for a checkpoint: those that are there were asked for.
cat >"$dir/never.lua" <<'END'
return { name = "never", version = 1, checkpoint = function() return nil end }
END
echo "return { name = 'rare', policies = { './never.lua' } }" >"$dir/rare.lua"
rare=(--profile "$dir/rare.lua")

# ask NAME ARGUMENTS…: the program in the background as $asker, its output in NAME.out and NAME.err.
ask() {
  local name=$1
  shift
  "$CKRUN" "$@" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null 3>&- 4>&- &
  asker=$!
}
told() {
  wait "${2:-$asker}"
  code=$?
  out=$(cat "$dir/$1.out") err=$(cat "$dir/$1.err")
}
# noted SESSION N: waits until the owner has taken that many requests to save.
noted() { until [ "$("$CKRUN" --json sessions log "$1" --kind note |
  grep -c '"kind":"checkpoint"')" = "$2" ]; do :; done; }
listed() { "$CKRUN" --json sessions checkpoints "$1"; }
# of LIST EXPRESSION: of each checkpoint $_ of the list.
of() { json "[$(paste -sd, <<<"$1")]" "join '|', map { $2 } @\$d"; }

# ---- while a tool runs ----
begin run "$dir/flow.lua" --session one "${rare[@]}"
ask save checkpoint one --description "before the risky part"
noted one 1
ok "while the tool runs nobody is answered" test ! -s "$dir/save.out"
is "and nothing is saved" "$(listed one)" ""
let_on first
told save
is "at the boundary it is: exit 0" "$code" 0
id=$(cell "$out" checkpoint)
reach
list=$(listed one)
is "the id is that of the one checkpoint there is" "$(of "$list" '$_->{id}')" "$id"
is "it is described as asked, of the boundary's kind, and can be resumed from" \
  "$(of "$list" '"$_->{description}, $_->{kind}, $_->{resumable}"')" \
  "before the risky part, tool_round, 1"
is "the session is told, and what it was described as" \
  "$(cell "$out" session), $(cell "$out" status), $(cell "$out" description)" \
  "one, saved, before the risky part"
exits 0 "the session goes on meanwhile" --json sessions show one
is "it runs" "$(json "$out" '$d->{status}')" running

# ---- one boundary, one checkpoint: not at each from then on; two who ask share one ----
let_on second
reach
is "at the next boundary none is taken" "$(listed one | grep -c .)" 1
ask save checkpoint one --json --description "mine"
first=$asker
ask other checkpoint one --json
noted one 3
let_on third
reach
told save "$first"
mine=$out
told other
is "two who ask at once are given one checkpoint" "$(json "$mine" '$d->{checkpoint}')" \
  "$(json "$out" '$d->{checkpoint}')"
is "as JSON" "$code $(json "$mine" 'join ",", @$d{qw(session status description)}')" \
  "0 one,saved,mine"
is "it is the second there is" "$(listed one | grep -c .)" 2

# ---- killed behind it: the session goes on from it ----
die
exits 0 "a dry run after a kill" --json resume one --dry-run
is "goes on from what was saved" "$(json "$out" '$d->{checkpoint}{id} // $d->{from}{id}')" \
  "$(json "$mine" '$d->{checkpoint}')"
refused 5 "one whose process is gone" "'ckrun resume one' goes on with it" checkpoint one
begin resume one
steps fourth
ended
is "the resume repeats no step" "$code $(cell "$out" result) $(sort "$dir/done" | uniq -c |
  awk '$1 > 1' | grep -c 'step#[12]')" "0 fourth 0"
rm "$dir/done"

# ---- at rest there is nothing to save ----
refused 5 "one that is completed" "it is completed" checkpoint one
refused 3 "none" "nowhere" checkpoint nowhere
exits 2 "a timeout that is none" checkpoint one --timeout soon
begin run "$dir/flow.lua" --session two "${rare[@]}"
ask pause pause two
until "$CKRUN" --json sessions log two --kind note | grep -q '"kind":"pause"'; do :; done
ask save checkpoint two --json
noted two 1
let_on first
ended
told save
is "one that pauses at that boundary saves there before" \
  "$code $(json "$out" '$d->{checkpoint}') $(json "$out" '$d->{status}')" \
  "0 $(of "$(listed two | head -n 1)" '$_->{id}') saved"
last=$(of "$(listed two | tail -n 1)" '$_->{id}')
refused 5 "one that is paused" "its last checkpoint is $last" checkpoint two
has "says what to do" "$("$CKRUN" checkpoint two 2>&1)" "ckrun resume two"
is "nothing was left for the next run" "$(listed two | grep -c .)" 2

# ---- not waited for, waited for too short, and too late ----
begin resume two
exits 0 "one that does not wait" --json checkpoint two --no-wait
is "is requested, no more" "$(json "$out" '$d->{status}, $d->{checkpoint}')" null
exits 1 "one that waits too short" checkpoint two --timeout 1s
ok "says that it stands" grep -qE "has not (come to a boundary|taken the request) yet" <<<"$err"
ask save checkpoint two
noted two 4
die
told save
is "killed before its boundary: exit 5" "$code" 5
has "and says that nothing was saved" "$err" "nothing was saved"
begin resume two
steps second third fourth
ended
is "what an earlier run died of is saved by this one" "$code $(listed two | grep -c .)" "0 4"

# ---- its run rests without a boundary, and another one has it when who asked looks again ----
begin run "$dir/flow.lua" --session rested "${rare[@]}"
ask save checkpoint rested
noted rested 1
kill -STOP "$asker"
kill -INT "$pid"
until grep -q "once more" "$dir/told"; do :; done
kill -INT "$pid"
ended
end_step
begin resume rested
kill -CONT "$asker"
told save
is "who asked the run before is told that nothing was saved: exit 5" "$code" 5
has "and that another run has it, which is not gone" "$err" "it is running, by another run"
die

# ---- a secret in the words ----
printf 'hunter2hunter2hunter2' >"$dir/secret"
cat >"$dir/secret.lua" <<END
return { name = "secret", policies = { './never.lua' },
  secrets = { word = "file:$dir/secret" } }
END
begin run "$dir/flow.lua" --session three --profile "$dir/secret.lua"
ask save checkpoint three --description "word hunter2hunter2hunter2"
noted three 1
let_on first
told save
is "a secret in the description is not kept" "$code $(grep -c hunter2 <<<"$out$(listed three
  "$CKRUN" --json sessions log three --all)")" "0 0"
reach
steps second third fourth
ended

# ---- a simulation does not ask why the policies did not want it ----
exits 0 "a simulation of a session that was asked" --json policy simulate "${rare[@]}" one
is "repeats every boundary as recorded" "$(json "$out" 'my $p = $d->{profiles}[0];
  $p->{boundaries} > 3 && $p->{as_recorded} == $p->{boundaries}')" 1
finish
