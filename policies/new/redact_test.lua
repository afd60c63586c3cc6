--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua", { keys = { "card" } })

return {
  test_keys = function()
    test.equal(policy.redact { key = "memory.card", value = "4242" }, "mask")
    test.equal(policy.redact { key = "memory.name", value = "Ann" }, nil)
  end,
}
