--- A checkpoint as soon as losing the work would cost `usd`.

---@class ProjectPolicy : ck.Policy
local policy = { name = "project_policy", version = 1, options = { usd = 0.05 } }

---@param at ck.Boundary
---@param opt { usd: number }
---@return string|nil reason
function policy.checkpoint(at, opt)
  if at.since.cost_usd >= opt.usd then return "spent $" .. at.since.cost_usd end
end

return policy
