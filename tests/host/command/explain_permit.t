#!/bin/bash
# explain_permit.t - what a person was asked before an effect, who answered, how, when and where,
# and the options of the policies that decided are told; an answer counts for the question it was
# given to.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/mcp/client.sh"
cd "$dir" || exit 1
export TZ=UTC

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "act", nodes = {
  act = flow.exec { argv = { "sh", "-c", "echo ran >>ran" }, class = "once" } },
  edges = { act = flow.done } }
E
cat >asks.lua <<'E'
return { name = "asks", version = 1, options = { text = "May it?", kinds = { "exec" } },
  permit = function(effect, _, opt) return ck.ask(opt.text) end }
E
echo 'return { name = "p", policies = { "every_boundary", { "./asks.lua", text = "Run it?" } } }' \
  >p.lua
key=main/act#1/exec/1
who="$(id -un) on $(uname -n)"
# seq SESSION KIND KEY: of the last such event.
seq() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | grep "\"key\":\"$3\"" | tail -1 |
    sed 's/.*"seq":\([0-9]*\),.*/\1/'
}
rows() { "$CKRUN" policy explain "$1" --all | grep -P "^\d+\t$2\t" | cut -f 6; }
asked() {
  exits 8 "$1: a person is asked" run flow.lua --profile ./p.lua --session "$1"
}

# ---- by ckrun answer, at rest ----
asked rest
exits 0 "the question's event" policy explain rest "$(seq rest intent "$key/permit")"
has "tells the question" "$out" "the question: Run it?"
has "and the options in force of who asked" "$out" \
  'options in force of asks: {"kinds":["exec"],"text":"Run it?"}'
exits 0 "as JSON" --json policy explain rest "$(seq rest intent "$key/permit")"
is "the same" "$(json "$out" '[$d->{question}, $d->{answers}[0]{options}]')" \
  '["Run it?",{"kinds":["exec"],"text":"Run it?"}]'
exits 0 "it is answered" answer rest allow
is "the answer is told before a resume takes it" "$(rows rest resolution)" \
  "$key/permit was answered allow by $who, ckrun answer, not resumed yet"
exits 0 "which it does" resume rest
is "then it is the outcome of the question" "$(rows rest outcome)" \
  "$key/permit was answered allow by $who, ckrun answer"
exits 0 "the effect's own event" policy explain rest "$(seq rest intent "$key")"
has "tells who let it begin" "$out" \
  "$key/permit was answered allow by $who, ckrun answer (event $(seq rest outcome "$key/permit"))"
answered=$(seq rest outcome "$key/permit")
run --json sessions log rest --all --kind outcome
at=$(json "$(grep permit <<<"$out")" '$d->{at}')
exits 0 "the answer's event" policy explain rest "$answered"
has "tells when" "$out" "the answer came at $(sed 's/T/ /;s/\..*//' <<<"$at")"
exits 0 "as JSON" --json policy explain rest "$answered"
is "the same" "$(json "$out" '[@{$d}{qw(effect answer at)}, @{$d->{by}}{qw(user host via)}]')" \
  "[\"$key/permit\",\"allow\",\"$at\",\"$(id -un)\",\"$(uname -n)\",\"ckrun answer\"]"

# ---- by a client of the MCP server ----
asked client
serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
call answer_session '{"session_id":"client","answer":"deny"}'
exec {to}>&-
wait "$server"
exits 1 "what was denied" resume client
is "says so" "$(rows client outcome | head -1)" "$key/permit was answered deny by $who, ckrun mcp"

# ---- at the terminal, and to a process that waits there ----
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  mkfifo keys
  (script -qec "'$CKRUN' run flow.lua --profile ./p.lua --session here" /dev/null \
    <keys >terminal 2>&1) &
  at=$!
  exec {keys}>keys
  until grep -q 'Run it?' terminal || ! kill -0 "$at"; do :; done
  echo allow >&"$keys"
  wait "$at"
  is "the person at the terminal is named" "$(rows here outcome | head -1)" \
    "$key/permit was answered allow by $who, terminal"
  : >terminal # what the first one asked is still there
  (script -qec "'$CKRUN' run flow.lua --profile ./p.lua --session there" /dev/null \
    <keys >terminal 2>&1) &
  at=$!
  until grep -q 'Run it?' terminal || ! kill -0 "$at"; do :; done
  exits 0 "another terminal answers" answer there allow
  wait "$at"
  is "and is named" "$(rows there outcome | head -1)" \
    "$key/permit was answered allow by $who, ckrun answer"
  exec {keys}>&-
else
  skip "no terminals here"
fi

# ---- an answer to another question ----
rm -f ran
asked other
exits 0 "the first question is answered" answer other allow
sed -i 's/Run it?/Really run it?/' p.lua
exits 8 "the policy asks another one" resume other --accept-changed
has "which is put, too" "$err" "Really run it?"
ok "nothing ran" test ! -e ran
exits 0 "it is answered" answer other allow
exits 0 "then the effect begins" resume other --accept-changed
is "once" "$(wc -l <ran)" 1
is "each question has its own event" "$("$CKRUN" --json sessions log other --all --kind intent |
  grep -o '"question":"[^"]*"' | sort -u | paste -sd' ')" \
  '"question":"Really run it?" "question":"Run it?"'

# ---- of a checkpoint ----
sed -i 's/Really run it?/Run it?/;s/"every_boundary"/{ "every_n", n = 2 }/' p.lua
asked points
run policy explain points 2
has "the options of a policy that decided on one" "$out" 'options in force of every_n: {"n":2}'
exits 0 "the stores are sound" store verify
finish
