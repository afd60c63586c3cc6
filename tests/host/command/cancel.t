#!/bin/bash
# cancel.t - a session is ended for good, by its owner when there is one: nothing runs on, nothing
# can be resumed.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
write_flow once

begin run "$dir/flow.lua" --session live
step=$(cat "$dir/step")
exits 0 "cancel of a live session" cancel live --reason "wrong customer"
is "says so" "$(cell "$out" status) $(cell "$out" reason)" "cancelled wrong customer"
is "and no resume" "$(cell "$out" resume)" ""
ended
is "its run says what it left in doubt: exit 75" "$code" 75
has "by name" "$err" "was begun and its outcome is not known"
ok "its tool has ended with it" test ! -d "/proc/$step"
# A command that stops waiting says that the request stands.
write_flow idempotent
begin run "$dir/flow.lua" --session stopped
kill -STOP "$pid"
until grep -q '^State:.T' "/proc/$pid/status"; do :; done
exits 1 "cancel of one whose process is stopped" cancel stopped --timeout 100ms
has "says that the request stands, whatever becomes of that process" "$err" \
  "has not taken the request yet; the request stands, for the next run if that process dies"
kill -CONT "$pid"
ended
is "once it runs again it is heeded" "$(json "$("$CKRUN" --json sessions show stopped)" \
  '$d->{status}')" cancelled
write_flow once
refused 5 "a resume" "is cancelled and cannot be resumed: 'ckrun sessions fork live' makes one" \
  resume live
exits 0 "cancelling it again" cancel live
is "changes nothing" "$(cell "$out" reason)" "wrong customer"
refused 5 "pausing it" "it is cancelled" pause live
exits 0 "its log" sessions log live --kind session_cancelled --json
is "has it once" "$(grep -c . <<<"$out")" 1

write_flow idempotent
begin run "$dir/flow.lua" --session harmless
exits 0 "cancel of one that leaves nothing in doubt" cancel harmless --reason "no more"
ended
is "its run ends: exit 1" "$code" 1
has "and says why" "$err" "session harmless is cancelled: no more"

begin run "$dir/flow.lua" --session rest
kill -INT "$pid"
let_on first
ended
exits 0 "cancel of a paused session" --json cancel rest
is "says so" "$(json "$out" '$d->{status} . " " . $d->{reason}')" "cancelled user_requested"
refused 5 "a resume of it" "is cancelled" resume rest
begin run "$dir/flow.lua" --session dead
die
exits 0 "cancel of one whose process is gone" cancel dead
exits 0 "and it" sessions list --status cancelled
is "is one of five" "$(grep -c . <<<"$out")" 5
"$CKRUN" run "$flow" --cassette "$cassette" --session done >/dev/null 2>&1
refused 5 "cancel of a completed session" "is completed" cancel done
refused 3 "cancel of none" "nowhere" cancel nowhere

# Two at once: one session_cancelled event, both report the cancelled session.
begin run "$dir/flow.lua" --session both
"$CKRUN" cancel both >"$dir/a" 2>&1 & a=$!
"$CKRUN" cancel both >"$dir/b" 2>&1 & b=$!
wait $a; code_a=$?
wait $b; code_b=$?
is "two cancels at once" "$code_a $code_b" "0 0"
exits 0 "leave" sessions log both --kind session_cancelled --json
is "one mark" "$(grep -c . <<<"$out")" 1
exits 0 "the store is sound" store verify
finish
