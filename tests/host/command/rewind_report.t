#!/bin/bash
# rewind_report.t - a person's report names the agent that it is for, and is shown at once, also
# where a session goes back to before its conversation began.
. "$(dirname "$0")/../tap.sh"
cp -r "$root/examples/airline" "$dir/airline"
cd "$dir/airline" || exit 1
export CKRUN_STORE=sqlite:$dir/ckrun.db

exits 8 "a session pauses" run flow.lua --cassette cassette.jsonl --session short \
  --limit tool_calls=5
exits 0 "it goes back to before it began" sessions rewind short --to first --report "Start anew."
report='<rewind-report>\nStart anew.\n</rewind-report>'
said=$("$CKRUN" --json sessions log short --kind message | tail -1)
has "the report is told" "$said" "$report"
is "to the agent, by its name" "$(json "$said" '$d->{agent}')" airline
run --json sessions tail short airline
is "it is the agent's last event" "$(json "$out" '$d->{events}[-1]{body}{message}{content}')" \
  "$(printf '%b' "$report")"
run --json sessions inspect short
is "it is all that the conversation has" "$(json "$out" '$d->{conversation_states}{main}')" \
  '[{"content":"'"$report"'","role":"user"}]'

cat >solo.lua <<'LUA'
return require("ck.flow").agent { name = "solo", prompt = "You work alone.", input = "Do it." }
LUA
exits 8 "one pauses before its first call" run solo.lua --cassette cassette.jsonl --session none \
  --limit model_calls=0
exits 0 "it goes back" sessions rewind none --to first --report "Start anew."
said=$("$CKRUN" --json sessions log none --kind message | tail -1)
is "its agent is known from what was said" "$(json "$said" '$d->{agent}')" solo
finish
