--- plan_changed_test.lua - plan_changed, hook by hook.
local test = require "ck.test"
local policy = test.policy "./plan_changed.lua"

local function after(...)
  local tools = {}
  for i, name in ipairs { ... } do tools[i] = { tool = name, class = "pure" } end
  return (policy.checkpoint { kind = "tool_round", tools = ck.array(tools) })
end

return {
  test_changed = function()
    test.equal(after("search", "update_plan"), "the plan changed: update_plan")
  end,
  test_same = function()
    test.equal(after "search", nil)
    test.equal(after(), nil)
  end,
}
