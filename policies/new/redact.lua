--- The values of some keys are never written down.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1, options = { keys = { "password", "card" } } }

---@param item ck.Item
---@param opt { keys: string[] }
---@return ck.Verdict|nil
function policy.redact(item, opt)
  if not item.key then return nil end
  local dot = string.find(item.key, ".", 1, true)
  local key = item.key:sub((dot or 0) + 1) -- without memory., outputs. or scratch.
  for i = 1, #opt.keys do
    if key == opt.keys[i] then return ck.mask end
  end
end

return policy
