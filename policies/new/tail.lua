--- Tails without the events of some kinds.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1, options = { kinds = { "note" } } }

---@param event ck.Event
---@param _agent string
---@param opt { kinds: string[] }
---@return boolean
function policy.tail(event, _agent, opt)
  for i = 1, #opt.kinds do
    if event.kind == opt.kinds[i] then return false end
  end
  return true
end

return policy
