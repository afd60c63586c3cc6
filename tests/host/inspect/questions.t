#!/bin/bash
# questions.t - of a session with several questions it is told which wait, with the command for
# each, and which are answered and not taken yet; the log tells by which answers a resume went on.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
mkdir "$dir/bin" && ln -s "$(realpath "$CKRUN")" "$dir/bin/ckrun"
export PATH="$dir/bin:$PATH"
cat >flow.lua <<'E'
local flow = require "ck.flow"
local function echo(word) return flow.exec { argv = { "echo", word }, class = "once" } end
return flow.graph { name = "g", start = "a",
  nodes = { a = function() end, one = echo "one", two = echo "two",
    three = flow.ask { question = "Colour?" }, z = function() end },
  edges = { a = { parallel = { "one", "two", "three" }, join = "z" },
    one = "z", two = "z", three = "z", z = flow.done } }
E
echo 'return { name = "asks", version = 1, permit = function(effect)
  return ck.ask("May " .. effect.request.argv[2] .. "?") end }' >asks.lua
echo 'return { name = "p", extends = "graph", policies = { "./asks.lua" } }' >p.lua
me="$(id -un) on $(uname -n), ckrun answer"
# asked: the questions of sessions show, without the scopes' numbers; one line each, by name.
asked() { "$CKRUN" sessions show s | sed -n 's/^asked\t[^ ]*edge\///p' | sort; }
# count: as JSON, how many wait and how many are answered.
count() { "$CKRUN" --json sessions show s | perl -MJSON::PP -0ne '
  my @q = @{decode_json($_)->{questions}};
  print scalar(grep { $_->{command} } @q), " ", scalar(grep { $_->{answer} } @q)'; }
log() { "$CKRUN" sessions log s | grep "$1"; }

exits 8 "a session that asks three things" run flow.lua --profile ./p.lua --session s
is "all wait" "$(asked | sed 's/ Waits: .*/ Waits/')" \
  "$(printf '%s\n' 'one#1/exec/1/permit: May one? Waits' 'three#1/ask/1: Colour? Waits' \
    'two#1/exec/1/permit: May two? Waits')"
is "as JSON" "$(count)" "3 0"
command() { asked | sed -n "s/^$1.* Waits: //p"; }
sh -c "$(command one)" >/dev/null
is "the command for one answers that one" "$(asked | sed -n 's/^one.*permit: //p')" \
  "May one? Answered allow by $me, not resumed yet"
is "the others wait" "$(asked | grep -c Waits) $(count)" "2 2 1"
is "the next command is one of theirs" "$(asked | grep -cF -- \
  "$(cell "$("$CKRUN" sessions show s)" next)")" 1
sh -c "$(command three | sed 's/TEXT/blue/')" >/dev/null
has "the last one needs no name" "$(asked)" "Waits: ckrun answer s allow"
is "each answer is told" "$(asked | grep -c Answered) $(count)" "2 1 2"
run answer s deny
is "none waits" "$(asked | grep -c Waits) $(count)" "0 0 3"
run policy explain s
has "policy explain says that it is answered" "$err" \
  "what it asked is answered; it was not resumed yet"
is "and of nothing that stopped" "$(grep -c stopped <<<"$err")" 0
has "of an answer, too" "$out" "was answered deny by $me, not resumed yet"
is "the log has nothing taken yet" "$(log '; by the answer' | wc -l)" 0
run resume s
line=$(log session_resumed | tail -n 1)
has "the resume went on by the first" "$line" "by the answer allow to main.a.one@"
has "and the second" "$line" "the answer blue to main.a.three@"
has "and the last, with who gave it" "$line" "exec/1/permit, of $me"
is "three in all, in one row" \
  "$(log "the answer" | wc -l) $(grep -o "the answer" <<<"$line" | wc -l)" "1 3"
is "all events have none of it: they show the answers" \
  "$("$CKRUN" sessions log s --all | grep -c 'by the answer')" 0
is "nothing is asked any more" "$(asked | wc -l) $(count)" "0 0 0"

# ---- whether it may be resumed ----
echo 'return require "ck.flow".graph { name = "g", start = "a", nodes = {
  a = require "ck.flow".lua(function(ctx) ctx.pause("here") end) },
  edges = { a = require "ck.flow".done } }' >stop.lua
echo 'return { name = "again", version = 1, resume = function() return ck.ask "Go on?" end }' \
  >again.lua
run run stop.lua --session r --policy ./again.lua
exits 8 "a resume that a person approves" resume r --policy ./again.lua
is "waits" "$(cell "$("$CKRUN" sessions show r)" question)" "Go on?"
exits 0 "is allowed" answer r allow
is "which is told" "$("$CKRUN" sessions show r | sed -n 's/^asked\t//p')" \
  "resume: Go on? Answered allow by $me, not resumed yet"
run policy explain r
has "by policy explain, too" "$out" "allow"
exits 0 "it goes on" resume r --policy ./again.lua
has "by that answer, as the log has it" "$("$CKRUN" sessions log r | grep session_resumed)" \
  "; by the answer allow to resume, of $me"
finish
