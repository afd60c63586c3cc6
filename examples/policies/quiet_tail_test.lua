--- quiet_tail_test.lua - quiet_tail, hook by hook.
local test = require "ck.test"
local policy = test.policy "./quiet_tail.lua"

local function kept(kind, body)
  return policy.tail({ kind = kind, agent = "ann", body = body }, "ann")
end

return {
  test_said = function()
    test.ok(kept("message", { message = { role = "user", content = "How many?" } }))
    test.ok(kept("outcome", { kind = "model", message = { content = "Three." } }))
    test.ok(kept("note", { key = "left", value = 3 }))
  end,
  test_tools = function()
    test.ok(not kept("outcome", { kind = "tool", message = { role = "tool", content = "3" } }))
    test.ok(not kept("outcome", { kind = "model", message = { content = ck.null } }))
    test.ok(not kept("outcome", { kind = "exec", result = { stdout = "3" } }))
  end,
}
