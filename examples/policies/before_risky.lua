--- before_risky.lua - a checkpoint before each call of a risky tool, which no other policy may drop
--- however old it is.

---@class BeforeRisky : ck.Policy
local policy = { name = "before_risky", version = 1, options = { risky = { "deploy" } } }

local function is_risky(tool, opt)
  for i = 1, #opt.risky do
    if opt.risky[i] == tool then return true end
  end
  return false
end

---@param at ck.Boundary
---@param opt { risky: string[] }
function policy.checkpoint(at, opt)
  local tool = at.next.tool
  if is_risky(tool, opt) then return { reason = "before " .. tool, durability = "sync" } end
end

---@param history ck.History
---@param opt { risky: string[] }
function policy.prune(history, opt)
  local keep = {}
  for _, checkpoint in ipairs(history) do
    if is_risky(checkpoint.tool, opt) then keep[#keep + 1] = checkpoint.id end
  end
  return { keep = keep }
end

return policy
