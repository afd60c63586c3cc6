--- Keep what tells who somebody is from being written: mail addresses, telephone numbers, cards,
--- accounts, passports, national ids, by form and check digits.

---@class ck.policy.RedactPersonal : ck.Policy
local policy = {
  name = "redact_personal",
  version = 1,
  options = {
    -- What is masked, wherever it stands in a text.
    kinds = { "email", "phone", "card", "iban", "passport", "national_id" },
  },
  allowed = { kinds = { "email", "phone", "card", "iban", "passport", "national_id" } },
}

---@param opt { kinds: ck.Personal[] }
---@return string|nil what is wrong
function policy.check(opt)
  if #opt.kinds == 0 then return "option 'kinds' names none, which masks nothing" end
end

---@param item ck.Item
---@param opt { kinds: ck.Personal[] }
---@return ck.Json|nil
function policy.redact(item, opt)
  return ck.mask_personal(item, opt.kinds)
end

return policy
