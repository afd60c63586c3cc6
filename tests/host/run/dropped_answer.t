#!/bin/bash
# dropped_answer.t - an answer that does not count, for what was asked is asked in other words now,
# is told wherever the new question is; what is no question any more is none.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a", nodes = {
    a = flow.exec { argv = { "sh", "-c", "echo x >>ran" }, class = "once" },
    b = flow.lua(function(ctx) ctx.pause("behind it") end) },
  edges = { a = "b", b = flow.done } }
E
echo 'return { name = "p", extends = "graph", policies = { "./rule.lua" } }' >p.lua
# permit BODY, rules BODY: the policy.
permit() { echo "return { name = \"rule\", version = 1, permit = function() $1 end }" >rule.lua; }
rules() { echo "return { name = \"rule\", version = 1, resume = function() $1 end }" >rule.lua; }
me="$(id -un) on $(uname -n), ckrun answer"
told="the answer allow, of $me, does not count: it was given to \"May it?\""
# of JSON EXPRESSION of $d, whose questions are there; dropped: what is told there, as words.
dropped() {
  json "$1" "my \$of = ($2)->{dropped}; join '|', @{\$of}{qw(question answer)}, \$of->{by}{via}"
}
want="May it?|allow|ckrun answer"

permit 'return ck.ask("May it?")'
exits 8 "a session that asks" run flow.lua --profile ./p.lua --session s
exits 0 "is allowed" answer s allow
permit 'return ck.ask("Really?")'
exits 0 "the dry run under other words" resume s --dry-run --accept-changed
has "tells that the answer does not count" "$out" "Really?; $told"
exits 0 "as JSON" --json resume s --dry-run --accept-changed
is "the same" "$(dropped "$out" '(grep { $_->{dropped} } @{$d->{effects}})[0]')" "$want"
exits 8 "the resume asks anew" --json resume s --accept-changed
has "and tells it in its error" "$(json "$err" '$d->{error}{text}')" "Really? ($told)"
has "and in its reason" "$(json "$out" '$d->{reason}')" "$told"
is "nothing has run" "$(cat ran 2>/dev/null)" ""
exits 0 "show" sessions show s
has "tells it beside the question" "$out" "exec/1/permit: Really? ($told) Waits: ckrun answer s"
exits 0 "as JSON" --json sessions show s
is "the same" "$(dropped "$out" '$d->{questions}[0]')" "$want"
exits 0 "answer" answer s
has "tells it" "$out" "$told"
exits 0 "as JSON" --json answer s
is "the same" "$(dropped "$out" '$d')" "$want"
exits 0 "explain" policy explain s
has "tells it of the new question" "$out" "is put to a person; ask: rule; $told"
seq=$(sed -n 's/^\([0-9]*\)\t.*does not count.*/\1/p' <<<"$out")
exits 0 "as JSON" --json policy explain s "$seq"
is "the same" "$(dropped "$out" '$d')" "$want"
line=$("$CKRUN" sessions log s | grep session_resumed)
has "the log says that the run did not go on by it" "$line" "of $me, did not count"
is "and not that it did" "$(grep -c 'by the answer' <<<"$line")" 0
has "the list tells it" "$("$CKRUN" --json sessions list | grep '"session":"s"')" "does not count"

# The new answer counts, and the question before is no open one.
exits 0 "the new answer" answer s allow
exits 8 "counts" resume s
is "once" "$(cat ran)" x
is "the log says by which it went on" \
  "$("$CKRUN" sessions log s | grep -c 'by the answer allow to')" 1
exits 0 "show" --json sessions show s
is "has no question, and no open one" "$(json "$out" \
  'scalar(@{$d->{questions}}) . " " . join " ", map { $_->{status} } @{$d->{last_effects}}')" \
  "0 again ended ok ended"

# ---- what a policy decides since ----
# decided WORD ANSWER: by the policy, once it has asked.
decided() {
  rm -f ran
  permit 'return ck.ask("May it?")'
  exits 8 "another one asks" run flow.lua --profile ./p.lua --session "$1"
  permit "return $2"
  run resume "$1" --accept-changed
  run answer "$1"
  is "where a policy says $1 since, nothing waits for an answer" "$out" ""
  is "nor is open" "$("$CKRUN" --json sessions show "$1" | grep -c '"status":"open"')" 0
  refused 5 "an answer to it" "was answered" answer "$1" allow
}
decided deny 'ck.deny("no way")'
decided allow '"allow"'

# ---- whether it may be resumed ----
rules ''
exits 8 "a session that stops" run flow.lua --profile ./p.lua --session r
rules 'return ck.ask("May it?")'
exits 8 "asks before its resume" resume r --accept-changed
exits 0 "is allowed" answer r allow
rules 'return ck.ask("Really?")'
exits 0 "the dry run under other words" resume r --dry-run --accept-changed
has "tells that the answer does not count" "$out" "$told"
exits 8 "so does the resume" resume r --accept-changed
has "in its error" "$err" "($told)"
exits 0 "and show" sessions show r
has "beside the question" "$out" "Really? ($told)"
exits 0 "and explain" policy explain r
has "of the new question" "$out" "rule: Really?; $told"
finish
