--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua")

return {
  test_away = function() test.equal(policy.on_failure { status = "CK_E_NOT_FOUND" }, "pause") end,
  test_other = function() test.equal(policy.on_failure { status = "CK_E_TYPE" }, nil) end,
}
