--- Keep the checkpoints without a retry or failure before them; drop the others.

---@class ck.policy.KeepClean : ck.Policy
local policy = {
  name = "keep_clean",
  version = 1,
  options = {
    recent = 1, -- the newest stay, clean or not: they are where a session died
  },
  allowed = { recent = { 0 } },
}

---@param history ck.History
---@param opt { recent: integer }
---@return ck.Plan|nil
function policy.prune(history, opt)
  local drop
  for i = 1, #history - opt.recent do
    local checkpoint = history[i]
    if not checkpoint.is_clean then
      drop = drop or {}
      drop[#drop + 1] = checkpoint.id
    end
  end
  return drop and { drop = drop }
end

return policy
