--- What conditions on a hook's views tell of each other: a comparison that can never be true where
--- it stands. Views do not change during a call, so what an `if` has found holds in its block, and
--- its contrary behind one that returns.

local cursor = require "ck.lint.cursor"

local facts = {}

---@class ck.lint.Fact  `path op value`, such as at.kind == "final"
---@field root table      the scope that declares the parameter
---@field path string
---@field op string       "==", "~=", "<", "<=", ">", ">=", "true" or "not": without a value
---@field value string|number|nil  a text in its quotes, a number, "nil", "true", "false"
---@field line integer
---@alias ck.lint.Chain (ck.lint.Fact|false)[][]  operands joined by `and`, these by `or`

local CONTRARY = { ["=="] = "~=", ["~="] = "==", ["<"] = ">=", [">="] = "<", [">"] = "<=",
  ["<="] = ">", ["true"] = "not", ["not"] = "true" }
local TURNED = { ["=="] = "==", ["~="] = "~=", ["<"] = ">", [">"] = "<", ["<="] = ">=",
  [">="] = "<=" }
local VALUES = { ["nil"] = true, ["true"] = true, ["false"] = true }

--- What a token that is a value by itself stands for; nil: it is none.
local function value_of(token)
  local text = token[2] == "text" and ck.match(token[1], "^[\"']([^\\\\]*)[\"']$")
  if text then return '"' .. text .. '"' end
  return token[2] == "number" and tonumber(token[1]) or VALUES[token[1]] and token[1] or nil
end

--- The field of a hook's parameter that begins at a token, and what is behind it; nil: none does.
local function field_at(self, from)
  local tokens, at = self.tokens, from + 1
  if tokens[from][2] ~= "name" then return nil end
  while tokens[at][1] == "." and tokens[at + 1][2] == "name" do at = at + 2 end
  local root = at > from + 1 and cursor.parameter(self, tokens[from][1]) or nil
  if not root then return nil end
  local parts = {}
  for i = from, at - 1 do parts[#parts + 1] = tokens[i][1] end
  return table.concat(parts), at, root
end

--- What the tokens up to `to` say, when that is all that they say.
local function read(self, from, to)
  local tokens, line = self.tokens, self.tokens[from][3]
  local is_not = tokens[from][1] == "not"
  local path, behind, root = field_at(self, is_not and from + 1 or from)
  if path and behind == to then
    return { root = root, path = path, op = is_not and "not" or "true", line = line }
  elseif path and not is_not then
    local value = behind + 2 == to and TURNED[tokens[behind][1]] and value_of(tokens[behind + 1])
    return value and { root = root, path = path, op = tokens[behind][1], value = value,
      line = line } or nil
  end
  local value, op = value_of(tokens[from]), TURNED[tokens[from + 1][1]]
  if not value or not op or is_not then return nil end
  path, behind, root = field_at(self, from + 2)
  return behind == to and { root = root, path = path, op = op, value = value, line = line } or nil
end

--- not at.kind == "x" compares true or false with a text.
local function check_not(self, from, to)
  local tokens = self.tokens
  local path, behind = field_at(self, from + 1)
  local op = path and behind + 2 == to and tokens[behind][1]
  local is_text = op and tokens[behind + 1][2] ~= "word" and value_of(tokens[behind + 1])
  if tokens[from][1] ~= "not" or not is_text or (op ~= "==" and op ~= "~=") then return end
  cursor.problem(self, tokens[from][3], "'not ", path, " ", op, " …' is (not ", path, ") ", op,
    " …, and never equal: write ", path, " ", CONTRARY[op], " …")
end

local function is_empty(value) return value == "nil" or value == "false" end

--- Whether something equal to `value` can be what the fact says.
local function allows(fact, value)
  local op, other = fact.op, fact.value
  if op == "true" then return not is_empty(value) end
  if op == "not" then return is_empty(value) end
  if op == "==" then return value == other end
  if op == "~=" then return value ~= other end
  if type(value) ~= "number" or type(other) ~= "number" then return true end
  return (op == "<" and value < other) or (op == "<=" and value <= other)
    or (op == ">" and value > other) or (op == ">=" and value >= other)
end

--- Whether no number is above the one and below the other.
local function is_gap(above, below)
  local is_above = above.op == ">" or above.op == ">="
  if not is_above or (below.op ~= "<" and below.op ~= "<=") then return false end
  if type(above.value) ~= "number" or type(below.value) ~= "number" then return false end
  local both = above.op == ">=" and below.op == "<="
  return above.value > below.value or (above.value == below.value and not both)
end

local function excludes(a, b)
  if a.root ~= b.root or a.path ~= b.path then return false end
  if a.op == "==" then return not allows(b, a.value) end
  if b.op == "==" then return not allows(a, b.value) end
  local bare = (a.op == "true" and b.op == "not") or (a.op == "not" and b.op == "true")
  return bare or is_gap(a, b) or is_gap(b, a)
end

local function words(fact)
  if fact.op == "true" then return fact.path end
  if fact.op == "not" then return "not " .. fact.path end
  return fact.path .. " " .. fact.op .. " " .. tostring(fact.value)
end

--- Whether the field is there where the fact holds.
local function is_there(fact)
  if fact.op == "not" or fact.op == "~=" then return false end
  return fact.op == "true" or not is_empty(fact.value)
end

--- Two fields of a view of which one alone is there.
local function excludes_field(self, a, b)
  if a.root ~= b.root or not is_there(a) or not is_there(b) then return false end
  local name, first = ck.match(a.path, "^(\\w+)\\.(\\w+)$")
  local same, second = ck.match(b.path, "^(\\w+)\\.(\\w+)$")
  local of = name and name == same and cursor.shape_of(self, name)
  local others = of and of.excludes and of.excludes[first]
  return others and others[second] or false
end

local function find_excluding(self, list, fact)
  for i = 1, #list do
    local other = list[i]
    if other and (excludes(other, fact) or excludes_field(self, other, fact)) then return other end
  end
end

--- What is nil in this hook, whatever its view has elsewhere.
local function check_absent(self, fact)
  local name, field = ck.match(fact.path, "^(\\w+)\\.(\\w+)$")
  local of = name and cursor.shape_of(self, name)
  local why = of and of.absent and of.absent[field]
  local nothing = is_empty(fact.value) or fact.op == "not" or fact.op == "~="
  if not why or nothing then return false end
  cursor.problem(self, fact.line, "'", fact.path, "' is nil in ", why, ": '", words(fact),
    "' is never true")
  return true
end

--- Takes the operand from the token `from` up to the next one into a chain; `joint`: the `and` or
--- `or` behind it, nil at the end.
---@param chain ck.lint.Chain
function facts.take(self, chain, from, joint)
  local fact, part = read(self, from, self.index), chain[#chain]
  check_not(self, from, self.index)
  local other = fact
    and (find_excluding(self, part, fact) or find_excluding(self, self.facts, fact))
  if other then
    cursor.problem(self, fact.line, "'", words(fact), "' is never true here: '", words(other),
      "' holds since line ", other.line)
  end
  if fact and (other or check_absent(self, fact)) then fact = nil end
  part[#part + 1] = fact or false
  if joint == "or" then chain[#chain + 1] = {} end
end

--- Adds what holds where the condition is true.
function facts.add(self, chain)
  if #chain ~= 1 then return end
  for _, fact in ipairs(chain[1]) do
    if fact then self.facts[#self.facts + 1] = fact end
  end
end

--- Adds what holds where it is not.
function facts.add_contrary(self, chain)
  for _, part in ipairs(chain) do
    local fact = #part == 1 and part[1]
    if fact then
      self.facts[#self.facts + 1] = { root = fact.root, path = fact.path, op = CONTRARY[fact.op],
        value = fact.value, line = fact.line }
    end
  end
end

--- Forgets all but the first `count`.
function facts.cut(self, count)
  for i = #self.facts, count + 1, -1 do self.facts[i] = nil end
end

return facts
