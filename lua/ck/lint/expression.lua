--- Reads expressions: operators, values, tables, functions, and names with what follows them.

local cursor = require "ck.lint.cursor"

local accept, declare, peek, skip = cursor.accept, cursor.declare, cursor.peek, cursor.skip
local take, token = cursor.take, cursor.token

local expression = {}

local function set(text)
  local made = {}
  for word in ck.gmatch(text, "\\S+") do made[word] = true end
  return made
end

local BINARY = set "+ - * / // % ^ & ~ | << >> .. == ~= < <= > >= and or"
local UNARY = set "not - # ~"
local VALUES = set "nil true false ..."
local CHANGERS = set "insert remove sort"

function expression.list(self)
  repeat expression.read(self) until not accept(self, ",")
end

local function read_parameters(self)
  take(self)
  while not accept(self, ")") do
    local name = take(self)
    if name[2] == "name" then declare(self, name[1]) end
  end
end

--- A function behind its name: parameters and block, to the end. A method has `self`.
function expression.body(self, is_method)
  self.depth = self.depth + 1
  cursor.scoped(self, function()
    if is_method then declare(self, "self") end
    read_parameters(self)
    self.block(self)
  end)
  take(self)
  self.depth = self.depth - 1
end

local function read_table(self)
  while not accept(self, "}") do
    if accept(self, "[") then
      expression.read(self)
      skip(self, 2)
    elseif token(self)[2] == "name" and token(self, 1)[1] == "=" then
      skip(self, 2)
    end
    expression.read(self)
    if not accept(self, ",") then accept(self, ";") end
  end
end

local function read_arguments(self)
  if token(self)[2] == "text" then
    skip(self, 1)
  elseif accept(self, "{") then
    read_table(self)
  elseif accept(self, "(") and not accept(self, ")") then
    expression.list(self)
    take(self)
  end
end

local function is_call(next_token)
  return next_token[2] == "text" or next_token[1] == "{" or next_token[1] == "("
end

--- table.insert(name, …) and the like change what the name holds.
local function note_changer(self, base, field)
  local target = token(self, 1)
  if peek(self) ~= "(" or base[1] ~= "table" or not CHANGERS[field] then return end
  if cursor.level_of(self, "table") or target[2] ~= "name" then return end
  cursor.changed(self, target)
end

--- One of .name, :name(…), [key] and (…): whether there is one, and the base and the last field
--- behind it. The result of a call is no name: its base is the token that began the call.
local function read_suffix(self, base, field)
  local first = token(self)
  if is_call(first) then
    note_changer(self, base, field)
    read_arguments(self)
    return true, first, field
  elseif accept(self, ".") then
    return true, base, take(self)[1]
  elseif accept(self, ":") then
    take(self)
    read_arguments(self)
    return true, first, field
  elseif accept(self, "[") then
    expression.read(self)
    take(self)
    return true, base, field
  end
  return false, base, field
end

--- A name or (expression) with its suffixes: the base token, and whether there are any suffixes.
function expression.suffixed(self)
  local base, more, field = take(self), false, nil
  if base[1] == "(" then
    expression.read(self)
    take(self)
  end
  if base[2] == "name" then cursor.used(self, base) end
  while true do
    local found
    found, base, field = read_suffix(self, base, field)
    if not found then return base, more end
    more = true
  end
end

local function read_operand(self)
  local first = token(self)
  if first[2] == "text" or first[2] == "number" or VALUES[first[1]] then
    skip(self, 1)
  elseif accept(self, "{") then
    read_table(self)
  elseif accept(self, "function") then
    expression.body(self)
  else
    expression.suffixed(self)
  end
end

function expression.read(self)
  while true do
    while UNARY[peek(self)] and token(self)[2] ~= "text" do skip(self, 1) end
    read_operand(self)
    if token(self)[2] == "text" or not BINARY[peek(self)] then return end
    skip(self, 1)
  end
end

return expression
