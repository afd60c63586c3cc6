--- Reads expressions: operators, values, tables, functions, and names with what follows them.

local cursor = require "ck.lint.cursor"
local facts = require "ck.lint.facts"
local nils = require "ck.lint.nils"
local path = require "ck.lint.path"
local shape = require "ck.lint.shape"

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

--- A list that is, or is not, the table that the file returns.
function expression.policy_list(self, is_policy)
  local outer = self.in_policy -- a function in the policy's table has lists of its own
  self.in_policy = is_policy
  expression.list(self)
  self.in_policy = outer
end

function expression.list(self)
  repeat expression.read(self) until not accept(self, ",")
end

local function read_parameters(self, hook)
  local shapes, count = hook and self.hooks[hook] or {}, 0
  take(self)
  while not accept(self, ")") do
    local name = take(self)
    if name[2] == "name" then
      count = count + 1
      declare(self, name[1], shapes[count])
      if shapes[count] then cursor.declare_parameter(self, name[1]) end
    end
  end
end

--- A function behind its name: parameters and block, to the end. A method has `self`. `name`: of
--- the field that it is given to, which may be a hook.
function expression.body(self, is_method, name)
  local outer = self.hook
  self.depth = self.depth + 1
  if self.depth == 1 then
    self.hook = name
    nils.begin(self)
  end
  cursor.scoped(self, function()
    if is_method then declare(self, "self") end
    read_parameters(self, name)
    self.block(self)
  end)
  take(self)
  self.depth, self.hook = self.depth - 1, outer
end

--- name = value, in a table: in that of the policy a function may be the hook of that name.
local function read_field(self)
  local name, is_hook = take(self)[1], self.in_policy and self.tables == 1 and self.depth == 0
  skip(self, 1)
  self.given = is_hook and peek(self) == "function" and name or nil
  expression.read(self)
end

local function read_table(self)
  self.tables = self.tables + 1
  while not accept(self, "}") do
    if accept(self, "[") then
      expression.read(self)
      skip(self, 2)
      expression.read(self)
    elseif token(self)[2] == "name" and token(self, 1)[1] == "=" then
      read_field(self)
    else
      expression.read(self)
    end
    if not accept(self, ",") then accept(self, ";") end
  end
  self.tables = self.tables - 1
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

--- The fields behind a name that is a view, which are not taken.
local function check_fields(self)
  local first = self.index - 1
  local of, behind = path.read(self, first, true)
  shape.compared(self, of, first, behind)
  nils.check(self, of, first, behind - self.index)
end

--- What `at.message`, or `at.message or …`, is that comes next; nil: something else, or not known.
function expression.shape_ahead(self)
  if token(self)[2] ~= "name" then return nil end
  local of, at = path.read(self, self.index, false)
  local behind = of and self.tokens[at]
  local goes_on = behind and (is_call(behind) or behind[1] == ":")
  if not of or goes_on or (BINARY[behind[1]] and behind[1] ~= "or") then return nil end
  if behind[1] == "or" and (of.absent_when or of.type ~= "table") then return nil end
  return of
end

--- A name or (expression) with its suffixes: the base token, and whether there are any suffixes.
function expression.suffixed(self)
  local base, more, field = take(self), false, nil
  if base[1] == "(" then
    expression.read(self)
    take(self)
  end
  if base[2] == "name" then
    cursor.used(self, base)
    check_fields(self)
  end
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
    local name = self.given
    self.given = nil
    expression.body(self, false, name)
  else
    expression.suffixed(self)
  end
end

---@return ck.lint.Chain
function expression.read(self)
  local from, chain = self.index, { {} }
  while true do
    while UNARY[peek(self)] and token(self)[2] ~= "text" do skip(self, 1) end
    read_operand(self)
    local ends = token(self)[2] == "text" or not BINARY[peek(self)]
    local decides = peek(self) == "and" or peek(self) == "or" -- binds less than all others
    if ends or decides then facts.take(self, chain, from, not ends and peek(self) or nil) end
    if ends then return chain end
    if decides then cursor.mark(self, from, true) end
    skip(self, 1)
    if decides then from = self.index end
  end
end

return expression
