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
---@return ck.Plan
function policy.prune(history, opt)
  local drop, keep = {}, {}
  local oldest = #history - opt.count + 1
  for i = 1, #history do
    if i < oldest then
      drop[#drop + 1] = history[i].id
    elseif opt.protect then
      keep[#keep + 1] = history[i].id
    end
  end
  return { drop = drop, keep = keep }
end

return policy
