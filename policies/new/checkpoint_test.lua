--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua", { slow_ms = 1000, usd = 1 })

return {
  test_slow = function()
    test.equal(policy.checkpoint { latency_ms = 2000 }, "slow: 2000 ms")
    test.equal(policy.checkpoint { latency_ms = 10 }, nil)
  end,
  test_money = function()
    test.equal(test.walk(policy, { { cost_usd = 0.5 }, { cost_usd = 0.5 }, {} }), { 2 })
  end,
}
