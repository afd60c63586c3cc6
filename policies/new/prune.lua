--- The newest `count` checkpoints stay, and all of kind `always`; the others go.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1, options = { count = 5, always = "safe_point" } }

---@param history ck.History the oldest first
---@param opt { count: integer, always: string }
---@return ck.Plan
function policy.prune(history, opt)
  local drop, keep = {}, {}
  for i = 1, #history do
    local checkpoint = history[i]
    if checkpoint.kind == opt.always then
      keep[#keep + 1] = checkpoint.id -- no other policy may drop it
    elseif i <= #history - opt.count then
      drop[#drop + 1] = checkpoint.id
    end
  end
  return { drop = drop, keep = keep }
end

return policy
