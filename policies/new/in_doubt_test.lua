--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua")

return {
  test_tool = function() test.equal(policy.in_doubt { kind = "tool" }, "tell") end,
  test_program = function() test.equal(policy.in_doubt { kind = "exec" }, "stop") end,
}
