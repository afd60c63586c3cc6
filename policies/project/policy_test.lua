--- policy_test.lua - what policy.lua answers, and when; run by "ckrun policy test policy.lua".

local test = require "ck.test"
local policy = test.policy("./policy.lua", { usd = 1 })

return {
  test_much = function()
    test.equal(policy.checkpoint { since = { cost_usd = 1.5 } }, "spent $1.5")
  end,
  test_little = function()
    test.equal(policy.checkpoint { since = { cost_usd = 0.5 } }, nil)
    test.equal(test.walk(policy, { { cost_usd = 0.5 }, { cost_usd = 0.5 }, {} }), { 2 })
  end,
}
