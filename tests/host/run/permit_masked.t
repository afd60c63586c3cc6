#!/bin/bash
# permit_masked.t - a person who is asked about a call whose arguments are masked in the store is
# told so; one that was allowed and comes back masked is not made, and its outcome says why.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.custom {
  name = "shop",
  tools = { pay = { class = "once", argv = { "sh", "-c", "echo paid >>paid; echo thanks" } } },
  run = function(ctx)
    if not ctx.position then
      ctx.memory.card = "visa-4111"
      ctx.boundary("step_complete", { position = { path = "card" } })
    end
    local got = ctx.effect {
      kind = "tool", class = "once",
      request = { name = "pay", arguments = { n = ctx.memory.card } },
    }
    return got.error or got.result
  end,
}
E
cat >hide.lua <<'E'
return { name = "hide", version = 1, options = { calls = true },
  redact = function(item, opt)
    if item.key == "memory.card" then return ck.mask end
    if opt.calls and item.kind == "intent" then return ck.mask(item.value, "visa-[0-9]+") end
  end }
E
cat >asks.lua <<'E'
return { name = "asks", version = 1,
  permit = function(effect) if effect.kind == "tool" then return ck.ask "Pay?" end end }
E
cat >p.lua <<'E'
return { name = "p", policies = { "every_boundary", "./hide.lua", "./asks.lua" } }
E
hint="(Part of what it is called with is masked where it is stored: where it comes back masked, it \
is not made, and its outcome says so.)"
exits 8 "a person is asked" run flow.lua --profile ./p.lua --session s
run --json answer s
is "and told that it is masked" "$(json "$out" '$d->{question}')" "Pay? $hint"
is "the question has nothing of it" "$("$CKRUN" --json sessions log s --all | grep -c visa-4111)" 0
exits 0 "it is allowed" answer s allow
exits 0 "the call comes back masked" resume s
ok "it is not made" test ! -e paid
has "whoever called it is told" "$out" "not run: its arguments held a secret that was not stored"
has "so are those who look on" "$err" "a person had allowed it"
run --json sessions log s --all --kind outcome
is "its outcome says why" "$(json "$(grep '"via":"redaction"' <<<"$out")" '$d->{body}{note}')" \
  "a person had allowed it, but what it is called with came back from the store masked, so it is \
not made"
run --json answer s
is "no question is left" "$out" ""
exits 0 "the stores are sound" store verify

sed -i 's/calls = true/calls = false/;s/"memory.card"/"memory.other"/' hide.lua
exits 8 "a call that nobody masks" run flow.lua --profile ./p.lua --session open
run --json answer open
is "is asked about without it" "$(json "$out" '$d->{question}')" "Pay?"
exits 0 "it is allowed" answer open allow
exits 0 "and made" resume open
is "once" "$(wc -l <paid)" 1
finish
