--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua", { usd = 1 })

return {
  test_time = function() test.equal(policy.resume({ cost_usd = 0.5 }).time, "reset") end,
  test_money = function()
    local _, why = policy.resume { cost_usd = 1.5 }
    test.equal(why, "it spent $1.5")
  end,
}
