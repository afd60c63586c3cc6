--- Keep a number of the newest checkpoints; drop older ones.

---@class ck.policy.KeepRecent : ck.Policy
local policy = {
  name = "keep_recent",
  version = 1,
  options = {
    count = 20,
    protect = false, -- true: what it keeps no other policy may drop
  },
  allowed = { count = { 0 } },
}

---@param history ck.History
---@param opt { count: integer, protect: boolean }
---@return ck.Plan|nil
function policy.prune(history, opt)
  local gone = math.max(#history - opt.count, 0)
  if gone == 0 and not opt.protect then return nil end
  local drop, keep = {}, {}
  for i = 1, gone do drop[i] = history[i].id end
  if opt.protect then
    for i = gone + 1, #history do keep[i - gone] = history[i].id end
  end
  return { drop = drop, keep = keep }
end

return policy
