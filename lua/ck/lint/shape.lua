--- The views that hooks get: fields that they do not have, and words that a field never is.

local cursor = require "ck.lint.cursor"

local shape = {}

---@class ck.lint.Shape  of a view, or of a field of words
---@field name string
---@field fields table<string, ck.lint.Shape|false>|nil  false: nothing is known of it
---@field words string[]|nil
---@field absent_when string|nil  of a number that can be nil
---@field notes table<string, { needs: string, text: string }>|nil  fields that a profile must give

local function sorted(fields)
  local list = {}
  for name in pairs(fields) do list[#list + 1] = name end
  table.sort(list)
  return list
end

local function has(list, word)
  for i = 1, #list do
    if list[i] == word then return true end
  end
  return false
end

--- The shape of a field of `from`, a view; nil: nothing is known of it.
---@param from ck.lint.Shape|nil
---@param token ck.lint.Token  its name
---@return ck.lint.Shape|nil
function shape.field(self, from, token)
  local fields = from and from.fields
  if not fields then return nil end
  if fields[token[1]] == nil then
    cursor.problem(self, token[3], "'", from.name, "' has no field '", token[1], "': it has ",
      table.concat(sorted(fields), ", "))
  end
  local note = from.notes and from.notes[token[1]]
  if note then cursor.problem(self, token[3], note.text).needs = note.needs end
  return fields[token[1]] or nil
end

--- The text of a token in plain quotes.
local function text_of(token)
  return token[2] == "text" and ck.match(token[1], "^[\"'](\\w*)[\"']$") or nil
end

--- The word that begins like `given` for longest.
local function nearest(list, given)
  local best, most = nil, -1
  for i = 1, #list do
    local same = 0
    while same < #given and string.sub(list[i], same + 1, same + 1)
      == string.sub(given, same + 1, same + 1) do same = same + 1 end
    if same > most then best, most = list[i], same end
  end
  return best
end

local MANY = 20

local function told(list, given)
  if #list <= MANY then return ": it is " .. table.concat(list, ", ") end
  return ("; did you mean '%s'?"):format(nearest(list, given))
end

local function is_comparison(token) return token[1] == "==" or token[1] == "~=" end

--- A field of words: the text that it is compared with, on either side, is one of them.
---@param of ck.lint.Shape|nil
---@param first integer  the index of the token that it begins with
---@param ahead integer  what is behind it is so far ahead
function shape.compared(self, of, first, ahead)
  if not of or not of.words then return end
  local texts, tokens, behind = {}, self.tokens, self.index + ahead
  if is_comparison(tokens[behind]) and tokens[behind + 2][1] ~= ".." then
    texts[1] = tokens[behind + 1]
  end
  if first > 3 and is_comparison(tokens[first - 1]) and tokens[first - 3][1] ~= ".." then
    texts[#texts + 1] = tokens[first - 2]
  end
  for _, token in ipairs(texts) do
    local word = text_of(token)
    if word and not has(of.words, word) then
      cursor.problem(self, token[3], "'", of.name, "' is never '", word, "'", told(of.words, word))
    end
  end
end

return shape
