#!/bin/bash
# reworded.t - a question that says what is other at each look can never be answered: that is told,
# with the remedy, where nothing else has changed; of one that a changed policy asks it is not.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
return require "ck.flow".graph { name = "g", start = "a", nodes = {
  a = require "ck.flow".exec { argv = { "true" }, class = "once" } },
  edges = { a = require "ck.flow".done } }
E
echo 'return { name = "p", extends = "graph", policies = { "./rule.lua" } }' >p.lua
# permit QUESTION, resume QUESTION: a Lua expression.
permit() { echo "return { name = \"rule\", version = 1, permit = function(_, at)" \
  "return ck.ask($1) end }" >rule.lua; }
resume() { echo "return { name = \"rule\", version = 1, resume = function(session)" \
  "return ck.ask($1) end }" >rule.lua; }
hint="though no policy and no flow has changed"
# hinted NAME TIMES: in the last refusal.
hinted() { is "$1" "$(grep -c "$hint" <<<"$err")" "$2"; }

permit '"May it, " .. string.format("%d", at.now) .. "?"'
exits 8 "a question with the time in it" run flow.lua --profile ./p.lua --session s
hinted "is a question as any other at first" 0
run answer s allow
exits 8 "once it is answered" resume s
hinted "it is told that no answer will count" 1
has "why" "$err" "an answer counts for the very words"
has "and what to do" "$err" "must not say what is other at each look, such as at.now"
has "in the status, too" "$(cell "$("$CKRUN" sessions show s)" description)" "$hint"
is "the question itself has none of it" "$("$CKRUN" answer s 2>/dev/null | grep -c "$hint")" 0
permit '"May it?"'
exits 8 "a policy that is mended" resume s --accept-changed
hinted "asks another question for a reason" 0
run answer s allow
exits 0 "whose answer counts" resume s

permit '"May it?"'
run run flow.lua --profile ./p.lua --session plain
exits 8 "the same words without an answer" resume plain
hinted "are no other ones" 0

# ---- before a resume ----
echo 'return require "ck.flow".graph { name = "g", start = "a", nodes = {
  a = require "ck.flow".lua(function(ctx) ctx.pause("here") end) },
  edges = { a = require "ck.flow".done } }' >stop.lua
resume '"Go on, " .. string.format("%d", session.now) .. "?"'
run run stop.lua --profile ./p.lua --session r
exits 8 "a resume question with the time in it" resume r
hinted "is one as any other at first" 0
run answer r allow
exits 8 "once it is answered" resume r
hinted "it is told that no answer will count" 1
is "each time, for nothing changes" "$("$CKRUN" resume r 2>&1 | grep -c "$hint")" 1
resume '"Go on?"'
exits 8 "a policy that is mended" resume r --accept-changed
hinted "asks for a reason" 0
run answer r allow
exits 0 "its answer counts" resume r --accept-changed
finish
