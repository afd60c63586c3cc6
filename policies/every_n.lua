--- Checkpoint at every n-th boundary since the last checkpoint, whatever it is: the rule that
--- others have to beat.

---@class ck.policy.EveryN : ck.Policy
local policy = { name = "every_n", version = 1, options = { n = 10 }, allowed = { n = { 1 } } }

---@param at ck.Boundary
---@param opt { n: integer }
---@return string|nil reason
function policy.checkpoint(at, opt)
  local boundaries = at.since.boundaries
  if boundaries >= opt.n then return boundaries .. " boundaries" end
end

return policy
