#!/bin/bash
# names.t - the shipped policy redact_names with five hundred customers: none of them is in the
# store, nor is the list, nor in the arguments that a model writes with escapes.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/models.sh"
cd "$dir" || exit 1

names=$(for i in $(seq 499); do printf '"Jörg%03d O’Quark", ' "$i"; done)
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = "You write.", tools = {
  mail = flow.tool(function() return "sent to JÖRG007 O’QUARK" end, { description = "Sends." }) } }
END
written='{"to":"a\nJ\u00f6rg499 O\u2019Quark","at":"Jörg4991 stays"}'
serve clerk <<END
{"answer":{"calls":[{"name":"mail","arguments":$written}]}}
{"answer":{"text":"Done for Ada Lovelace."}}
END
profile own.profile.lua \
  "policies = { 'tool_rounds', { 'redact_names', names = { $names 'Ada Lovelace' } } }"
exits 0 "five hundred names are no more than the policy can hold" \
  run flow.lua --profile ./own.profile.lua --session one --input '"Write to jörg001 o’quark."'
log=$("$CKRUN" --json sessions log one --all)
found='[Jj](ö|Ö|.{0,2}u00[fd]6)(rg|RG)[0-9]{3} |Lovelace'
for file in store/ckrun.db*; do
  test ! -f "$file" || ok "no name in $(basename "$file")" test -z "$(grep -aE "$found" "$file")"
done
is "nor in the log" "$(grep -cE "$found" <<<"$log")" 0
has "what was masked says so" "$log" "[redacted:policy:"
has "what only begins like one stays" "$log" "Jörg4991 stays"
ok "and the options are recorded without them" grep -q '"names":\["\[redacted:policy' <<<"$log"
profile wrong.profile.lua "policies = { { 'redact_names', names = { 'Ada', '' } } }"
run profile check ./wrong.profile.lua
has "an empty name is refused where the profile is checked" "$out$err" \
  "element 2 of the list: it is the empty text"
finish
