#!/bin/bash
# facts.t - ctx.facts outlives sessions: shared facts and those of one agent, masked, read the same
# again after a crash.
. "$(dirname "$0")/../tap.sh"

write() { # write NAME BODY: a flow of this body
  cat >"$dir/$1.lua" <<END
local flow = require "ck.flow"
return flow.custom { name = "$1", run = function(ctx)
$2
end }
END
}
result() { json "$(tail -n 1 <<<"$out")" '$d->{result}'; }
runs() { run --json run "$dir/$1.lua" --session "$2"; }

write learns 'ctx.facts.put("capital", { of = "France", is = "Paris" })
  ctx.facts.put("style", "short", "writer")
  ctx.facts.put("gone", 1) ctx.facts.put("gone", nil)
  return ctx.facts.get("capital").is'
write knows 'local c = ctx.facts.get("capital")
  return { c and c.is, ctx.facts.get("style") == nil, ctx.facts.get("style", "writer"),
    ctx.facts.get("gone") == nil }'
runs learns one
is "a session reads what it has kept" "$code $(result)" "0 Paris"
runs knows two
is "and so does another, later; an agent's own is not everybody's; what was forgotten is gone" \
  "$code $(result)" '0 ["Paris",true,"short",true]'
ok "the store is whole" "$CKRUN" store verify

write reads 'local before = ctx.facts.get("counter")
  ctx.boundary("step_complete", { position = { path = "a" } })
  return before or "nothing"'
write once 'local before = ctx.facts.get("counter")
  if not ctx.position then ctx.pause("here") end
  return before or "nothing"'
runs once three
is "it paused" "$code" 8
write counts 'ctx.facts.put("counter", 7) return 1'
runs counts four
run --json resume three
is "what was read before the pause is read again, though it is known by now" "$(result)" "nothing"
key=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefgh-AAAAAA
write secrets 'ctx.facts.put("note", "my key is '"$key"'") return ctx.facts.get("note")'
runs secrets five
ok "a secret in a fact is masked" test "$code" = 0 -a -z \
  "$(grep -rl abcdefghijklmnopqrstuvwxyz0123456789 "$dir/store")"
has "also for the flow that reads it" "$(result)" "[redacted:"
write empty 'ctx.facts.put("", 1)'
runs empty six
is "a key must not be empty" "$code" 1

# ---- a row that was changed ----

sqlite3 "$dir/store/ckrun.db" "UPDATE fact SET value = x'22526f6d6522' WHERE key = 'capital'" \
  2>/dev/null
runs knows seven
is "a fact that was changed behind its back is not believed" "$code" 1
has "and is named" "$out$err" "fact 'capital'"
run store verify
is "verify finds it" "$code" 7

echo "1..$checks"
[ "$failed" = 0 ]
