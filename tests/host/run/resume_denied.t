#!/bin/bash
# resume_denied.t - a person's answer to a policy's question about a resume, yes or no, counts until
# the resume that it decides: one that something else stands against takes neither, also where it
# is killed at any of its calls.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1

cat >flow.lua <<'END2'
local flow = require "ck.flow"
return flow.custom { run = function(ctx)
  while true do ctx.pause("wait") end
end }
END2
echo 'return { name = "ask", version = 1,
  resume = function() return ck.ask("Go on?") end }' >ask.lua
echo 'return { name = "p", policies = { "./ask.lua" } }' >p.lua
# answered SESSION WORD: it is asked about and answered.
answered() {
  exits 8 "$1: a session that pauses" run flow.lua --profile ./p.lua --session "$1"
  exits 8 "$1 is asked about" resume "$1"
  exits 0 "$1: $2" answer "$1" "$2"
}
# follows SESSION WORD WHAT: the answer is there still, and decides the next resume alone.
follows() {
  run resume "$1"
  if [ "$2" = deny ]; then
    is "$3: denied" "$code$(grep -c 'a person denied it: Go on?' <<<"$err")" 51
  else
    is "$3: allowed" "$code$(grep -c 'is paused: wait' <<<"$err")" 81
  fi
  exits 8 "$3: the next one is asked about" resume "$1"
  has "$3: anew" "$err" "Go on? ('ckrun answer $1 allow'"
}

for word in allow deny; do
  session=one-$word
  answered $session $word
  cp flow.lua kept.lua
  echo "-- changed" >>flow.lua
  exits 5 "$word: the flow has changed" resume $session
  has "$word: which is said" "$err" "has changed since"
  run --json resume $session --dry-run
  exits 5 "$word: with an edit, too" resume $session --set memory.a=1
  cp kept.lua flow.lua
  mv ask.lua away.lua
  run resume $session
  ok "$word: its policy is gone" test "$code" != 0
  mv away.lua ask.lua
  is "$word: no refusal is written down" \
    "$("$CKRUN" sessions log $session --all --kind resume_refused | grep -c .)" 0
  follows $session $word "$word"
done
answered edit deny
exits 5 "a resume with an edit that nothing else stands against" resume edit --set memory.a=1
has "is what was denied" "$err" "a person denied it: Go on?"
exits 8 "the next one is asked about" resume edit

# ---- killed at any call of a resume that something else stands against ----
if can_kill; then
  for word in allow deny; do
    answered dies-$word $word
  done
  cp flow.lua kept.lua
  for word in allow deny; do
    echo "-- changed" >>flow.lua
    calls=$(count_calls resume dies-$word)
    killed=0
    for ((at = 1; at <= calls; at++)); do
      preloaded "KILL_AT=$at" resume dies-$word
      [ $? != 137 ] || killed=$((killed + 1))
    done
    ok "$word: killed at $killed of $calls calls" test "$killed" -gt 4
    cp kept.lua flow.lua
    follows dies-$word $word "$word, killed"
  done
  # And of the resume that it decides: afterwards it is denied, or asked about anew, never let go.
  answered point deny
  rm -rf whole && cp -r store whole
  calls=$(count_calls resume point)
  odd= denied=0 asked=0
  for ((at = 1; at <= calls; at++)); do
    rm -rf store && cp -r whole store
    preloaded "KILL_AT=$at" resume point
    run resume point
    if [ $code = 5 ] && [[ $err == *"a person denied it: Go on?"* ]]; then
      denied=$((denied + 1))
    elif [ $code = 8 ] && [[ $err == *"Go on? ('ckrun answer"* ]]; then
      asked=$((asked + 1))
    else
      odd+=" $at: $code $err"
    fi
  done
  is "killed in the resume that it denies: denied still ($denied), or used up ($asked)" "$odd" ""
else
  skip "no compiler for the library that kills"
fi
finish
