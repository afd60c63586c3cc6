#!/bin/bash
# masked_answer.t - who answers, or says what an effect returned, is told what is masked of it, by
# whom, and as what the session keeps it; and no program that may not simply run again is run on a
# mask that stands for what a person said: how often each ran is counted outside.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/mcp/client.sh"
cd "$dir" || exit 1

cat >names.lua <<'E'
return { name = "names", version = 1, options = { name = "Homer" },
  redact = function(item, opt) return ck.mask(item.value, opt.name) end }
E
sed 's/"names"/"lets"/; s/return ck.mask.*) end/return nil end/' names.lua >lets.lua
cat >p.lua <<'E'
return { name = "p", extends = "graph",
  policies = { "every_boundary", "./lets.lua", "./names.lua" } }
E
# program CLASS: a flow that asks, and gives what it hears to a program, which writes it down.
program() {
  cat <<E
local flow = require "ck.flow"
return flow.graph { start = "who", nodes = {
  who = flow.ask { question = "Who pays?", writes = "who" },
  pay = flow.exec { argv = { "sh", "-c", "cat >>paid; echo >>paid" }, class = "$1",
    reads = { "who" } } },
  edges = { who = "pay", pay = flow.done } }
E
}
for class in once idempotent pure; do program $class >$class.lua; done
resolved() { # SESSION: the last thing that a person said, as the transcript has it
  "$CKRUN" --json sessions log "$1" --all --kind resolution | tail -n 1 |
    perl -MJSON::PP -e 'print decode_json(<STDIN>)->{body}{result}'
}

# ---- answer ----
for class in once idempotent; do
  rm -f paid
  exits 8 "$class: it asks" run $class.lua --profile ./p.lua --session $class
  run --json answer $class "it is Homer of 1 Road"
  is "$class: who masks it is told" "$(json "$out" '$d->{masked_by}')" \
    '[{"policy":"names","rule":"texts"}]'
  is "$class: and what is kept, as the transcript has it" "$(json "$out" '$d->{kept}')" \
    "$(resolved $class)"
  ok "$class: which is a mask" grep -q '^it is \[redacted:policy:.*\] of 1 Road$' \
    <<<"$(resolved $class)"
  exits 1 "$class: the session fails rather than run its program on the mask" resume $class
  has "$class: it says what the mask stands for" "$err" "what a person said of main/who#1/ask/1"
  is "$class: the program has not run" "$(cat paid 2>&1)" "cat: paid: No such file or directory"
  run --json resume $class --dry-run
  is "$class: a dry run foretells that it would not run again" "$(json "$out" 'join ";",
    map { $_->{error} // "" } grep { $_->{effect} eq "main/pay#1/exec/1" } @{$d->{effects}}')" \
    "it was not run, for its request is masked in the store, and will not be as long as that is so"
  exits 0 "$class: it goes on with other words" resume $class --set "memory.who=it is Marge"
  has "$class: the program has run on these" "$(cat paid)" "it is Marge"
  is "$class: once" "$(grep -c . paid)" 1
done
rm -f paid
exits 8 "again: it asks" run once.lua --profile ./p.lua --session again
exits 0 "again: it is answered" answer again "it is Homer"
exits 0 "again: and once more, before a resume takes it" answer again "it is Marge" \
  --effect main/who#1/ask/1
is "again: nothing is told of that" "$err" ""
exits 0 "again: the program runs" resume again
has "again: on the second answer" "$(cat paid)" "it is Marge"
rm paid
exits 8 "pure: it asks" run pure.lua --profile ./p.lua --session pure
exits 0 "pure: it is answered" answer pure "it is Homer"
has "pure: the notice names policy and rule" "$err" "by policy names (texts)"
has "pure: and what is kept" "$err" "goes on with \"$(resolved pure)\""
exits 0 "pure: its program runs on the mask" resume pure
has "pure: and has it" "$(cat paid)" "it is [redacted:policy:"
rm paid
exits 8 "whole: it asks" run once.lua --profile ./p.lua --session whole
run --json answer whole "it is Marge"
is "whole: nothing is told of an answer that is kept as it is" \
  "$(json "$out" 'join " ", grep { exists $d->{$_} } qw(masked_by kept)')" ""
exits 0 "whole: the program runs" resume whole
has "whole: on the answer" "$(cat paid)" "it is Marge"
rm paid

# ---- a rule of ckrun's own ----
exits 8 "token: it asks" run once.lua --session token
run --json answer token "AKIAIOSFODNN7EXAMPLQ and more"
is "a rule of ckrun's is told by its name" "$(json "$out" '$d->{masked_by}[0]{rule}')" \
  "$(resolved token | sed 's/.*\[redacted:\([^:]*\):.*/\1/')"

# ---- what a person says of an effect ----
cat >doubt.lua <<'E'
local flow = require "ck.flow"
local function exec(script, reads, writes)
  return flow.exec { argv = { "sh", "-c", script }, reads = reads, writes = writes }
end
return flow.graph { start = "find", nodes = {
  find = exec("test ! -e begun || exit 1; touch begun; kill -9 $PPID; sleep 60", nil, { "guest" }),
  greet = exec("cat >>paid", { "guest" }) },
  edges = { find = "greet", greet = flow.done } }
E
"$CKRUN" run doubt.lua --profile ./p.lua --session doubt >doubt.out 2>&1
exits 75 "an effect is in doubt" resume doubt
effect=$("$CKRUN" resolve doubt | cut -f1)
run --json resolve doubt "$effect" "done" --result \
  '{"exit":0,"stdout":"{\"guest\":\"Homer\"}","stderr":"","stdout_bytes":17}'
is "who masks its result is told" "$code $(json "$out" '$d->{masked_by}[0]{policy}')" "0 names"
has "and what is kept" "$(json "$out" '$d->{kept}{stdout}')" "[redacted:policy:"
exits 1 "what comes behind it does not run on the mask" resume doubt
has "and says whose word it was" "$err" "what a person said of $effect"
is "it has not run" "$(cat paid 2>&1)" "cat: paid: No such file or directory"

# ---- what is masked and no person's word: as it was ----
cat >own.lua <<'E'
local flow = require "ck.flow"
return flow.graph { start = "find", nodes = {
  find = function(ctx) ctx.memory.guest = "Homer" end,
  die = flow.exec { class = "idempotent",
    argv = { "sh", "-c", "test -e died || { touch died; kill -9 $PPID; sleep 60; }" } },
  greet = flow.exec { argv = { "sh", "-c", "cat >>paid" }, reads = { "guest" } } },
  edges = { find = "die", die = "greet", greet = flow.done } }
E
"$CKRUN" run own.lua --profile ./p.lua --session own >own.out 2>&1
exits 0 "a program is run on what the flow itself wrote, masked" resume own
has "as it is stored" "$(cat paid)" "[redacted:policy:"

# ---- the answer of another client ----
exits 8 "mcp: it asks" run once.lua --profile ./p.lua --session mcp
serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
call answer_session '{"session_id":"mcp","answer":"it is Homer"}'
has "a client of ckrun mcp is told, too" "$(of '{message}')" "by policy names (texts)"

# ---- a dry run foretells a call that comes back masked; the tool counts its runs ----
cat >look <<'E'
#!/bin/sh
cat >/dev/null
echo run >>looked
[ "$(wc -l <looked)" != 1 ] || kill -9 $PPID
E
chmod +x look
cat >call.lua <<'E'
local flow = require "ck.flow"
return flow.agent { name = "ann", user = flow.ask {}, stop = function() return true end,
  tools = { look = flow.command { argv = { "./look" }, class = "pure" } } }
E
# call NAME NUMBER: the tool's argument, the session's number.
call() {
  rm -f looked
  sed "s/NAME/$1/" >call.jsonl <<'E'
{"cassette":1}
{"scope":"main","kind":"ask","answer":"Go."}
{"scope":"main","kind":"model","message":{"role":"assistant","content":null,
"tool_calls":[{"id":"c1","type":"function","function":
{"name":"look","arguments":"{\"who\":\"NAME\"}"}}]}}
{"scope":"main","kind":"tool","index":0,"name":"look","arguments":
"{\"who\":\"NAME\"}","result":1}
{"scope":"main","kind":"model","message":{"role":"assistant","content":"Bye."}}
E
  perl -0pi -e 's/([,:])\n/$1/g' call.jsonl
  exits 137 "$1: ckrun dies in the call" run call.lua --cassette call.jsonl --profile ./p.lua \
    --session "call$2"
  run --json resume "call$2" --dry-run
  told=$(json "$out" 'join ";", map { "$_->{what}: " . ($_->{error} // "nothing in its way") }
    grep { $_->{kind} eq "tool" } @{$d->{effects}}')
  run resume "call$2"
}
call Homer 1
is "a masked call is foretold" "$told" \
  "run again: it will not be run: its arguments are masked in the store"
is "and is not run" "$(wc -l <looked)" 1
call Marge 2
is "another one will run" "$told" "run again: nothing in its way"
is "and does" "$(wc -l <looked)" 2
finish
