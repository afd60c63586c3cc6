--- The views that hooks get: fields that they do not have, and words that a field never is.

local cursor = require "ck.lint.cursor"

local shape = {}

---@class ck.lint.Shape  see lua/policy_tool/shapes.h
---@field name string
---@field type string
---@field fields table<string, ck.lint.Shape|false>|nil  false: nothing is known of it
---@field excludes table<string, table<string, true>>|nil
---@field element ck.lint.Shape|false|nil
---@field keys string[]|nil
---@field words string[]|nil
---@field where string|nil
---@field elsewhere string[]|nil
---@field least number|nil
---@field forms string[]|nil
---@field absent table<string, string>|nil
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
  return token[2] == "text" and ck.match(token[1], "^[\"']([^\\\\]*)[\"']$") or nil
end

local function begins(text, forms)
  for i = 1, #forms do
    local form = forms[i]
    if string.sub(text, 1, #form) == form and #text > #form then return true end
  end
  return false
end

--- A key of a table whose names begin with words of the state's.
---@param of ck.lint.Shape
function shape.key(self, of, key, line, tell)
  if not tell or begins(key, of.keys) then return end
  cursor.problem(self, line, "'", of.name, "' has no key '", key, "': they begin with ",
    table.concat(of.keys, ", "))
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

local function told(of, given)
  local list, known = of.words, of.elsewhere and has(of.elsewhere, given)
  local where = known and " in " .. of.where or ""
  if #list <= MANY then return where .. ": it is " .. table.concat(list, ", ") end
  if known then return where end
  return ("; did you mean '%s'?"):format(nearest(list, given))
end

local function set(text)
  local made = {}
  for word in ck.gmatch(text, "\\S+") do made[word] = true end
  return made
end

local COMPARES = set "== ~="
--- In front of a field or behind it: what is compared is another value.
local CALCULATES = set "# - ~ not + * / // % ^ .. & | << >>"
local KINDS = { text = "a text", number = "a number", boolean = "true or false", list = "a list",
  names = "a table with names", table = "a table" }

local function type_of(token)
  if token[2] == "text" or token[2] == "number" then return token[2] end
  return (token[1] == "true" or token[1] == "false") and "boolean" or nil
end

--- A token that a field is compared with: whether the field can ever be that.
local function check_value(self, of, token)
  local kind, word = type_of(token), text_of(token)
  if kind and of.type and kind ~= of.type then
    local looks = of.type == "list" and ": look at each of its elements" or ""
    cursor.problem(self, token[3], "'", of.name, "' is ", KINDS[of.type], ", and never equal to ",
      token[1], looks)
  elseif word and of.words and not has(of.words, word) then
    cursor.problem(self, token[3], "'", of.name, "' is never '", word, "'", told(of, word))
  elseif of.least and kind == "number" and tonumber(token[1]) < of.least then
    cursor.problem(self, token[3], "'", of.name, "' is never ", token[1], ": it is from ",
      tostring(of.least))
  elseif word and of.forms and not begins(word, of.forms) then
    cursor.problem(self, token[3], "'", of.name, "' is never '", word, "': it begins with ",
      table.concat(of.forms, ", "))
  end
end

--- A field: what it is compared with, on either side, is a value that it can have.
---@param of ck.lint.Shape|nil
---@param first integer  the index of the token that it begins with
---@param behind integer  that of the token behind it
function shape.compared(self, of, first, behind)
  local tokens = self.tokens
  local before = first > 1 and tokens[first - 1] or tokens[behind]
  if not of or CALCULATES[before[1]] or CALCULATES[tokens[behind][1]] then return end
  if COMPARES[tokens[behind][1]] and not CALCULATES[tokens[behind + 2][1]] then
    check_value(self, of, tokens[behind + 1])
  end
  if first > 3 and COMPARES[before[1]] and not CALCULATES[tokens[first - 3][1]] then
    check_value(self, of, tokens[first - 2])
  end
end

return shape
