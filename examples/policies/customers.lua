--- customers.lua - what is stored calls customers "a customer": by name, from a list of the house,
--- and wherever the number of one stands.

local names = require "./customer_names"

---@class Customers : ck.Policy
local policy = { name = "customers", version = 1, options = { number = "\\bC-\\d{5}\\b" } }

local function without_customers(text, number)
  for _, name in ipairs(names) do
    text = ck.gsub(text, "\\b\\Q" .. name .. "\\E\\b", "a customer")
  end
  return ck.gsub(text, number, "a customer")
end

-- Of a table all texts; its keys stay.
local function each_text(value, number)
  if type(value) == "string" then return (without_customers(value, number)) end
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, inner in pairs(value) do copy[key] = each_text(inner, number) end
  return #value > 0 and ck.array(copy) or copy
end

---@param item ck.Item
---@param opt { number: string }
function policy.redact(item, opt) return each_text(item.value, opt.number) end

return policy
