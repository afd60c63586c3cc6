#!/bin/bash
# redact_escapes.t - a model that writes its arguments with escapes of JSON hides nothing in them
# from the policies that mask: neither from one's own nor from the shipped one for personal data.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/models.sh"
cd "$dir" || exit 1

cat >names.lua <<'END'
return { name = "names", version = 1,
  redact = function(item) return ck.mask(item.value, "Jörg Quark") end }
END
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = "You write.", tools = {
  mail = flow.tool(function() return "sent" end, { description = "Sends." }) } }
END
written='{"to":"J\u00f6rg Quark","at":"ann\u0040example.org","plain":"K\u00f6ln"}'
serve clerk <<END
{"answer":{"calls":[{"name":"mail","arguments":$written}]}}
{"answer":{"text":"Done."}}
END
profile own.profile.lua 'policies = { "tool_rounds", "./names.lua", "redact_personal" }'
run run flow.lua --profile ./own.profile.lua --session one --input '"Write."'
log=$("$CKRUN" --json sessions log one --all)
ok "the model's arguments are there" grep -q 'ln' <<<"$log"
for file in store/ckrun.db*; do
  ok "no name in $(basename "$file")" test -z "$(grep -aE 'rg Quark' "$file")"
  ok "no address in $(basename "$file")" test -z "$(grep -aE 'ann(@|.{1,3}u0040)example' "$file")"
done
is "nor in the log" "$(grep -cE 'rg Quark|example\.org' <<<"$log")" 0
has "what was masked says so" "$log" "[redacted:policy:"
is "nor in an export" "$("$CKRUN" sessions export one --format markdown | \
  grep -cE 'rg Quark|example\.org')" 0
finish
