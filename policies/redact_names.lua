--- Keep the names of a list from being written, wherever they stand in a text: customers, places,
--- projects.

---@class ck.policy.RedactNames : ck.Policy
local policy = {
  name = "redact_names",
  version = 1,
  options = {
    names = {},    -- any texts: one word, several, a part of one
    words = true,  -- false: also inside of longer words
    case = false,  -- true: only as they are spelt here; else upper and lower case are the same
  },
}

---@param item ck.Item
---@param opt { names: string[], words: boolean, case: boolean }
---@return ck.Json|nil
function policy.redact(item, opt)
  return ck.mask(item, opt.names, { words = opt.words, case = opt.case })
end

---@param opt { names: string[], words: boolean, case: boolean }
---@return string|nil what is wrong
function policy.check(opt)
  local fine, why = pcall(ck.mask, "", opt.names, { words = opt.words })
  if not fine then return "option 'names': " .. why end
end

return policy
