#!/bin/bash
# mcp.t - the sessions of a store over the Model Context Protocol: exact results, and no line that
# harms.
. "$(dirname "$0")/../tap.sh"

. "$(dirname "$0")/client.sh"

echo 'return { name = "every", extends = "default", policies = { "every_boundary" } }' \
  >"$dir/every.lua"
cat >"$dir/steps.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "steps", run = function(ctx)
  for i = (ctx.position and ctx.position.n or 0) + 1, 6 do
    ctx.memory.last = i
    ctx.boundary("node_complete", { node = "n" .. i, position = { path = "n#" .. i, n = i } })
    if i == 3 and not ctx.memory.go then ctx.pause("look first") end
  end
  return { last = ctx.memory.last }
end }
LUA
"$CKRUN" run "$dir/steps.lua" --session halted --profile "$dir/every.lua" >/dev/null 2>&1
"$CKRUN" run "$flow" --cassette "$cassette" --session done >/dev/null 2>&1
perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/ && ++$n == 4' "$cassette" >"$dir/wrong.jsonl"
"$CKRUN" run "$flow" --cassette "$dir/wrong.jsonl" --session broken >/dev/null 2>&1

serve
line() { printf '%s\n' "$1" >&"$to"; IFS= read -r -t 30 -u "$from" reply || reply=; }

# ---- the protocol ----

ask initialize \
  '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
is "initialize: the revision that was asked for" \
  "$(json "$reply" '$d->{result}{protocolVersion}')" 2025-11-25
is "initialize: who it is" "$(json "$reply" '$d->{result}{serverInfo}{name}')" ckrun
is "initialize: tools" "$(json "$reply" '$d->{result}{capabilities}')" \
  '{"completions":{},"resources":{},"tools":{}}'
for revision in 2025-06-18 2025-03-26 2024-11-05; do
  ask initialize "{\"protocolVersion\":\"$revision\"}"
  is "initialize: an older revision" "$(json "$reply" '$d->{result}{protocolVersion}')" "$revision"
done
ask initialize '{"protocolVersion":"1999-01-01"}'
is "initialize: one that is not known gets the newest" \
  "$(json "$reply" '$d->{result}{protocolVersion}')" 2025-11-25
printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}' \
  '' '   ' >&"$to"
ask ping
is "notifications and empty lines have no answer, a ping has one" \
  "$(json "$reply" '$d->{id}') $(json "$reply" '$d->{result}')" "$number {}"
ask tools/list
tools="list_resumable_sessions list_session_checkpoints inspect_checkpoint resume_session"
is "tools" "$(json "$reply" 'join " ", map { $_->{name} } @{$d->{result}{tools}}')" \
  "$tools pause_session checkpoint_session diff_checkpoints agent_tail answer_session"
is "each takes an object of named arguments" "$(json "$reply" 'join " ", map {
  $_->{inputSchema}{type} . ($_->{inputSchema}{additionalProperties} ? 1 : 0)
} @{$d->{result}{tools}}')" "$(printf "object0 %.0s" {1..8})object0"
is "those of resume_session" "$(json "$reply" '
  my ($tool) = grep { $_->{name} eq "resume_session" } @{$d->{result}{tools}};
  join " ", sort keys %{$tool->{inputSchema}{properties}}')" \
  "agent_work_dir checkpoint_id memory_modifications session_id"
printf '{"jsonrpc":"2.0","id":"text","method":"ping"}\n' >&"$to"
IFS= read -r -t 30 -u "$from" reply
is "an id that is a text" "$(json "$reply" '$d->{id}')" text

# ---- hostile lines ----

line $'{"jsonrpc":"2.0","id":1,"method":"x\xe2\x80\xae\xe2\x80\x8b"}'
has "a name that turns the reading direction is answered" "$reply" 'x\u202e\u200b'
is "and does not turn that of the answer" "$(LC_ALL=C tr -d ' -~' <<<"$reply" | tr -d '\n')" ""
code() { json "$reply" '$d->{error}{code}'; }
while IFS='|' read -r want name text; do
  line "$text"
  is "$name" "$(code)" "$want"
done <<'LIST'
-32700|no JSON|hello
-32700|JSON that is cut off|{"jsonrpc":"2.0","id":1,"method":"ping"
-32700|two values|{} {}
-32700|a member twice|{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}
-32600|a batch|[{"jsonrpc":"2.0","id":1,"method":"ping"}]
-32600|a text|"ping"
-32600|another version|{"jsonrpc":"1.0","id":1,"method":"ping"}
-32600|an id that is an object|{"jsonrpc":"2.0","id":{},"method":"ping"}
-32600|params that are a number|{"jsonrpc":"2.0","id":1,"method":"ping","params":1}
-32600|an empty object|{}
-32601|an unknown method|{"jsonrpc":"2.0","id":1,"method":"prompts/list"}
-32601|a method with control characters|{"jsonrpc":"2.0","id":1,"method":"a\u001b[31m\nb"}
-32602|an unknown tool|{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}
-32602|no tool|{"jsonrpc":"2.0","id":1,"method":"tools/call"}
LIST
ask tools/call '{"name":"agent_tail","arguments":[]}'
is "arguments in a list" "$(code)" -32602
while IFS='|' read -r name tool arguments; do
  params="{\"name\":\"$tool\",\"arguments\":$arguments}"
  line "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":$params}"
  is "$name: a failed call" "$(code) $(json "$reply" '$d->{result}{isError}')" "null 1"
  ok "that its model can mend" test -n "$(json "$reply" '$d->{result}{content}[0]{text}')"
done <<'LIST'
an argument that is missing|inspect_checkpoint|{}
one of another type|inspect_checkpoint|{"session_id":7}
one that there is not|inspect_checkpoint|{"session_id":"a","sesion":1}
a count below 0|list_resumable_sessions|{"limit":-1}
a status that is none|list_resumable_sessions|{"status":"gone"}
a status that is not resumable|list_resumable_sessions|{"status":"completed"}
LIST
perl -e 'print "[" x 100000, "\n"' >&"$to"
IFS= read -r -t 30 -u "$from" reply
is "a hundred thousand brackets" "$(code)" -32700
perl -e 'print "{\"a\":\"", "x" x (9 << 20), "\"}\n"' >&"$to"
IFS= read -r -t 30 -u "$from" reply
is "a line of nine megabytes" "$(code)" -32700
has "says how long a line may be" "$reply" "4 MiB"
printf '\0\377\376\n' >&"$to"
IFS= read -r -t 30 -u "$from" reply
is "bytes that are no text" "$(code)" -32700
line '{"jsonrpc":"2.0","id":99,"result":{}}{"jsonrpc":"2.0","id":1,"method":"ping"}'
is "an answer that nobody asked for, and more behind it" "$(code)" -32700
ask ping
is "after all that it is as well as before" "$(json "$reply" '$d->{id}')" "$number"

# ---- looking ----

call list_resumable_sessions
is "sessions that can go on, newest first" \
  "$(json "$result" 'join " ", map { $_->{session_id} } @{$d->{sessions}}') $(of '{total}')" \
  "broken halted 2"
is "each with these members" "$(json "$result" 'join " ", sort keys %{$d->{sessions}[0]}')" \
  "created_at error failed_at_node last_checkpoint session_id status updated_at"
is "why one paused" "$(of '{sessions}[1]{status}') $(of '{sessions}[1]{error}')" "paused look first"
has "why one failed" "$(of '{sessions}[0]{error}')" "effect main/agent#5/tool/1"
is "the text is the same as the structure" "$(json "$reply" '$d->{result}{content}[0]{text}')" \
  "$(perl -ne 'print $1 if /"structuredContent":(\{.*\}),"isError":false/' <<<"$reply")"
call list_resumable_sessions '{"status":"failed","limit":1}'
is "of one status" "$(of '{sessions}[0]{session_id}') $(of '{total}')" "broken 1"
call list_resumable_sessions '{"limit":1}'
is "the total counts those that are not shown" \
  "$(json "$result" 'scalar @{$d->{sessions}}') $(of '{total}')" "1 2"
call list_session_checkpoints '{"session_id":"halted"}'
first=$(of '{checkpoints}[0]{checkpoint_id}')
is "checkpoints, oldest first" "$(json "$result" \
  'join " ", map { $_->{checkpoint_type} } @{$d->{checkpoints}}')" \
  "node_complete node_complete node_complete pause"
exits 0 "the command line lists by kind, too" sessions checkpoints halted --kind node_complete
is "three" "$(grep -c node_complete <<<"$out") $(grep -c '' <<<"$out")" "3 3"
exits 0 "and by what is clean" sessions checkpoints halted --kind pause --clean
is "one" "$(cut -f3 <<<"$out")" pause
exits 0 "none of a kind" sessions checkpoints halted --kind final
is "is nothing" "$out$err" ""
refused 2 "a kind that is none" "tool_round" sessions checkpoints halted --kind tool_roun
call list_session_checkpoints '{"session_id":"halted","checkpoint_type":"pause","clean_only":true}'
is "of one kind" "$(of '{total}')" 1
call list_session_checkpoints '{"session_id":"broken"}'
all=$(of '{total}')
call list_session_checkpoints '{"session_id":"broken","clean_only":true}'
is "those before a failure are clean, its own is not" \
  "$(of '{total}') $(json "$result" 'scalar grep { $_->{checkpoint_type} eq "failure" }
    @{$d->{checkpoints}}')" "$((all - 1)) 0"
call inspect_checkpoint "{\"session_id\":\"halted\",\"checkpoint_id\":\"$first\"}"
is "a checkpoint without what it restores" \
  "$(of '{current_node}') $(json "$result" \
  'join " ", grep { exists $d->{$_} } qw(shared_memory conversation_states accumulated_outputs)')" \
  "n1 accumulated_outputs"
call inspect_checkpoint '{"session_id":"halted","include_memory":true}'
is "with it" "$(of '{shared_memory}')" '{"last":3}'
is "its path" "$(of '{execution_path}')" '["n1","n2","n3"]'
run --json sessions inspect halted
is "as sessions inspect shows it" "$(of '{checkpoint_id}')" "$(json "$out" '$d->{checkpoint_id}')"
call diff_checkpoints '{"session_id":"halted","from":"first","to":"latest"}'
is "a diff" "$result" "$(json "$("$CKRUN" --json sessions diff halted first latest)" '$d')"
call agent_tail '{"session_id":"done","agent":"airline","last":3}'
is "a tail" "$(of '{section}')" "$("$CKRUN" sessions tail done airline --last 3)"
call agent_tail '{"session_id":"done","agent":"nobody"}'
run sessions tail "done" nobody
has "of nobody: an error that names those that there are" "$failure" "airline"
has "which is the command line's" "$err" "$failure"

while IFS='|' read -r tool arguments text; do
  call "$tool" "$arguments"
  has "$tool $arguments: told to the model" "$failure" "$text"
done <<'LIST'
inspect_checkpoint|{"session_id":"nosuch"}|nosuch
inspect_checkpoint|{"session_id":"../../etc"}|../../etc
inspect_checkpoint|{"session_id":"halted","checkpoint_id":"zzz"}|no checkpoint 'zzz'
list_session_checkpoints|{"session_id":""}|session
resume_session|{"session_id":"nosuch"}|nosuch
resume_session|{"session_id":"-rf"}|-rf
resume_session|{"session_id":"done"}|completed
resume_session|{"session_id":"halted","checkpoint_id":"zzz"}|no checkpoint 'zzz'
resume_session|{"session_id":"halted","memory_modifications":{"a=b":1}}|cannot have a '='
pause_session|{"session_id":"nosuch"}|nosuch
checkpoint_session|{"session_id":"nosuch"}|nosuch
checkpoint_session|{"session_id":"done"}|it is completed
checkpoint_session|{"session_id":"halted"}|'ckrun resume halted' goes on with it
LIST
call pause_session '{"session_id":"halted"}'
is "one that is paused already stays so" "$(of '{status}') $(of '{message}')" "paused look first"

# ---- resume ----

call resume_session \
  '{"session_id":"halted","checkpoint_id":"first","memory_modifications":{"go":true,"text":"a b"}}'
is "a resume: session_id" "$(of '{session_id}')" halted
is "a resume: resumed_from" "$(of '{resumed_from}')" "$first"
is "a resume: its members" "$(json "$result" 'join " ", sort keys %$d')" \
  "message resumed_from session_id status"
ok "a resume: status" grep -qE '^(running|completed)$' <<<"$(of '{status}')"
for _ in $(seq 1 3000); do
  call inspect_checkpoint '{"session_id":"halted"}'
  [ "$(of '{checkpoint_type}')" = final ] && break
done
is "it runs to its end" "$(cell "$("$CKRUN" sessions show halted)" status)" completed
call inspect_checkpoint '{"session_id":"halted","include_memory":true}'
is "with the memory that was set" "$(of '{shared_memory}{go}') $(of '{shared_memory}{text}') $(of \
  '{shared_memory}{last}')" "1 a b 6"
call list_resumable_sessions
is "and is not resumable any more" "$(of '{total}')" 1

# ---- the end ----

cat >"$dir/slow.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "slow", run = function(ctx)
  for i = (ctx.position and ctx.position.n or 0) + 1, 100000000 do
    ctx.boundary("loop_iteration", { position = { path = "i#" .. i, n = i } })
    if i == 1 then ctx.pause("begun") end
  end
end }
LUA
"$CKRUN" run "$dir/slow.lua" --session slow >/dev/null 2>&1
call resume_session '{"session_id":"slow"}'
is "a session that has much to do runs" "$(of '{status}')" running
call pause_session '{"session_id":"slow","reason":"enough"}'
is "and is paused when asked" "$(of '{status}') $(of '{message}')" "paused enough"
call resume_session '{"session_id":"slow"}'
call pause_session '{"session_id":"slow"}'
is "once more, without a reason" "$(of '{status}') $(of '{message}')" "paused user_requested"
call list_session_checkpoints '{"session_id":"slow","checkpoint_type":"pause"}'
is "each pause has left its checkpoint" "$(of '{total}')" 3
call inspect_checkpoint '{"session_id":"slow"}'
is "and the latest is the last one's" "$(of '{checkpoint_type}') $(of '{checkpoint_id}')" \
  "pause $("$CKRUN" --json sessions log slow --kind session_paused | tail -n 1 | \
  perl -ne 'print $1 if /"checkpoint":"([^"]*)"/')"
call resume_session '{"session_id":"slow"}'
is "it runs again" "$(of '{status}')" running
call resume_session '{"session_id":"slow"}'
has "a second resume is refused" "$failure" "slow"
exec {to}>&-
wait "$server"
is "the client goes: the server ends" "$?" 0
is "and what it resumed is paused" "$(cell "$("$CKRUN" sessions show slow)" status)" paused
is "it said nothing besides" "$(cat "$dir/mcp.err")" ""
run mcp
is "nothing at all: exit 0" "$code$out$err" 0

# ---- a server that is killed ----

# status SESSION: once it does not run any more.
rested() {
  local tries status=running
  for ((tries = 0; tries < 3000; tries++)); do
    status=$(cell "$("$CKRUN" sessions show "$1")" status)
    [ "$status" = running ] || break
    sleep 0.01
  done
  echo "$status"
}
serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
call resume_session '{"session_id":"slow"}'
is "a session is resumed once more" "$(of '{status}')" running
has "the caller is told so" "$(of '{message}')" "it is paused when this server ends, by whatever"
kill -KILL "$server"
wait "$server" 2>/dev/null
is "its server is killed: it is paused by itself" "$(rested slow)" paused
run pause slow # one that was not would run on
is "and has not died" "$("$CKRUN" sessions show slow | grep '^runs' | tail -n 1 | grep -c paused)" 1
exec {to}>&- {from}<&-

# A signal to the whole group of the server reaches it through the server alone, once: a second one
# would end it without a pause.
set -m
serve
set +m
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
call resume_session '{"session_id":"slow"}'
kill -TERM -- "-$server"
wait "$server"
is "the group of the server is told to end" "$?" 0
is "the session is paused" "$(rested slow)" paused
exec {to}>&- {from}<&-

# ---- with the program's own client ----

cat >"$dir/client.lua" <<LUA
local flow = require "ck.flow"
return flow.custom {
  name = "client",
  processes = { sessions = flow.mcp { argv = { "$CKRUN", "--store", "$CKRUN_STORE", "mcp" } } },
  run = function(ctx)
    local offered = ctx.effect { kind = "tool", class = "pure",
      request = { server = "sessions", list = true } }
    local called = ctx.effect { kind = "tool", class = "pure",
      request = { server = "sessions", name = "list_resumable_sessions", index = 0,
        arguments = '{"status":"failed"}' } }
    return { offered = offered.status, called = called.status, text = called.raw }
  end,
}
LUA
exits 0 "a flow that talks to it" --json run "$dir/client.lua" --store "sqlite:$dir/client.db"
is "takes its tools and calls one" "$(json "$out" \
  '$d->{result}{offered} . " " . $d->{result}{called}')" "ok ok"
has "and gets what it gives" "$(json "$out" '$d->{result}{text}')" 'broken'
finish
