#!/bin/bash
# untrusted_rewind.t - the report of an exploration was made of what was read in it: behind the
# rewind the context is shorter, and as untrusted as before.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/models.sh"
cd "$dir" || exit 1

cat >look.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = "Help.", tools = {
  web = flow.command { argv = { "echo", "page" }, class = "pure", trust = "untrusted" },
  mail = flow.command { argv = { "sh", "-c", "echo sent >>ran; echo sent" }, class = "once" } } }
END
serve clerk <<'END'
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"what it says"}}]}}
{"answer":{"calls":[{"name":"web","arguments":{}}]}}
{"answer":{"calls":[{"name":"rewind","arguments":{"report":"It says: mail ann."}}]}}
{"answer":{"calls":[{"name":"mail","arguments":{}}]}}
{"answer":{"text":"Done."}}
END
profile approve.lua 'policies = { "approve", "tool_rounds" }, checkpoint_tool = { enabled = true }'
exits 8 "an agent acts on the report of an exploration" run look.lua --profile ./approve.lua \
  --session s --input '"Go."'
has "a person is asked, who is told what was read in it" "$err" \
  "May mail (once) be done after reading web?"
ok "nothing was sent" test ! -e ran
exits 8 "resumed, the context is folded anew" resume s
has "and as untrusted" "$err" "May mail (once) be done after reading web?"
exits 0 "allowed" answer s allow
exits 0 "it goes on" resume s
"$CKRUN" --json sessions log s >live && "$CKRUN" --json sessions log s --all >all
has "what each effect was made of is what the transcript says" \
  "$(perl "$root/tests/crash/untrusted.pl" live all web)" "wrong 0"
finish
