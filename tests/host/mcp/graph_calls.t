#!/bin/bash
# graph_calls.t - the calls of resumable graph sessions as their own clients send them: all
# arguments, empty ones too, and every field of what they answer.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/client.sh"

profile=$dir/graph.lua
echo 'return { name = "all", extends = "graph" }' >"$profile"
cat >"$dir/press.lua" <<'LUA'
local flow = require "ck.flow"
return flow.graph {
  name = "press", start = "collector",
  nodes = {
    collector = flow.lua(function(ctx) ctx.memory.topic = "bread" return { found = 3 } end),
    left = flow.lua(function() return 1 end),
    right = flow.lua(function(ctx) if not ctx.memory.paper then error("no paper") end return 2 end),
    publish = flow.lua(function(ctx) return ctx.memory.topic end),
  },
  edges = {
    collector = { "left", "right" }, left = "publish", right = "publish", publish = flow.done,
  },
}
LUA
cat >"$dir/hold.lua" <<'LUA'
local flow = require "ck.flow"
return flow.graph {
  name = "hold", start = "a",
  nodes = { a = flow.lua(function(ctx) ctx.pause("look first") end), b = function() return 1 end },
  edges = { a = "b", b = flow.done },
}
LUA
"$CKRUN" run "$dir/hold.lua" --session held --profile "$profile" >/dev/null 2>&1
"$CKRUN" run "$dir/press.lua" --session press --profile "$profile" >/dev/null 2>&1
"$CKRUN" run "$flow" --cassette "$cassette" --session done >/dev/null 2>&1
perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/ && ++$n == 4' "$cassette" >"$dir/wrong.jsonl"
"$CKRUN" run "$flow" --cassette "$dir/wrong.jsonl" --session talk >/dev/null 2>&1
serve
work='"agent_work_dir":"exports/press_agent"'

# ---- list_resumable_sessions ----
call list_resumable_sessions "{$work,\"status\":\"\",\"limit\":20}"
is "all that can go on, newest first" \
  "$(json "$result" 'join " ", map { $_->{session_id} } @{$d->{sessions}}') $(of '{total}')" \
  "talk press held 3"
is "a branch that failed is the node that it failed at" "$(of '{sessions}[1]{failed_at_node}')" \
  right
is "a flow without nodes fails at none" "$(of '{sessions}[0]{failed_at_node}')" null
is "what is paused by a flow has not failed" "$(of '{sessions}[2]{failed_at_node}')" null
run --json sessions list --resumable
same='join "\n",
  map { join "|", map { $_ // "null" } @$_{qw(error failed_at_node last_checkpoint)} }'
is "sessions list tells the same of each" "$(json "[$(paste -sd, <<<"$out")]" "$same @\$d")" \
  "$(json "$result" "$same @{\$d->{sessions}}")"
run sessions list --resumable
is "for people, too: the node" "$(cut -f6 <<<"$out" | tr '\n' ',')" ",right,,"
is "the last checkpoint" "$(cut -f7 <<<"$out")" \
  "$(json "$result" 'join "\n", map { $_->{last_checkpoint} } @{$d->{sessions}}')"
is "and the error" "$(cut -f8 <<<"$out")" \
  "$(json "$result" 'join "\n", map { $_->{error} } @{$d->{sessions}}')"
call list_resumable_sessions "{$work,\"status\":\"failed\",\"limit\":1}"
is "by status" "$(json "$result" 'scalar @{$d->{sessions}}') $(of '{total}')" "1 2"

# ---- list_session_checkpoints ----
call list_session_checkpoints \
  "{$work,\"session_id\":\"press\",\"checkpoint_type\":\"\",\"clean_only\":false}"
types="node_start node_complete node_start node_start node_complete failure"
is "all types" "$(json "$result" 'join " ", sort map { $_->{type} } @{$d->{checkpoints}}')" \
  "$(tr ' ' '\n' <<<"$types" | sort | tr '\n' ' ' | sed 's/ $//')"
is "the first one's fields" "$(json "$result" '
  my $c = $d->{checkpoints}[0];
  join "|", map { $c->{$_} }
    qw(type checkpoint_type current_node next_node description is_clean)')" \
  "node_start|node_start|collector|collector|before collector|1"
is "the last one's" "$(json "$result" '
  my $c = $d->{checkpoints}[-1];
  join "|", map { $c->{$_} // "null" } qw(type current_node next_node is_clean)')" \
  "failure|right|right|0"
is "its reasons" "$(of '{checkpoints}[0]{reasons}[0]{policy}')" every_boundary
is "the index: the latest" "$(of '{latest_checkpoint_id}')" \
  "$(of '{checkpoints}[-1]{checkpoint_id}')"
is "the index: how many" "$(of '{total_checkpoints}') $(of '{total}')" "6 6"
call list_session_checkpoints \
  "{$work,\"session_id\":\"press\",\"checkpoint_type\":\"node_start\",\"clean_only\":true}"
is "filtered ones leave the index as it is" "$(of '{total_checkpoints}') $(json "$result" '
  scalar grep { $_->{type} ne "node_start" || !$_->{is_clean} } @{$d->{checkpoints}}')" "6 0"

# ---- inspect_checkpoint ----
call inspect_checkpoint \
  "{$work,\"session_id\":\"press\",\"checkpoint_id\":\"\",\"include_memory\":false}"
is "no id is the latest" "$(of '{checkpoint_type}') $(of '{current_node}')" "failure right"
is "outputs are there without memory" "$(of '{accumulated_outputs}{collector}')" '{"found":3}'
is "memory is not" "$(json "$result" 'exists $d->{shared_memory} ? 1 : 0')" 0
has "a sentence for people" "$(of '{description}')" "failed at right: "
call inspect_checkpoint "{$work,\"session_id\":\"press\",\"include_memory\":true}"
is "with it both are" "$(of '{shared_memory}') $(of '{accumulated_outputs}{collector}')" \
  '{"topic":"bread"} {"found":3}'

# Branch l ends, r fails; two others were joined before.
cat >"$dir/fan.lua" <<'LUA'
local flow = require "ck.flow"
local function put(key, value) return function(ctx) ctx.memory[key] = value return value end end
return flow.graph {
  name = "fan", start = "a",
  nodes = { a = put("x", 1), p = put("early", "p1"), q = put("q", "q1"), m = put("x", 2),
    l = put("found", "gold"), r = flow.exec { argv = { "sh", "-c", "exit 4" } }, z = put("z", 1) },
  edges = { a = { parallel = { "p", "q" }, join = "m" }, p = "m", q = "m",
    m = { parallel = { "l", "r" }, join = "z" }, l = "z", r = "z", z = flow.done },
}
LUA
"$CKRUN" run "$dir/fan.lua" --session fan --profile "$profile" >/dev/null 2>&1
call inspect_checkpoint "{$work,\"session_id\":\"fan\",\"include_memory\":true}"
is "the output of a branch that has ended is there before it is joined" \
  "$(of '{accumulated_outputs}')" '{"a":1,"l":"gold","m":2,"p":"p1","q":"q1"}'
is "what it wrote to the memory is told by its name" "$(of '{branch_memory}')" \
  '{"l":{"found":"gold"}}'
is "and not yet in the memory, which has that of the joined ones" "$(of '{shared_memory}')" \
  '{"early":"p1","q":"q1","x":2}'
inspected=$("$CKRUN" --json sessions inspect fan)
is "inspect says the same" "$(json "$inspected" '$d->{accumulated_outputs}') \
$(json "$inspected" '$d->{branch_memory}')" \
  '{"a":1,"l":"gold","m":2,"p":"p1","q":"q1"} {"l":{"found":"gold"}}'

# ---- resume_session ----
end_of() { # SESSION
  for _ in $(seq 1 3000); do
    [ "$(cell "$("$CKRUN" sessions show "$1")" status)" = running ] || break
  done
  cell "$("$CKRUN" sessions show "$1")" status
}
arguments="$work,\"session_id\":\"press\",\"checkpoint_id\":\"\""
for text in 'x' '[1]' '1' '{\"a\":' '{\"a\":1,\"a\":2}'; do
  ask tools/call "{\"name\":\"resume_session\",\"arguments\":{$arguments,
    \"memory_modifications\":\"$text\"}}"
  is "memory_modifications '$text' are no object" "$(json "$reply" '$d->{result}{isError}')" 1
  has "and the argument is named" "$(json "$reply" '$d->{result}{content}[0]{text}')" \
    "memory_modifications"
done
latest=$("$CKRUN" --json sessions show press)
call resume_session "{$arguments,\"memory_modifications\":\"{}\"}"
is "an empty text of modifications: resumed from the latest" "$(of '{resumed_from}')" \
  "$(json "$latest" '$d->{head}{id}')"
is "which fails as before" "$(end_of press)" failed
call resume_session "{$arguments,
  \"memory_modifications\":\"{\\\"paper\\\":true,\\\"topic\\\":\\\"a \\\\\\\"b\\\\\\\"\\\"}\"}"
is "modifications as a text" "$(end_of press)" completed
call inspect_checkpoint '{"session_id":"press","include_memory":true}'
is "are made" "$(of '{shared_memory}{paper}') $(of '{shared_memory}{topic}')" '1 a "b"'
call resume_session "{$work,\"session_id\":\"held\",\"checkpoint_id\":\"\",
  \"memory_modifications\":{\"n\":1}}"
is "and as an object" "$(end_of held)" completed
call resume_session "{$work,\"session_id\":\"held\",\"checkpoint_id\":\"\",
  \"memory_modifications\":\"\"}"
has "what is completed cannot be resumed" "$failure" "completed"

# ---- a session whose process was killed ----
cat >"$dir/killed.lua" <<'END'
return require("ck.flow").graph { start = "a", nodes = {
  a = require("ck.flow").exec { argv = { "sh", "-c", "kill -9 $PPID" }, class = "pure" } },
  edges = { a = require("ck.flow").done } }
END
{ "$CKRUN" run "$dir/killed.lua" --session killed; } >"$dir/told" 2>&1
call list_resumable_sessions '{"status":"running"}'
is "is listed with what it stopped for" "$(of '{sessions}[0]{session_id}'): \
$(of '{sessions}[0]{error}')" "killed: its process is gone: resume it"
run --json sessions list --status running
is "as the command line says it, too" "$(json "$out" '$d->{error}')" \
  "its process is gone: resume it"
run sessions list --status running
is "and to people" "$(cut -f8 <<<"$out")" "its process is gone: resume it"


# ---- a resume that stops where it stopped, and what is said of it ----
cat >"$dir/doubt.lua" <<'END'
local flow = require "ck.flow"
return flow.graph { start = "a", nodes = {
  a = flow.exec { argv = { "sh", "-c", "sleep 0.02; kill -9 $PPID" }, class = "once" } },
  edges = { a = flow.done } }
END
{ "$CKRUN" run "$dir/doubt.lua" --session doubt; } >"$dir/told" 2>&1
updated() { "$CKRUN" --json sessions "$1" "${@:2}" | perl -ne 'print $1 if /"updated":"([^"]*)"/'; }
last=$("$CKRUN" --json sessions log doubt | tail -n 1 | perl -ne 'print $1 if /"at":"([^"]*)"/')
is "a session that was killed was last heard of by its last event" "$(updated show doubt)" "$last"
is "in the list, too" "$(updated list --status running --limit 1)" "$last"
call list_resumable_sessions '{"status":"running","limit":1}'
is "and over MCP" "$(of '{sessions}[0]{updated_at}')" "$last"
for when in "killed" "in doubt"; do
  call resume_session '{"session_id":"doubt"}'
  is "$when: it is in doubt, and not called running" "$(of '{status}')" in_doubt
  has "and why" "$(of '{message}')" "effect main/a#1/exec/1 (once) was begun"
done

# ---- pause_session ----
for session in done press; do
  call pause_session "{\"session_id\":\"$session\"}"
  has "pausing what is completed is an error" "$failure" \
    "session $session is not running: it is completed"
  run pause "$session"
  has "the same as the command line's" "$err" "$failure"
done
call pause_session '{"session_id":"talk"}'
has "and of what has failed" "$failure" "session talk is not running: it is failed"
exec {to}>&-
wait "$server"
finish
