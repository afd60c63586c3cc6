--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua", { count = 1 })

return {
  test_the_oldest_go = function()
    local drop, keep = policy.prune(test.history(4, {}, { [2] = { kind = "safe_point" } }))
    test.equal(drop, { "c1", "c3" })
    test.equal(keep, { "c2" })
  end,
}
