#!/bin/bash
# guide.t - an author's way, as a guide tells it: write, check, test, measure, simulate on one's own
# history, run.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
PATH=$(dirname "$CKRUN"):$PATH

cat >careful.lua <<'EOF2'
local policy = { name = "careful", version = 1, options = { usd = 0.01 } }
function policy.checkpoint(at, opt)
  if at.since.cost_usd >= opt.usd then return "money at stake" end
  if at.next.class == "once" then
    return { reason = "before " .. (at.next.tool or "a step"), durability = "sync" }
  end
end
return policy
EOF2
cat >careful_test.lua <<'EOF2'
local test = require "ck.test"
local careful = test.policy("./careful.lua", { usd = 1 })
return {
  test_money = function()
    test.equal(test.walk(careful, { { cost_usd = 0.6 }, { cost_usd = 0.6 }, {} }), { 2 })
  end,
  test_mail = function()
    local at = { next = { tool = "mail", class = "once" } }
    test.equal({ careful.checkpoint(at) }, { "before mail", "sync" })
  end,
}
EOF2
cat >mine.lua <<'EOF2'
return { name = "mine", extends = "default",
  policies = { { "./careful.lua", usd = 0.005 }, "tool_rounds" } }
EOF2
exits 0 "check" policy check careful.lua
exits 0 "test" policy test careful.lua
is "both hold" "$(grep -c '^ok' <<<"$out")" 2
exits 0 "bench" policy bench careful.lua
exits 0 "profile check" profile check mine.lua
exits 0 "profile show" profile show mine.lua
has "what holds and who says so" "$out" "policies.careful.usd	0.005	profile	$(realpath mine.lua)"
exits 0 "a session of one's own" run "$flow" --cassette "$cassette" --session before
exits 0 "simulate" policy simulate --profile default --profile mine.lua --plot before
is "side by side" "$(head -n 1 <<<"$out")" "$(printf 'profile\tdefault\tmine')"
exits 0 "run under it" run "$flow" --cassette "$cassette" --session after --profile mine.lua
exits 0 "it took what was foretold" --json policy simulate --profile mine.lua before after
is "as many checkpoints" "$(json "$out" 'my @sessions = @{$d->{profiles}[0]{sessions}};
  $sessions[0]{checkpoints} . " " . $sessions[1]{as_recorded}')" \
    "$("$CKRUN" sessions checkpoints after | \
    grep -c .) $(json "$out" '$d->{profiles}[0]{sessions}[1]{boundaries}')"
finish
