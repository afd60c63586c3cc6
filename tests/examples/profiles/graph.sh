# graph.sh - nodes, paused by a person in the first, failed in the last, mended by a client.
# Sourced by profiles.t.

cat >press.flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "press", start = "collector",
  nodes = {
    collector = flow.exec { argv = { "./node", "collector" }, writes = { "handles", "api_key" } },
    analyzer = flow.agent { name = "analyst", prompt = "You analyze.", input = "What is it?",
      result = function(ctx, text) ctx.memory.report = text end },
    publisher = flow.exec { argv = { "./node", "publisher" }, reads = { "report", "channel" } } },
  edges = { collector = "analyzer", analyzer = "publisher", publisher = flow.done } }
END
cat >node <<'END'
#!/bin/sh
echo "$1" >>ran
[ "$1" = publisher ] && exec grep -q '"channel":"open"'
echo here >reached
read -r _ <go
echo '{"handles":["a","b"],"api_key":"plain-words-9137"}'
END
chmod +x node
mkfifo reached go
serve press < <(say "Bread.")
life graph
"$CKRUN" run press.flow.lua --profile ./graph.lua --session press --set channel=closed \
  >press.out 2>press.err </dev/null &
running=$!
read -r _ <reached
"$CKRUN" pause press >paused.out 2>&1 </dev/null &
pausing=$!
until [ -n "$(log '$_->{body}{kind}' press --kind note)" ]; do :; done
is "graph: inside of a node nothing is paused" "$(status press)" running
echo >go
wait $running
is "graph: the run says so, too" $? 8
wait $pausing
is "graph: a pause that gives no reason" "$? $(cell "$(cat paused.out)" reason)" "0 user_requested"
is "graph: its checkpoints, around the node" "$(checkpoints press)" \
  "edit node_start node_complete pause "
is "graph: behind it the next node is known" \
  "$(inspected press 'join " ", @$d{qw(current_node next_node)}')" "collector analyzer"
compare "graph, paused" '{}' press
exits 1 "graph: it goes on, until a node fails" resume press
compare "graph, failed" '{}' press
kinds="edit node_start node_complete pause node_start node_complete node_start failure"
is "graph: its checkpoints, the failure among them" "$(checkpoints press)" "$kinds "

serve_mcp
ask initialize '{"protocolVersion":"2025-06-18"}'
call list_resumable_sessions '{"status":"failed","limit":20}'
is "graph: list_resumable_sessions" "$(json "$result" 'join " ", sort keys %$d') $(of '{total}')" \
  "sessions total 1"
is "graph: each session's members" "$(json "$result" 'join " ", sort keys %{$d->{sessions}[0]}')" \
  "created_at error failed_at_node last_checkpoint session_id status updated_at"
is "graph: the node that failed" \
  "$(of '{sessions}[0]{session_id}') $(of '{sessions}[0]{status}') $(of \
    '{sessions}[0]{failed_at_node}')" "press failed publisher"
failed_at=$(of '{sessions}[0]{last_checkpoint}')
call list_session_checkpoints \
  '{"session_id":"press","checkpoint_type":"node_complete","clean_only":true}'
is "graph: list_session_checkpoints, by type and cleanness" "$(json "$result" 'join " ",
  map { "$_->{checkpoint_type}:$_->{current_node}>$_->{next_node}" } @{$d->{checkpoints}}')" \
  "node_complete:collector>analyzer node_complete:analyzer>publisher"
call list_session_checkpoints '{"session_id":"press","clean_only":true}'
is "graph: a failure is not clean" \
  "$(json "$result" 'join " ", map { $_->{checkpoint_type} } @{$d->{checkpoints}}')" \
  "${kinds% failure}"
call inspect_checkpoint \
  "{\"session_id\":\"press\",\"checkpoint_id\":\"$failed_at\",\"include_memory\":true}"
fields="accumulated_outputs can_resume_from checkpoint_id checkpoint_type conversation_states \
created_at current_node description execution_path is_clean metrics_snapshot next_node session_id \
shared_memory signature"
is "graph: a checkpoint's fields" \
  "$(json "$result" 'join " ", grep { exists $d->{$_} } qw('"$fields"')')" \
  "$fields"
is "graph: what was done before the failure is kept" \
  "$(json "$result" 'join " ", @{$d->{execution_path}}, $d->{shared_memory}{report},
    @{$d->{shared_memory}{handles}}, $d->{is_clean} ? "clean" : "unclean",
    $d->{can_resume_from} ? "resumable" : "over"')" \
  "collector analyzer Bread. a b unclean resumable"
is "graph: an excluded key is in no checkpoint" \
  "$(json "$result" 'exists $d->{shared_memory}{api_key} ? 1 : 0')" 0
ok "graph: nor its value anywhere in the store" test -z "$(grep -rl plain-words "$dir"/graph.db*)"
call resume_session "{\"session_id\":\"press\",\"checkpoint_id\":\"$failed_at\",
  \"memory_modifications\":{\"channel\":\"open\"}}"
is "graph: resume_session" "$(json "$result" 'join " ", sort keys %$d') $(of '{resumed_from}')" \
  "message resumed_from session_id status $failed_at"
until [ "$(status press)" != running ]; do :; done
exec {to}>&-
wait "$server"
is "graph: it ends" "$(status press)" completed
is "graph: the modification is a checkpoint, the failed node is entered no second time" \
  "$(checkpoints press)" "$kinds edit node_complete final "
is "graph: and an event" "$(log '"$_->{body}{key}=$_->{body}{value}"' press --kind edit)" \
  $'memory.channel=closed\nmemory.channel=open'
is "graph: completed nodes ran once, the failed one again" "$(tr '\n' ' ' <ran)" \
  "collector publisher publisher "
is "graph: the model was asked once" "$(requests press)" 1
is "graph: only what lies before the failure is clean" \
  "$("$CKRUN" sessions checkpoints press --clean | cut -f3 | tr '\n' ' ')" "${kinds% failure} "
refused 5 "graph: a completed session is not resumable" "completed" resume press
compare "graph, ended" '{}' press

# Seventy visits: 141 checkpoints with the final one, of which the newest hundred stay.
cat >laps.flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "laps", start = "lap",
  nodes = { lap = function(ctx) ctx.memory.laps = (ctx.memory.laps or 0) + 1 end },
  edges = { lap = flow.choose { to = { "lap", flow.done },
    function(ctx) return ctx.memory.laps < 70 and "lap" or flow.done end } } }
END
exits 0 "graph: many nodes" run laps.flow.lua --profile graph --session laps
is "graph: a hundred checkpoints are kept" "$("$CKRUN" sessions checkpoints laps | grep -c '')" 100
is "graph: no edges, no loops" "$(checkpoints laps | tr ' ' '\n' | sort -u | xargs)" \
  "final node_complete node_start"
ok "graph: they were pruned while it ran" test "$(log 1 laps --kind pruned | grep -c '')" -gt 1
