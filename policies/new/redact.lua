--- The values of some keys are never written down, nor are numbers of cards, wherever they stand.

---@class MyPolicy : ck.Policy
local policy = {
  name = "my_policy",
  version = 1,
  options = { keys = { "password", "card" }, pattern = "\\b\\d{4}([ -]?\\d{4}){3}\\b" },
}

---@param item ck.Item
---@param opt { keys: string[], pattern: string }
---@return ck.Verdict|ck.Json|nil
function policy.redact(item, opt)
  if item.key then -- of memory, outputs or scratch; without one it is the body of an event
    local dot = string.find(item.key, ".", 1, true)
    local key = item.key:sub((dot or 0) + 1)
    for i = 1, #opt.keys do
      if key == opt.keys[i] then return ck.mask end
    end
  end
  return ck.mask(item.value, opt.pattern)
end

return policy
