--- Checkpoint after every round of tool calls, so that a crash costs at most one model turn.

---@class ck.policy.ToolRounds : ck.Policy
local policy = { name = "tool_rounds", version = 1 }

---@param at ck.Boundary  read-only, valid during this call
---@return table|nil decision
function policy.checkpoint(at)
  if at.kind == "tool_round" then return { reason = "tool round", durability = "async" } end
end

return policy
