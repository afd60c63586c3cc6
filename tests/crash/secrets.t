#!/usr/bin/env bash
# secrets.t - secrets in a conversation reach no file and no output, through run, kill and resume;
# and the killed session resumes as if nothing had been masked.
. "$(dirname "$0")/lib.sh"
begin

password=hunter2-Canary-93xq
token=ghp_16C7e42F292c6912E7710c838347Ae178B4a

cat >"$work/login.lua" <<'END'
local flow = require "ck.flow"
return flow.agent { name = "login", prompt = "You log people in.", user = flow.ask {},
  tools = { account = "pure", login = "reconcilable" } }
END
call() {
  printf '{"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function",' "$1"
  printf '"function":{"name":"%s","arguments":"%s"}}]}' "$2" "$3"
}
{
  echo '{"cassette":1}'
  echo '{"scope":"main","kind":"ask","answer":"Log me in, my token is '$token' thank you"}'
  for round in 1 2 3 4; do
    echo '{"scope":"main","kind":"model","message":'"$(call "c$round" account '{}')"'}'
    printf '{"scope":"main","kind":"tool","index":0,"name":"account","arguments":"{}","result":'
    echo '{"user":"ines","password":"'$password'","note":"round '$round'"}}'
  done
  echo '{"scope":"main","kind":"model","message":{"role":"assistant","content":"Done."}}'
} >"$work/login.jsonl"

# Nothing in the folder, but for the recording itself, holds a secret.
clean() { ! grep -rlF -e "$password" -e "$token" . >leaks 2>/dev/null ||
  [ "$(grep -vc '^./leaks$' leaks)" = 0 ]; }
start() { bounded "$@" "$CKRUN" --store "$store" run "$work/login.lua" --cassette \
  "$work/login.jsonl" --session s >>out 2>>err; }

folder whole
check 'a session with secrets in it completes' start env
for command in 'sessions log s --all --json' 'sessions log s' 'sessions inspect s' \
  'sessions show s'; do
  # shellcheck disable=SC2086
  "$CKRUN" --store "$store" $command >>out 2>>err
done
check 'neither its store nor what was printed holds one' clean
check 'the placeholder tells what was there' grep -q '\[redacted:[a-z_ ]*:[0-9a-f]\{12\}\]' out
check 'without a key there is no fingerprint' test \
  "$(grep -o '\[redacted:[a-z_ ]*:[0-9a-f]*\]' out | grep -vc ':000000000000\]')" = 0
check 'the same secret reads the same' test \
  "$(grep -o '\[redacted:password:[0-9a-f]*\]' out | sort -u | wc -l)" = 1

if ! have_compiler || ! build_kill_at; then
  skip 'killed and resumed' 'no compiler'
else
  folder count
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so"
  calls=$(cat "$work/calls")
  bad=0 leaks=0 resumed=0 killed=0
  for at in 3 4 5 6 7 8; do
    folder "killed$at"
    midway $((2 * (calls * at / 9))) begin_anew standing 2>/dev/null && killed=$((killed + 1))
    clean || leaks=$((leaks + 1))
    if "$CKRUN" --store "$store" resume s >>out 2>>err; then resumed=$((resumed + 1)); \
      else bad=$((bad + 1)); sed 's/^/# /' err; fi
    clean || leaks=$((leaks + 1))
  done
  say "points=6 killed=$killed resumed=$resumed failed=$bad leaks=$leaks"
  check 'killed at six places it goes on each time' test "$bad" = 0 -a "$resumed" = 6 -a "$killed" \
    = 6
  check 'and no file holds a secret, before and after' test "$leaks" = 0
fi
finish
