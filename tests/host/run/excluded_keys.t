#!/bin/bash
# excluded_keys.t - a key of memory that a profile excludes is in no transcript, checkpoint or
# document, nor is a member of that name inside of another value; a resume has neither.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >clinic.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "clinic", run = function(ctx)
  local memory = ctx.memory
  if not ctx.position then
    memory.diagnosis = "marram-" .. "grass"
    memory.patient = { name = "Ada", diagnosis = "sea-" .. "holly", ward = 7 }
    ctx.outputs.had = memory.diagnosis == "marram-" .. "grass"
    ctx.boundary("tool_round", { position = { path = "kept#1" } })
    ctx.pause("look")
  end
  return { had = ctx.outputs.had, alone = memory.diagnosis == nil, ward = memory.patient.ward,
    inside = memory.patient.diagnosis == "sea-" .. "holly" }
end }
END
echo 'return { name = "p", policies = { "tool_rounds" },
  exclude_memory_keys = { "Diagnosis" } }' >p.lua
echo 'return { name = "n", policies = { "tool_rounds" } }' >n.lua

# all SESSION: everything that is said of it.
all() {
  "$CKRUN" --json sessions log "$1" --all
  "$CKRUN" --json sessions show "$1"
  "$CKRUN" --json sessions inspect "$1"
  "$CKRUN" sessions inspect "$1"
  "$CKRUN" --json sessions export "$1"
}
count() { all "$1" 2>&1 | grep -cE 'marram-grass|sea-holly'; }

exits 8 "a session whose profile excludes none" run clinic.lua --profile ./n.lua --session plain
is "keeps both" "$([ "$(count plain)" -gt 2 ] && echo many)" many
exits 8 "one whose profile excludes a key" run clinic.lua --profile ./p.lua --session s
is "keeps neither" "$(count s)" 0
patient=$("$CKRUN" --json sessions inspect s | grep -o '"patient":{[^}]*}' | head -n 1)
has "the member is masked" "$patient" '"diagnosis":"[redacted:excluded:'
has "its neighbours stay" "$patient" '"ward":7'
is "the key is gone" "$("$CKRUN" --json sessions inspect s | grep -c '"diagnosis":"marram')" 0
exits 0 "it is resumed" resume s --json
has "the process had it, the resume has neither" "$out" \
  '"result":{"alone":true,"had":true,"inside":false,"ward":7}'
finish
