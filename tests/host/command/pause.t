#!/bin/bash
# pause.t - a session is paused from another process at its next boundary, durably before anyone
# says so; signals have their grace.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../kills.sh"
write_flow idempotent

# ask NAME ARGUMENTS…: the program in the background as $asker, its output in NAME.out and NAME.err.
ask() {
  local name=$1
  shift
  "$CKRUN" "$@" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null 3>&- 4>&- &
  asker=$!
}
told() {
  wait "$asker"
  code=$?
  out=$(cat "$dir/$1.out") err=$(cat "$dir/$1.err")
}
notes() { "$CKRUN" --json sessions log "$1" --kind note | grep -c "\"kind\":\"$2\""; }
# noted SESSION KIND [BEFORE]: waits until one more request of that kind is noted than before.
noted() { until [ "$(notes "$1" "$2")" -gt "${3:-0}" ]; do :; done; }

# ---- by request, while a tool runs ----
begin run "$dir/flow.lua" --session one
ask pause pause one --reason "enough for today"
noted one pause
exits 0 "while the tool runs" --json sessions show one
is "it is not said to be paused" "$(json "$out" '$d->{status}')" running
ok "nor has the command answered" test ! -s "$dir/pause.out"
let_on first
told pause
is "at the boundary it is: exit 0" "$code" 0
is "with the reason" "$(cell "$out" status) $(cell "$out" reason)" "paused enough for today"
is "and how to go on" "$(cell "$out" resume)" "ckrun resume one"
ended
is "the run answers the same" "$code" 8
has "in words" "$err" "session one is paused: enough for today"
exits 0 "a pause of what is paused" pause one
is "stays so, with the first reason" "$(cell "$out" status) $(cell "$out" reason)" \
  "paused enough for today"
exits 0 "as JSON" --json pause one
is "the same" "$(json "$out" '$d->{status} . " " . $d->{resume}')" "paused ckrun resume one"
begin resume one
steps second third fourth
ended
is "it goes on without a step done twice" \
  "$code $(cell "$out" result) $(sort "$dir/done" | uniq -d)" "0 fourth "
refused 5 "a pause of a completed session" "it is completed" pause one
refused 3 "a pause of none" "nowhere" pause nowhere
refused 2 "a pause of no id" "session" pause ../one
exits 2 "a timeout that is none" pause one --timeout soon
has "is told how to write one" "$err" "say 250ms, 10s, 2m or 1h"
exits 2 "a reason that workers go by" pause one --reason queued
has "is none that a person gives" "$err" "the reason 'queued' is that of a session which workers go"

# ---- not waited for, and too late ----
begin run "$dir/flow.lua" --session two
exits 1 "a pause that waits too short" pause two --timeout 1s
ok "says that it stands" grep -qE "has not (come to a boundary|taken the request) yet" <<<"$err"
exits 0 "a pause that does not wait" --json pause two --no-wait
is "says that it is requested, no more" "$(json "$out" '$d->{status}')" requested
let_on first
ended
is "and it pauses" "$code" 8

# ---- the owner is killed before its boundary: whoever resumes it goes on, and is told ----
begin resume two
before=$(notes two pause)
ask pause pause two
noted two pause "$before"
die
told pause
is "the command says that nothing was paused: exit 5" "$code" 5
has "and what is the matter" "$err" "its process is gone"
begin resume two
has "a person's resume supersedes it, and says so" "$(cat "$dir/told")" \
  "a pause was asked for before the last run died (user_requested): this resume supersedes it"
"$CKRUN" pause two --no-wait >/dev/null
die
begin resume two
steps second third fourth
ended
is "a request for an earlier run does not stop this one" "$code $(cell "$out" result)" "0 fourth"

# ---- killed at each step of the way to the pause: paused or not, never in between ----
begin run "$dir/flow.lua" --session three
kill -INT "$pid"
let_on first
ended
begin resume three
ask pause pause three --timeout 60s
let_on second
{ kill -KILL "$pid" && wait "$pid"; } 2>/dev/null
told pause
answered=$code
exits 0 "after a kill that races with the pause" --json sessions show three
status=$(json "$out" '$d->{status}')
case "$answered $status" in
  "0 paused" | "5 running") ok "the command and the store agree" true ;;
  *) ok "the command ($answered) and the store ($status) agree" false ;;
esac
end_step
while read -r -t 0 <&4; do read -r _ <&4; done # the word that it did not come to read
while read -r -t 0 <&3; do read -r _ <&3; done
exits 0 "the store is sound" store verify

# ---- signals ----
begin run "$dir/flow.lua" --session four --grace 100ms
kill -TERM "$pid"
ended
is "a step that does not end within the grace period is given up: exit 8" "$code" 8
has "as is told" "$err" "the grace period is over: what still runs is given up"
exits 0 "the store says so" --json sessions show four
is "too" "$(json "$out" '$d->{status}')" paused
begin resume four
steps 1 2 3 4
ended
is "it goes on with that step" "$code $(cell "$out" result)" "0 4"
write_flow once
begin run "$dir/flow.lua" --session five --grace 100ms
kill -TERM "$pid"
ended
is "inside an effect of class once it is in doubt: exit 75" "$code" 75
has "and says what to do" "$err" "ckrun resolve five"
exits 0 "the effect is listed" resolve five
key=$(cut -f1 <<<"$out")
exits 0 "it is resolved" resolve five "$key" done --result '"by hand"'
begin resume five
steps 2 3 4
ended
is "and the session goes on" "$code $(cell "$out" result)" "0 4"
# ---- killed at the calls of a run that pauses: what was said to be paused is ----
cat >"$dir/own.lua" <<END
local flow = require "ck.flow"
local stop = { class = "once", argv = { "sh", "-c", "kill -TERM \$PPID; echo 1" } }
return flow.custom { name = "own", tools = { stop = stop }, run = function(ctx)
  if not ctx.position then
    ctx.effect { kind = "tool", class = "once",
      request = { name = "stop", index = 0, arguments = {} } }
    ctx.boundary("tool_round", { position = { path = "done#1" } })
    ctx.boundary("tool_round", { position = { path = "done#2" } })
  end
  return "whole"
end }
END
if can_kill; then
  points=0 right=0 paused=0
  calls=$(count_calls run "$dir/own.lua" --session own)
  # At nothing in the end: one that is not killed.
  for at in $(seq 2 $((calls / 9)) $((2 * calls))) 0; do
    id=own$at
    preloaded "KILL_AT=$at" run "$dir/own.lua" --session "$id"
    said=no
    grep -q "is paused" "$dir/killed.err" && said=paused
    run --json sessions show "$id"
    status=$(json "${out:-{\}}" '$d->{status}' 2>/dev/null)
    [ "$said" != paused ] || paused=$((paused + 1))
    if [ "$status" = running ] || [ "$status" = paused ]; then
      run resume "$id"
      case $code in
        75) run --json resolve "$id"; key=$(json "$out" '$d->{effect}'); run resolve "$id" "$key" \
          done --result 1; run resume "$id" ;;
        8) run resume "$id" ;; # killed before it was told to pause, it is told now
      esac
    fi
    points=$((points + 1))
    case "$said $status $code" in
      "paused paused 0" | "no running 0" | "no paused 0" | "no null 3") right=$((right + 1)) ;;
      *) echo "# at call $((at / 2)): said $said, is $status, exit $code: $(tr "\n" " " \
        <<<"$out $err")" ;;
    esac
  done
  is "killed at $points of its calls, what was said to be paused is, and everything goes on" \
    "$right" "$points"
  ok "some were killed before, some not at all" test "$paused" -gt 0 -a "$paused" -lt "$points"
else
  skip "no compiler for the library that kills: nothing is killed at its calls"
fi

# A flow that never waits for anything hears them all the same.
cat >"$dir/busy.lua" <<'END'
local flow = require "ck.flow"
return flow.custom { name = "busy", run = function(ctx)
  for n = ctx.position and ctx.position.turn + 1 or 1, 10000000 do
    ctx.boundary("tool_round", { position = { path = "step#" .. n, turn = n } })
  end
end }
END
: >"$dir/told"
"$CKRUN" run "$dir/busy.lua" --session busy >"$dir/begun" 2>"$dir/told" </dev/null 3>&- 4>&- &
pid=$!
until grep -q "^checkpoint" "$dir/told"; do :; done
exits 0 "a flow that never waits is paused by request" pause busy --timeout 60s
ended
is "and ends so" "$code" 8
exits 2 "a grace period that is none" run "$dir/flow.lua" --grace long
finish
