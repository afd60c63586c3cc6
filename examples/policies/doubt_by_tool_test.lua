--- doubt_by_tool_test.lua - doubt_by_tool, hook by hook.
local test = require "ck.test"
local policy = test.policy "./doubt_by_tool.lua"

return {
  test_each = function()
    test.equal(policy.in_doubt { kind = "tool", tool = "search" }, "rerun")
    test.equal(policy.in_doubt { kind = "tool", tool = "send_mail" }, "tell")
    test.equal(policy.in_doubt { kind = "tool", tool = "pay" }, "stop")
    test.equal(policy.in_doubt { kind = "exec" }, "stop")
  end,
}
