--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua", { keys = { "card" } })

return {
  test_keys = function()
    test.equal(policy.redact { key = "memory.card", value = "4242" }, "mask")
    test.equal(policy.redact { key = "memory.name", value = "Ann" }, nil)
  end,
  test_events = function()
    test.equal(policy.redact { kind = "outcome", value = { result = "4111-1111-1111-1111, Ann" } },
      { result = "[redacted:policy:000000000000], Ann" })
  end,
}
