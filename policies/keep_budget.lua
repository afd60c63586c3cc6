--- Keep the newest checkpoints that fit into a number of bytes; drop older ones.

---@class ck.policy.KeepBudget : ck.Policy
local policy = {
  name = "keep_budget",
  version = 1,
  options = { bytes = 100 * 1024 * 1024 },
  allowed = { bytes = { 0 } },
}

---@param history ck.History
---@param opt { bytes: integer }
---@return ck.Plan|nil
function policy.prune(history, opt)
  local drop
  local left = opt.bytes
  for i = #history, 1, -1 do
    local checkpoint = history[i]
    left = left - checkpoint.bytes
    -- After one that does not fit, no older one is kept: else small old checkpoints would be
    -- preferred to newer ones.
    if left < 0 then
      drop = drop or {}
      drop[#drop + 1] = checkpoint.id
    end
  end
  return drop and { drop = drop }
end

return policy
