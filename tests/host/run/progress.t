#!/bin/bash
# progress.t - the progress of a run is reported: one live line on a terminal, plain lines
# elsewhere, events as JSON on request, nothing else.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
write_flow idempotent

# ---- events ----
begin run "$dir/flow.lua" --session events --events
until grep -q '"kind":"intent"' "$dir/begun"; do :; done
ok "what is durable is told while a tool runs" lines "$(cat "$dir/begun")"
is "and nothing else" "$(cut -d, -f4 "$dir/begun" | tr '\n' ' ')" \
  '"kind":"session_started" "kind":"intent" '
steps 1 2 3 4
ended
ok "each line is an object" lines "$out"
is "the last one is the summary" "$code $(json "$(tail -n 1 <<<"$out")" \
  '$d->{session} . " " . $d->{status} . " " . $d->{result}')" "0 events completed 4"
is "and no talk" "$err" ""
told=$(sed '$d' <<<"$out")
exits 0 "the log" sessions log events --all --json
is "has the same events, each told once, in order" \
  "$(perl -MJSON::PP -ne 'print decode_json($_)->{seq}, "\n"' <<<"$told")" \
  "$(perl -MJSON::PP -ne 'print decode_json($_)->{seq}, "\n"' <<<"$out")"
begin run "$dir/flow.lua" --session again
die
begin resume again --events
steps 1 2 3 4
ended
is "a resume tells its own" "$(json "$(head -n 1 <<<"$out")" '$d->{kind}')" session_resumed
is "to the end" "$(json "$(tail -n 2 <<<"$out" | head -n 1)" '$d->{kind}')" session_completed

# ---- no terminal ----
begin run "$dir/flow.lua" --session plain
steps 1 2 3 4
ended
is "elsewhere each step is a line" "$(grep -c '^done  *main/.*/tool/1  step$' <<<"$err") $(grep -c \
  '^checkpoint ' <<<"$err")" "4 4"
is "without escapes" "$(grep -c $'\r\|\033' <<<"$err")" 0
cat >"$dir/broken.lua" <<'END'
local flow = require "ck.flow"
return flow.graph { name = "broken", start = "one",
  nodes = { one = flow.exec { argv = { "false" } } }, edges = { one = flow.done } }
END
exits 1 "a step that fails" run "$dir/broken.lua" --session broken
is "is not called done" "$(grep -c '^done' <<<"$err") $(grep -c '^failed  *main/one#1/exec/1$' \
  <<<"$err")" "0 1"
cat >"$dir/falls.lua" <<'END'
local flow = require "ck.flow"
return flow.agent { name = "clumsy", prompt = "You act.", user = flow.ask {},
  tools = { fall = flow.tool(function() error("it fell") end, { description = "Falls." }) } }
END
{
  echo '{"cassette":1}'
  echo '{"scope":"main","kind":"ask","answer":"Act."}'
  printf '{"scope":"main","kind":"model","message":{"role":"assistant","content":null,'
  printf '"tool_calls":[{"id":"c1","type":"function",'
  echo '"function":{"name":"fall","arguments":"{}"}}]}}'
} >"$dir/falls.jsonl"
exits 0 "a function of the flow's that raises" run "$dir/falls.lua" --session falls \
  --cassette "$dir/falls.jsonl"
is "was called, not done" "$(grep 'tool/1' <<<"$err")" "called      main/start/tool/1  fall"
begin --json run "$dir/flow.lua" --session silent
steps 1 2 3 4
ended
is "with --json there is none" "$err" ""

# ---- a terminal ----
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  script -qfec "env TERM=xterm COLUMNS=80 $CKRUN run $dir/flow.lua --session live" \
    "$dir/typescript" >/dev/null 2>&1 </dev/null 3>&- 4>&- &
  pid=$!
  reach
  until grep -q 'running step' "$dir/typescript"; do :; done
  ok "on a terminal a live line says what runs" grep -q 'events · .* · running step' \
    "$dir/typescript"
  steps 1 2 3 4
  wait "$pid"
  # What a person sees at the end: each line after its last return to the first column and the
  # erasure behind it.
  seen=$(perl -ne 's/\r?\n$//; s/.*\r\033\[K//; s/\r//g;
    print "$_\n" unless /^Script (started|done)/' "$dir/typescript")
  is "at the end it is gone, and the lines around it are whole" \
    "$(head -n 6 <<<"$seen" | tr -s ' ' | sed -E 's|main/[^ ]*/tool/1 (step) .*|\1|' |
      tr '\n' ';')" "live;done step;done step;done step;done step;status completed;"
  is "nothing is left of it" "$(grep -c 'running step' <<<"$seen")" 0
  # Many steps are drawn now and then only.
  cat >"$dir/many.lua" <<'END'
local flow = require "ck.flow"
return flow.custom { name = "many", run = function(ctx)
  for n = 1, 15000 do
    ctx.memory.n = n
    ctx.boundary("tool_round", { position = { path = "step#" .. n, turn = n } })
  end
end }
END
  before=${EPOCHREALTIME%[.,]*}
  script -qfec "env TERM=xterm $CKRUN run $dir/many.lua --session many" "$dir/many" >/dev/null \
    2>&1 </dev/null
  took=$((${EPOCHREALTIME%[.,]*} - before + 1))
  draws=$(grep -ao 'events ·' "$dir/many" | grep -c .)
  ok "15000 checkpoints are a few drawn lines a second ($draws in $took s)" test "$draws" -gt 0 -a \
    "$draws" -lt $((20 * took + 20))
else
  skip "script(1) or terminals are missing"
fi
finish
