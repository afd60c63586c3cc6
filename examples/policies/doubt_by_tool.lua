--- doubt_by_tool.lua - a call whose outcome is lost: each tool has its answer.

---@class DoubtByTool : ck.Policy
local policy = {
  name = "doubt_by_tool", version = 1,
  options = { rerun = { "search" }, tell = { "send_mail" } },
}

local function holds(list, name)
  for i = 1, #list do
    if list[i] == name then return true end
  end
  return false
end

---@param effect ck.Effect
---@param opt { rerun: string[], tell: string[] }
function policy.in_doubt(effect, opt)
  if holds(opt.rerun, effect.tool) then return "rerun" end
  if holds(opt.tell, effect.tool) then return "tell" end
  return "stop"
end

return policy
