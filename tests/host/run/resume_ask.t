#!/bin/bash
# resume_ask.t - a policy has a person approve a resume: the question waits, unattended, and its
# answer counts for that one resume; a refusal comes before it; a dry run changes nothing.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'END2'
local flow = require "ck.flow"
return flow.graph { start = "one", nodes = {
  one = flow.lua(function(ctx) ctx.pause("wait") end),
  two = flow.exec { argv = {
    "sh", "-c", "echo >>ran; [ ! -e die ] || { rm die; kill -9 $PPID; }" } },
  three = flow.lua(function(ctx) ctx.pause("wait more") end) },
  edges = { one = "two", two = "three", three = flow.done } }
END2
cat >ask.lua <<'END2'
return { name = "ask", version = 1, options = { text = "Go on?" },
  resume = function(_, _, opt) if opt.text ~= "" then return ck.ask(opt.text) end end }
END2
cat >also.lua <<'END2'
return { name = "also", version = 1, options = { ask = "", refuse = "" },
  resume = function(_, _, opt)
    if opt.refuse ~= "" then return ck.refuse(opt.refuse) end
    if opt.ask ~= "" then return { budget = "reset", ask = opt.ask } end
  end }
END2
cat >p.lua <<'END2'
return { name = "p", extends = "graph", policies = { "every_boundary", "./ask.lua", "./also.lua" } }
END2
# approvals SESSION: each question, with its policies and its answer.
approvals() {
  json "[$("$CKRUN" sessions log "$1" --all --kind resume_approval --json | paste -sd,)]" \
    'join "|", map { my $b = $_->{body};
      "$b->{policies}: $b->{question}" . ($b->{answer} ? " $b->{answer}" : "") } @$d'
}
begin() { exits 8 "$1: a session that pauses" run flow.lua --profile ./p.lua --session "$1"; }
ran() { is "$1" "$(cat ran 2>/dev/null | grep -c '')" "$2"; }
stored() { sha256sum store/ckrun.db store/ckrun.db-wal 2>/dev/null; }

begin s
before=$(stored)
exits 0 "a dry run" resume s --dry-run
is "shows the question" "$(cell "$out" "a person is asked") $(cell "$out" "asked by")" "Go on? ask"
exits 0 "as JSON" --json resume s --dry-run
is "too" "$(json "$out" '"$d->{approval}{question} $d->{approval}{policies}"')" "Go on? ask"
is "and changes nothing" "$(stored)" "$before"
refused 8 "a resume with nobody there" \
  "session s is resumed once a person allows it: Go on? ('ckrun answer s allow', or deny; \
asked by policy \"ask\", resume)" \
  resume s
ran "nothing ran" 0
is "the question is recorded once" "$(approvals s)" "ask: Go on?"
exits 0 "the session" --json sessions show s
is "stays as it was" "$(json "$out" '"$d->{status} $d->{reason} " . @{$d->{runs}}')" "paused wait 1"
exits 0 "the open questions" answer s
is "have it" "$(cell "$out" resume)" "Go on? (allow, deny)"
exits 0 "sessions list" sessions list
has "says what is asked, and how to answer" "$out" \
  "a person is asked before its resume: Go on? (ckrun answer s allow)"
exits 0 "as JSON" --json sessions list
is "too" "$(json "$out" '$d->{question}')" "Go on?"
exits 0 "sessions show" sessions show s
is "has both" "$(cell "$out" question) $(cell "$out" next)" "Go on? ckrun answer s allow"
exits 0 "as JSON" --json sessions show s
is "too" "$(json "$out" '"$d->{question} $d->{next}"')" "Go on? ckrun answer s allow"
exits 5 "another answer" answer s yes
has "is not taken" "$err" "allow"
is "nor recorded" "$(approvals s)" "ask: Go on?"
exits 0 "allowed" answer s allow
exits 0 "it is still" --json sessions show s
is "as it was" "$(json "$out" '"$d->{status} $d->{reason}"')" "paused wait"
exits 0 "a dry run then" resume s --dry-run
is "asks nothing" "$(cell "$out" "a person is asked")" ""
exits 5 "a second answer needs the question's name" answer s deny
exits 0 "with it" answer s deny --effect resume
exits 5 "a resume that was denied" resume s
has "says by whom" "$err" \
  "session s is not resumed: policy \"ask\", resume: a person denied it: Go on?"
ran "nothing ran" 0
exits 8 "the next one asks again" resume s
exits 0 "allowed" answer s allow
exits 8 "it goes on" resume s
ran "as far as it can" 1
has "by the last answer alone, as the log has it" "$("$CKRUN" sessions log s |
  grep -o '; by the answer.*' | grep -v deny)" "by the answer allow to resume"
has "to its next pause" "$err" "wait more"
is "all of it is recorded" "$(approvals s)" \
  "ask: Go on?|ask: Go on? allow|ask: Go on? deny|ask: Go on?|ask: Go on? allow"
exits 8 "the next resume is asked about anew" resume s
is "by a question of its own" "$(approvals s | grep -o 'ask: Go on?$')" "ask: Go on?"
exits 0 "allowed" answer s allow
exits 0 "it ends" --json resume s
is "well" "$(json "$out" '$d->{status}')" completed
exits 0 "in a sound store" store verify

# ---- what the answer is for ----
begin other
exits 8 "asked" resume other
exits 0 "allowed" answer other allow
exits 8 "another question" resume other --option ask.text="Really?" --accept-changed
has "was not answered" "$err" "Really?"
exits 8 "the first one" resume other
has "is asked again then" "$err" "Go on?"
is "for a reason, as nothing says otherwise" "$(grep -c "in other words" <<<"$err")" 0
exits 0 "allowed" answer other allow
exits 5 "a refusal" resume other --option also.refuse=never --accept-changed
has "comes before the question" "$err" \
  "session other is not resumed: policy \"also\", resume: never"
exits 8 "and ends what was allowed" resume other
exits 8 "two questions" resume other --option also.ask="Sure?" --accept-changed
has "are put as one" "$err" "Go on?; Sure?"
is "by both" "$(approvals other | sed 's/.*|//')" "ask, also: Go on?; Sure?"
exits 5 "a refusal of one" resume other --option also.refuse=never --accept-changed
is "is asked about by none" "$(approvals other | sed 's/.*|//')" "ask, also: Go on?; Sure?"
exits 0 "the questions" answer other
is "are over with it" "$out" ""

# ---- kills ----
begin killed
exits 8 "asked" resume killed
exits 0 "allowed" answer killed allow
touch die
run resume killed
is "a run that dies behind its beginning" "$code" 137
exits 8 "was resumed: the next resume is another one" resume killed
has "and asked about" "$err" "Go on?"
begin early
exits 8 "asked" resume early
exits 0 "allowed" answer early allow
mv flow.lua away.lua
run resume early
ok "a resume that begins nothing" test "$code" != 0
mv away.lua flow.lua
exits 8 "takes no answer: it is not asked again" resume early
has "and goes on" "$err" "wait more"

# ---- what policies say of it ----
"$CKRUN" policy explain s >why 2>/dev/null
has "an answer is no branch's: the resume that it allowed has not left it behind" "$(cat why)" \
  "Go on? A person: allow"
is "nor is it called abandoned" "$(grep -c 'resume_approval.*abandoned' why)" 0
"$CKRUN" policy explain s --all >why 2>/dev/null
has "explain tells who asked" "$(cat why)" "ask: Go on?"
has "and what was said" "$(cat why)" "ask: Go on? A person: deny"
has "the log, too" "$("$CKRUN" sessions log s --all)" "Go on?  deny  policies ask"

# ---- a fork and a rewind are sessions that nobody approved yet ----
begin base
exits 8 "asked" resume base
exits 0 "allowed" answer base allow
exits 0 "a fork" sessions fork base --session twig
exits 8 "is asked about for itself" resume twig
has "not by what its origin was allowed" "$err" "Go on?"
exits 0 "a rewind" sessions rewind base first --report "nothing"
exits 8 "ends what was allowed" resume base
has "so that it is asked again" "$err" "Go on?"

# ---- a person at a terminal ----
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  mkfifo keys
  begin here
  (script -qec "'$CKRUN' resume here" /dev/null <keys >terminal 2>&1; echo $? >terminal.code) &
  at=$!
  exec 7>keys
  until grep -q 'allow or deny > $' terminal || ! kill -0 "$at"; do :; done
  printf 'y\nallow\n' >&7
  wait "$at"
  exec 7>&-
  is "a person at the terminal allows it" "$(cat terminal.code)" 8
  has "there" "$(tr -d '\r' <terminal)" "Go on?"
  is "'y' is no answer" "$(grep -c 'allow or deny >' terminal)" 2
  is "the answer is recorded" "$(approvals here)" "ask: Go on? allow"
else
  skip "no terminals here"
fi
finish
