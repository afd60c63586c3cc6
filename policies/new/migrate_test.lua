--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua")

return {
  test_title = function()
    test.equal(policy.migrate({ ["memory.name"] = "x" }, 1, 2), { ["memory.title"] = "x" })
    test.equal(policy.migrate({ ["memory.title"] = "x" }, 2, 3), { ["memory.title"] = "x" })
  end,
}
