#!/bin/bash
# answer.t - a client of `ckrun mcp` answers what a session asks a person, once; what cannot be
# answered so is said.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/client.sh"
cd "$dir" || exit 1

cat >node.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "build", nodes = {
  build = flow.exec { argv = { "sh", "-c", "echo ran >>ran" } } },
  edges = { build = flow.done } }
END
cat >asks.profile.lua <<'END'
return { name = "asks", extends = "default", policies = { { "approve", untrusted = false } } }
END
ran() { is "$1" "$([ -f ran ] && wc -l <ran || echo 0)" "$2"; }
for name in yes no; do
  exits 8 "$name: a policy has a person asked" run node.lua --profile ./asks.profile.lua \
    --session $name
done
serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
call answer_session '{"session_id":"yes","answer":"perhaps"}'
has "another answer" "$failure" "'perhaps' is none of the answers that can be given: allow, deny"
call answer_session '{"session_id":"yes","answer":"allow","effect":"main/other"}'
has "of another question" "$failure" "main/other"
call answer_session '{"session_id":"nobody","answer":"allow"}'
has "of another session" "$failure" "nobody"
ran "nothing ran" 0
call answer_session '{"session_id":"yes","answer":"allow","effect":"main/build#1/exec/1/permit"}'
is "the answer is taken" "$(of '{session_id}') $(of '{status}')" "yes paused"
call answer_session '{"session_id":"yes","answer":"deny"}'
has "once" "$failure" "waits for no answer"
call answer_session '{"session_id":"no","answer":"deny"}'
is "the only question needs no name" "$(of '{session_id}') $(of '{status}')" "no paused"
exits 0 "the next resume takes it" resume yes
ran "and what was allowed is done" 1
exits 1 "what was denied" resume no
has "is not" "$err" "denied by a person, asked by policy approve: May exec (once) be done?"
ran "nothing more ran" 1
cat >asks.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "asks", run = function(ctx)
  return ctx.effect { kind = "ask", class = "idempotent", request = { question = "Who?" } }.result
end }
END
cat >mask.lua <<'END'
return { name = "mask", version = 1,
  redact = function(item) return ck.mask(item.value, "Xavier") end }
END
echo 'return { name = "p", extends = "default", policies = { "./mask.lua" } }' >mask.profile.lua
exits 8 "one whose policy masks a name" run asks.lua --profile ./mask.profile.lua --session masked
call answer_session '{"session_id":"masked","answer":"it is Xavier"}'
is "takes the answer" "$(of '{session_id}') $(of '{status}')" "masked paused"
has "as the policy has it" "$("$CKRUN" --json sessions log masked --all --kind resolution)" \
  '"it is [redacted:policy:'
exec {to}>&-
wait "$server"
finish
