--- plan_changed.lua - a checkpoint behind each round in which the agent changed its plan.

---@class PlanChanged : ck.Policy
local policy = { name = "plan_changed", version = 1, options = { tools = { "update_plan" } } }

---@param at ck.Boundary
---@param opt { tools: string[] }
function policy.checkpoint(at, opt)
  if at.kind ~= "tool_round" then return nil end
  for _, call in ipairs(at.tools) do
    for i = 1, #opt.tools do
      if call.tool == opt.tools[i] then return "the plan changed: " .. call.tool end
    end
  end
end

return policy
