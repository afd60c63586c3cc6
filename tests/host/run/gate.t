#!/bin/bash
# gate.t - a gate of flow.rounds that pauses for an approval stays shut until it is given: each
# resume asks it again, and no round begins behind it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >profile.lua <<'EOF'
return { name = "test", extends = "deliberation", models = { default = { api = "openai",
  base_url = "http://127.0.0.1:9/v1", model = "none" } } }
EOF
# panel FILE GATE ORCHESTRATOR
panel() {
  cat >"$1" <<EOF
local flow = require "ck.flow"
return flow.rounds { name = "panel", rounds = 4, agents = { ann = flow.agent { prompt = "?" } },
  orchestrator = $3, gate = $2 }
EOF
}
led='function(ctx, round)
  ctx.memory.begun = round
  if round == 3 then return "done" end
end'
approval='function(ctx, completed)
  if completed == 2 and not ctx.memory.approved then return "approve round 3" end
end'
panel led.lua "$approval" "$led"

# begun SESSION: the last round that began, as its latest checkpoint has it.
begun() { json "$("$CKRUN" --json sessions inspect "$1")" '$d->{state}{"memory.begun"}'; }

exits 8 "two rounds" run led.lua --profile ./profile.lua --session led
has "stop at the gate" "$err" "session led is paused: approve round 3"
is "no third began" "$(begun led)" 2
for n in 1 2 3; do
  exits 8 "plain resume $n" resume led
  has "resume $n: it is shut" "$err" "session led is paused: approve round 3"
  is "resume $n: no third round began" "$(begun led)" 2
done
exits 8 "what is not the approval" resume led --set other=true
exits 0 "the approval" resume led --set approved=true
has "opens it" "$out" '"rounds":3'

# A pause that is a look, not an approval, says so by its third argument.
panel look.lua 'function(_, completed, resumed)
  if completed == 1 and not resumed then return "look" end
end' "$led"
exits 8 "a look" run look.lua --profile ./profile.lua --session look
exits 0 "is had once" resume look
has "and the rounds go on" "$out" '"rounds":3'
finish
