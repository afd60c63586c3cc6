--- Whether a value satisfies a JSON Schema (json-schema.org/draft/2020-12), and if not, what is
--- wrong with it, in words for models. What is understood of one is in schema_rule.lua.

local formats = require "ck.flow.schema_formats"
local values = require "ck.flow.schema_values"

local schema = {}

local function kind_of(value)
  if value == ck.null then return "null" end
  if math.type(value) == "integer" then return "integer" end
  if type(value) ~= "table" then return type(value) end
  if next(value) == nil then return "empty" end
  return #value > 0 and "array" or "object"
end

local function fits(value, wanted)
  local kind = kind_of(value)
  if kind == wanted or (kind == "integer" and wanted == "number") then return true end
  if wanted == "integer" then return math.type(value) == "float" and value == math.floor(value) end
  return kind == "empty" and (wanted == "array" or wanted == "object")
end

--- True when the value is of that type, or of one of a list of them; also when there is no type.
function schema.fits(value, wanted)
  if type(wanted) == "string" then return fits(value, wanted) end
  for _, one in ipairs(type(wanted) == "table" and wanted or {}) do
    if fits(value, one) then return true end
  end
  return type(wanted) ~= "table"
end

function schema.words(wanted)
  return type(wanted) == "table" and table.concat(wanted, " or ") or tostring(wanted)
end

local function table_of(value) return type(value) == "table" and value or {} end

local function is_same(a, b)
  if a == b then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return false end
  for name, value in pairs(a) do if not is_same(value, b[name]) then return false end end
  for name in pairs(b) do if a[name] == nil then return false end end
  return true
end

local function is_one_of(list, value)
  for _, one in ipairs(list) do
    if is_same(one, value) then return true end
  end
end

local problem_of

--- What holds for a member by its name: of several rules the first that it breaks.
local function member_problem(rule, name, member, where)
  local at = ("%s.%s"):format(where, name)
  local of, named = table_of(rule.properties)[name], false
  local problem = problem_of(of, member, at)
  for pattern, one in pairs(table_of(rule.patternProperties)) do
    if ck.find(name, pattern) then
      named, problem = true, problem or problem_of(one, member, at)
    end
  end
  if of ~= nil or named or problem then return problem end
  if rule.additionalProperties == false then return ("%s must have no '%s'"):format(where, name) end
  return problem_of(rule.additionalProperties, member, at)
end

local function count_problem(count, least, most, where, what)
  if least and count < least then return ("%s needs %d %s at least"):format(where, least, what) end
  if most and count > most then return ("%s may have %d %s at most"):format(where, most, what) end
end

local function members_problem(rule, value, where)
  local count, names = 0, {}
  for _, name in ipairs(table_of(rule.required)) do
    if value[name] == nil then return ("%s lacks '%s'"):format(where, name) end
  end
  for name in pairs(value) do names[#names + 1], count = tostring(name), count + 1 end
  table.sort(names)
  for _, name in ipairs(names) do
    local named = ("the name '%s' in %s"):format(name, where)
    local problem = problem_of(rule.propertyNames, name, named)
      or member_problem(rule, name, value[name], where)
    if problem then return problem end
    for _, other in ipairs(table_of(table_of(rule.dependentRequired)[name])) do
      if value[other] == nil then
        return ("%s has '%s' and lacks '%s'"):format(where, name, other)
      end
    end
  end
  return count_problem(count, rule.minProperties, rule.maxProperties, where, "members")
end

local function contains(rule, value)
  for _, item in ipairs(value) do
    if not problem_of(rule, item, "") then return true end
  end
end

local function items_problem(rule, value, where)
  local first = table_of(rule.prefixItems)
  local problem = count_problem(#value, rule.minItems, rule.maxItems, where, "elements")
  for i, item in ipairs(value) do
    local of = first[i]
    if of == nil then of = rule.items end
    if of == false and first[i] == nil then
      return ("%s may have %d elements at most"):format(where, #first)
    end
    problem = problem or problem_of(of, item, ("%s[%d]"):format(where, i - 1))
    for k = 1, rule.uniqueItems and i - 1 or 0 do
      if is_same(value[k], item) then return ("%s has the same element twice"):format(where) end
    end
  end
  if not problem and rule.contains ~= nil and not contains(rule.contains, value) then
    return ("%s has no element of those that it must contain"):format(where)
  end
  return problem
end

-- The limit that the value passes, in words.
local function limit_of(rule, value)
  if rule.minimum and value < rule.minimum then return "at least", rule.minimum end
  if rule.maximum and value > rule.maximum then return "at most", rule.maximum end
  local above, below = rule.exclusiveMinimum, rule.exclusiveMaximum
  if above and value <= above then return "more than", above end
  if below and value >= below then return "less than", below end
end

local function number_problem(rule, value, where)
  local word, limit = limit_of(rule, value)
  if word then
    return ("%s is %s, out of its range: it must be %s %s"):format(where, value, word, limit)
  end
  local times = rule.multipleOf and value / rule.multipleOf
  if times and math.abs(times - math.floor(times + 0.5)) > 1e-9 then
    return ("%s is %s: it must be a multiple of %s"):format(where, value, rule.multipleOf)
  end
end

local function text_problem(rule, value, where)
  local length = utf8.len(value) or #value
  if length < (rule.minLength or 0) then
    return ("%s is too short: its length is %d, it must be at least %s")
      :format(where, length, rule.minLength)
  end
  if length > (rule.maxLength or length) then
    return ("%s is too long: its length is %d, it must be at most %s")
      :format(where, length, rule.maxLength)
  end
  if rule.pattern and not ck.find(value, rule.pattern) then
    return ("%s does not match the pattern %s"):format(where, rule.pattern)
  end
  if rule.format and not formats.fits(value, rule.format) then
    return ("%s is no %s"):format(where, rule.format)
  end
end

local function plain_problem(rule, value, where)
  if rule.enum and not is_one_of(table_of(rule.enum), value) then
    return ("%s is none of its enum: %s"):format(where, values(table_of(rule.enum)))
  end
  if rule.const ~= nil and not is_same(rule.const, value) then
    return ("%s must be %s"):format(where,
      type(rule.const) == "table" and "its const" or tostring(rule.const))
  end
  if type(value) == "number" then return number_problem(rule, value, where) end
  if type(value) == "string" then return text_problem(rule, value, where) end
end

--- One of `anyOf`, exactly one of `oneOf`.
local function choice_problem(list, value, where, most)
  local last, count = nil, 0
  for _, one in ipairs(table_of(list)) do
    local problem = problem_of(one, value, where)
    last, count = problem or last, count + (problem and 0 or 1)
  end
  if count > most then return ("%s is more than one of its oneOf"):format(where) end
  return count == 0 and last or nil
end

local function joint_problem(rule, value, where)
  local problem = choice_problem(rule.anyOf, value, where, math.huge)
    or choice_problem(rule.oneOf, value, where, 1)
  for _, one in ipairs(table_of(rule.allOf)) do
    problem = problem or problem_of(one, value, where)
  end
  if not problem and rule["not"] ~= nil and not problem_of(rule["not"], value, where) then
    return ("%s is what it must not be"):format(where)
  end
  return problem
end

--- An empty table is a list or an object, which nobody can tell: where the schema names no type it
--- satisfies the words for both; where it names both, those for either.
local function empty_problem(rule, value, where)
  local list = schema.fits({ 1 }, rule.type) and items_problem(rule, value, where)
  local object = schema.fits({ a = 1 }, rule.type) and members_problem(rule, value, where)
  if rule.type == nil then return list or object or nil end
  if list == false or object == false then return list or object or nil end
  return list and object or nil
end

--- A schema is a table, `true`, which every value satisfies, or `false`, which none does.
function problem_of(rule, value, where)
  if rule == false then return ("%s is not allowed"):format(where) end
  if type(rule) ~= "table" then return nil end
  if not schema.fits(value, rule.type) then
    return ("%s must be of type %s"):format(where, schema.words(rule.type))
  end
  local problem = plain_problem(rule, value, where) or joint_problem(rule, value, where)
  if problem or type(value) ~= "table" then return problem end
  if next(value) == nil then return empty_problem(rule, value, where) end
  return (#value > 0 and items_problem or members_problem)(rule, value, where)
end

--- Nil: the value satisfies the schema.
---@return string|nil problem
function schema.problem(rule, value) return problem_of(rule, value, "the answer") end

return schema
