--- The values of an enum, as they are named to whoever gave another one: as JSON, and not too many.

local quote = require "ck.flow.quote"

local MOST, LONGEST = 12, 60

local function text_of(value)
  if value == ck.null then return "null" end
  if type(value) == "table" then return #value > 0 and "[…]" or "{…}" end
  if type(value) ~= "string" then return tostring(value) end
  local cut = ("%." .. LONGEST .. "s"):format(value)
  return quote(cut == value and value or cut .. "…")
end

---@param list table
---@return string words  `"a", 2 and 7 more`
return function(list)
  local texts = {}
  for i = 1, math.min(#list, MOST) do texts[i] = text_of(list[i]) end
  local words = table.concat(texts, ", ")
  return #list > MOST and ("%s and %d more"):format(words, #list - MOST) or words
end
