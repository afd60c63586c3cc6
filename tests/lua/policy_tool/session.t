#!/bin/bash
# session.t - test.session: tests of policies are shown the boundaries of recorded sessions as live
# policies were.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
umask 077

# A policy that prints all that it is shown: once live, and once in a test.
cat >spy.lua <<'END'
return { name = "spy", version = 1, checkpoint = function(at)
  local since, next, budget = at.since, at.next, at.budget
  print(at.kind, at.scope, at.node, at.agent, at.depth, at.seq, at.now, at.random, at.latency_ms,
    at.is_clean, at.checkpoint_cost_ms, at.last_error, since.ms, since.events, since.cost_usd,
    since.tokens, since.changed_keys, since.changed_bytes, since.boundaries, since.iterations,
    next.node, next.tool, next.class, budget.spent, budget.limit, budget.left, budget.approaching)
  return at.seq % 3 == 0 and "third"
end }
END
echo 'return { name = "spied", extends = "default", policies = { "./spy.lua" },
  constraints = { budget_usd = 2 } }' >spied.lua
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  start = "a",
  nodes = {
    a = flow.exec { argv = { "sh", "-c", "echo hi" }, class = "pure" },
    b = flow.exec { argv = { "false" }, on_error = "c" },
    c = function(ctx)
      ctx.memory.n = (ctx.memory.n or 0) + 1
      return ctx.memory.n
    end,
  },
  edges = { a = "b", b = "c", c = function(ctx) return ctx.memory.n < 3 and "a" or flow.done end },
}
END
run run flow.lua --profile ./spied.lua --session shop
is "the session ends" "$(cell "$out" result)" 3
grep -o 'spy.lua:3: .*' <<<"$err" >live
ok "a live policy was shown more than ten boundaries" test "$(wc -l <live)" -gt 10

cat >spy_test.lua <<'END'
local test = require "ck.test"
local spy = test.policy "./spy.lua"
return { test_all = function()
  for _, at in ipairs(test.session "shop") do spy.checkpoint(at) end
end }
END
exits 0 "a test shows them to the policy again" policy test spy.lua
grep -o 'spy.lua:3: .*' <<<"$err" >again
ok "and it is shown the same, field by field" diff live again
seq=$(sed -n '4s/  /\n/gp' live | sed -n 6p)
cat >one_test.lua <<END
local test = require "ck.test"
local spy = test.policy "./spy.lua"
local function fails(name, text)
  return function() test.fails(text, test.session, name) end
end
return {
  test_one = function() spy.checkpoint(test.session "shop#$seq") end,
  test_list = function() test.equal(#test.session "shop", $(wc -l <live)) end,
  test_no_session = fails("ship", "there is no session ship"),
  test_no_boundary = fails("shop#1", "event 1 of session shop is none of its $(wc -l <live)"),
  test_no_number = fails("shop#x", "behind # the number of an event is expected"),
}
END
exits 0 "one boundary, and what is none" policy test one_test.lua
is "the one is that" "$(grep -o 'spy.lua:3: .*' <<<"$err")" "$(sed -n 4p live)"
exits 0 "the same with the store named" --store "$CKRUN_STORE" policy test one_test.lua
exits 1 "from a store that is not there" --store "$dir/none.db" policy test spy.lua
has "which is said" "$out" "none.db"
ok "and not made" test ! -e none.db
echo 'return { test_none = function() end }' >no_test.lua
exits 0 "tests that look at no session need none" --store "$dir/none.db" policy test no_test.lua
finish
