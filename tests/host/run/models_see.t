#!/bin/bash
# models_see.t - what models are sent of what policies mask: what is stored, or with models_see =
# "unmasked" the texts themselves, in the process that heard them. The store has neither names nor
# secrets in both.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

echo "Ada Lovelace owes 12, by $MODEL_KEY" >ledger.txt
cat >look <<'END'
#!/bin/sh
cat >/dev/null
echo run >>"$1.runs"
cat ledger.txt
[ "$(wc -l <"$1.runs")" != 2 ] || kill -9 $PPID
END
chmod +x look
cat >names.lua <<'END'
return { name = "names", version = 1,
  redact = function(item) return ck.mask(item.value, "Ada Lovelace") end }
END
call='{"answer":{"text":"Ada Lovelace, then.","calls":[{"name":"look","arguments":{}}]}'
# life NAME FIELDS: an agent whose second call ends ckrun; then it is resumed.
life() {
  serve "$1" <<END
$call,"turn":0,"times":0}
$call,"turn":1,"times":0}
{"answer":{"text":"Ada Lovelace owes 12."},"turn":2,"times":0}
END
  profile "$1.profile.lua" "policies = { 'tool_rounds', './names.lua' }, $2"
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.agent { name = "ann", prompt = "You know Ada Lovelace.", tools = {
  look = flow.command { argv = { "./look", "$1" }, class = "pure" } } }
END
  exits 137 "$1: it dies in its second call" run "$1.lua" --profile "./$1.profile.lua" \
    --session "$1" --input '"What of Ada Lovelace?"'
  is "$1: two requests were sent" "$(requests "$1")" 2
  exits 0 "$1: it goes on to its end" resume "$1"
  is "$1: nothing is asked twice" "$(requests "$1")" 3
  ok "$1: no event and no key has the name" \
    eval '! { "$CKRUN" --json sessions log '"$1"' --all; "$CKRUN" sessions inspect '"$1"' 2>&1; } |
      grep -F Lovelace'
  ok "$1: no secret either" eval '! grep -raqF "$MODEL_KEY" "'"$dir"'/store"'
}
# sent NAME N: texts of the N-th request, with N for the name, P for a placeholder of the policy and
# S for one of the secret.
sent() {
  request "$1" "$2" 'join "; ", map { $_->{role} . ": " . ($_->{content} // "") } @$m' |
    sed -E 's/Ada Lovelace/N/g; s/\[redacted:policy:[0-9a-f]+\]/P/g; s/\[redacted:[^]]*\]/S/g'
}

life masked ''
is "masked: the first request is as it is stored" "$(sent masked 1)" \
  "system: You know P.; user: What of P?"
is "masked: the second one, too" "$(sent masked 2)" \
  "system: You know P.; user: What of P?; assistant: P, then.; tool: P owes 12, by S"
rm -rf "$dir/store"
life unmasked 'models_see = "unmasked"'
is "unmasked: the first request has the names, but not in the input" \
  "$(sent unmasked 1)" "system: You know N.; user: What of P?"
is "unmasked: the second one, too, and no secret" "$(sent unmasked 2)" \
  "system: You know N.; user: What of P?; assistant: N, then.; tool: N owes 12, by S"
is "unmasked: behind the resume what was heard before is as it is stored" "$(sent unmasked 3)" \
  "system: You know P.; user: What of P?; assistant: P, then.; tool: P owes 12, by S; \
assistant: P, then.; tool: N owes 12, by S"
echo "return { name = 'wrong', models_see = 'all' }" >wrong.lua
refused 2 "a word that it is not" "models_see" run unmasked.lua --profile ./wrong.lua
finish
