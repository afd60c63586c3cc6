--- What is understood of the JSON Schema that an answer must satisfy: every word of it is checked,
--- or the schema is refused by the name of that word.

local formats = require "ck.flow.schema_formats"

local problem_of -- of a schema within it: nil, or what is wrong, and where

local types = {
  null = true, boolean = true, integer = true, number = true, string = true, array = true,
  object = true,
}

local function expected(where, what) return ("has %s, where %s is expected"):format(where, what) end

--- A table from names, each of whose values passes `check`.
local function by_name(check)
  return function(value, where)
    if type(value) ~= "table" then return expected(where, "a table") end
    for name, one in pairs(value) do
      if type(name) ~= "string" then return expected(where, "a table with names") end
      local problem = check(one, ("%s.%s"):format(where, name))
      if problem then return problem end
    end
  end
end

local each_problem = by_name(function(one, where) return problem_of(one, where) end)

--- A list with one schema at least.
local function schemas(value, where)
  if type(value) ~= "table" or #value == 0 then return expected(where, "a list of schemas") end
  for i, one in ipairs(value) do
    local problem = problem_of(one, ("%s.%d"):format(where, i))
    if problem then return problem end
  end
end

local function names(value, where)
  local count, problem = 0, expected(where, "a list of names")
  if type(value) ~= "table" then return problem end
  for _, one in pairs(value) do
    count = count + 1
    if type(one) ~= "string" or value[count] == nil then return problem end
  end
end

local function pattern(value, where)
  if type(value) == "string" and pcall(ck.find, "", value) then return nil end
  return expected(where, "a regular expression")
end

local function of_type(name)
  return function(value, where)
    return type(value) ~= name and expected(where, "a " .. name) or nil
  end
end
local number = of_type("number")

local function list(value, where)
  if type(value) ~= "table" or #value == 0 then return expected(where, "a list") end
end

local function divisor(value, where)
  return not (type(value) == "number" and value > 0) and expected(where, "a number above 0") or nil
end

local function anything() end -- says nothing of a value

-- Each word that may stand in a schema, and what may stand behind it.
local words = {
  enum = list, const = anything, required = names, dependentRequired = by_name(names),
  uniqueItems = of_type("boolean"), pattern = pattern,
  minProperties = number, maxProperties = number, minItems = number, maxItems = number,
  minLength = number, maxLength = number, minimum = number, maximum = number,
  exclusiveMinimum = number, exclusiveMaximum = number, multipleOf = divisor,
  properties = each_problem, prefixItems = schemas, anyOf = schemas, oneOf = schemas,
  allOf = schemas,
  title = anything, description = anything, default = anything, examples = anything,
  deprecated = anything, readOnly = anything, writeOnly = anything, propertyOrdering = anything,
  ["$schema"] = anything, ["$id"] = anything, ["$comment"] = anything, ["$defs"] = anything,
  definitions = anything,
}
for _, name in ipairs { "additionalProperties", "propertyNames", "items", "contains", "not" } do
  words[name] = function(value, where) return problem_of(value, where) end
end

function words.type(value, where)
  for _, one in ipairs(type(value) == "table" and value or { value }) do
    if not types[one] then return expected(where, "the name of a type") end
  end
end

function words.format(value, where)
  if formats.is_known(value) then return nil end
  return expected(where, "one of " .. formats.NAMES)
end

function words.patternProperties(value, where)
  for name in pairs(type(value) == "table" and value or {}) do
    local problem = pattern(name, where)
    if problem then return problem end
  end
  return each_problem(value, where)
end

local function word_problem(name, value, where)
  local check = words[name]
  if check then return check(value, ("%s.%s"):format(where, name)) end
  if tostring(name):sub(1, 2) == "x-" then return nil end
  return ("has %s.%s, which would not be checked: say it in other words, or leave it out")
    :format(where, tostring(name))
end

function problem_of(rule, where)
  if type(rule) == "boolean" then return nil end
  if type(rule) ~= "table" then return expected(where, "a schema") end
  if rule["$ref"] then return "has a '$ref', which is not understood: write it out" end
  for name, value in pairs(rule) do
    local problem = word_problem(name, value, where)
    if problem then return problem end
  end
end

--- A rule for ck.flow.check.
return function(value)
  if type(value) ~= "table" or value.type ~= "object" then
    return "must be a JSON Schema, a table with type = \"object\""
  end
  return problem_of(value, "schema")
end
