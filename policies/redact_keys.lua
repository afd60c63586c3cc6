--- Keep the values of some keys from ever being written: dropped, masked, or left as a reference
--- that a resume fills again.

---@class ck.policy.RedactKeys : ck.Policy
local policy = {
  name = "redact_keys",
  version = 1,
  options = {
    -- The name below memory., outputs. or scratch., and its verdict: "drop", "mask" or "env:NAME".
    keys = { api_key = "drop", credentials = "drop", access_token = "drop" },
  },
  allowed = { keys = { "drop", "mask", "env:*" } },
}

---@param opt { keys: table<string, string> }
---@return string|nil what is wrong
function policy.check(opt)
  for key in pairs(opt.keys) do
    for _, space in ipairs { "memory.", "outputs.", "scratch." } do
      if string.find(key, space, 1, true) == 1 then
        return "option 'keys': '" .. key .. "' is written without '" .. space .. "': '"
          .. key:sub(#space + 1) .. "'"
      end
    end
  end
end

---@param item ck.Item
---@param opt { keys: table<string, string> }
---@return ck.Verdict|nil
function policy.redact(item, opt)
  local key = item.key
  if not key then return nil end
  local dot = string.find(key, ".", 1, true)
  local action = opt.keys[dot and key:sub(dot + 1) or key]
  if not action then return nil end
  if action == "drop" then return ck.drop end
  if action == "mask" then return ck.mask end
  return ck.ref(action)
end

return policy
