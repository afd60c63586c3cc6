--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua")

return {
  test_notes = function() test.equal(policy.tail({ kind = "note" }, "ann"), false) end,
  test_messages = function() test.equal(policy.tail({ kind = "message" }, "ann"), true) end,
}
