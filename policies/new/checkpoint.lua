--- A checkpoint after a slow step, or when losing the work would cost more than `usd`.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1, options = { slow_ms = 30000, usd = 0.05 } }

---@param at ck.Boundary
---@param opt { slow_ms: number, usd: number }
---@return string|nil reason
function policy.checkpoint(at, opt)
  if at.latency_ms >= opt.slow_ms then return "slow: " .. at.latency_ms .. " ms" end
  if at.since.cost_usd >= opt.usd then return "spent $" .. at.since.cost_usd .. " since" end
end

return policy
