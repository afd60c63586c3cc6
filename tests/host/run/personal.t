#!/bin/bash
# personal.t - the shipped policy redact_personal: what tells who somebody is is nowhere in the
# store, whatever carried it there.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/models.sh"
cd "$dir" || exit 1

cat >look.sh <<'END'
#!/bin/sh
echo '{"mail":"ada@example.org","phone":"0301234567","card":4111111111111111,"orders":3}'
END
chmod +x look.sh
cat >flow.lua <<END
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = "You serve.", tools = {
  look = flow.command { argv = { "$dir/look.sh" }, class = "pure" } } }
END
serve clerk <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"text":"Her account is DE89370400440532013000, her mail ada@example.org."}}
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"text":"Her account is DE89370400440532013000, her mail ada@example.org."}}
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"text":"Her account is DE89370400440532013000, her mail ada@example.org."}}
END
profile all.profile.lua 'policies = { "redact_personal" }'
profile cards.profile.lua 'policies = { { "redact_personal", kinds = { "card" } } }'
profile seen.profile.lua 'models_see = "unmasked", policies = { "redact_personal" }'
profile wrong.profile.lua 'policies = { { "redact_personal", kinds = { "emial" } } }'
hide() { sed -E 's/\[redacted:([a-z_]+)(:[0-9a-f]{12})?\]/<\1>/g'; }
personal='ada@example.org|0301234567|4111111111111111|DE89370400440532013000|078-05-1120'
personal="$personal|[+]49 30 1234567"

exits 0 "an agent hears of a person" run flow.lua --profile ./all.profile.lua --session all \
  --input '"Call +49 30 1234567"'
ok "what tells who that is is in no file of the store" test -z "$(grep -rlaE "$personal" store)"
is "its model is sent what is stored, each kind by its name" \
  "$(request clerk 2 '"$m->[1]{content}|$m->[-1]{content}"' | hide)" \
  'Call <phone>|{"mail":"<email>","phone":"<phone>","card":"<card>","orders":3}'
cat >memory.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "learn", nodes = { learn = flow.lua(function(ctx)
  ctx.memory.card = 4111111111 * 1000000 + 111111
  ctx.memory.person = { ssn = "078-05" .. "-1120", age = 36 }
  ctx.memory.cellPhone = "0301" .. "234567"
end) }, edges = { learn = flow.done } }
END
cat >graph.profile.lua <<'END'
return { name = "g", extends = "graph", policies = { "every_boundary", "redact_personal" } }
END
exits 0 "a flow that keeps it" run memory.lua --profile ./graph.profile.lua --session memory
is "numbers are masked, too; names say what they are" \
  "$("$CKRUN" sessions inspect memory 2>/dev/null | grep '^memory' | sort | cut -f 1,3 | hide)" \
  'memory.card	"<card>"
memory.cellPhone	"<phone>"
memory.person	{"age":36,"ssn":"<national_id>"}'
ok "nor is that in a file" test -z "$(grep -rlaE "$personal" store)"

exits 0 "only cards, where the profile says so" run flow.lua --profile ./cards.profile.lua \
  --session cards --input '"Call +49 30 1234567"'
is "all else is kept and sent" "$(request clerk 4 '"$m->[1]{content}|$m->[-1]{content}"' | hide)" \
  'Call +49 30 1234567|{"mail":"ada@example.org","phone":"0301234567","card":"<card>","orders":3}'

exits 0 "masked from the store alone" run flow.lua --profile ./seen.profile.lua \
  --session seen --input '"Help"'
is "its model is sent what the tool said" "$(request clerk 6 '$m->[-1]{content}')" \
  '{"mail":"ada@example.org","phone":"0301234567","card":4111111111111111,"orders":3}'
exits 0 "its log is read" sessions log seen --all
ok "which has none of it" test -z "$(grep -F "ada@example" <<<"$out")"

exits 2 "a kind that there is not is refused" run flow.lua --profile ./wrong.profile.lua
has "with those that there are" "$err" "emial"
finish
