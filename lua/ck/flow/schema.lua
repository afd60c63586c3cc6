--- Whether a value satisfies a JSON Schema, and if not, what is wrong with it, in words for models.
--- A `$ref` is not understood.

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

local function is_one_of(list, value)
  for _, one in ipairs(list) do
    if one == value then return true end
  end
end

local problem_of

local function members_problem(rule, value, where)
  local properties = table_of(rule.properties)
  for _, name in ipairs(table_of(rule.required)) do
    if value[name] == nil then return ("%s lacks '%s'"):format(where, name) end
  end
  for name, member in pairs(value) do
    local of = properties[name]
    if of == nil then of = rule.additionalProperties end
    if of == false then return ("%s must have no '%s'"):format(where, tostring(name)) end
    local problem = problem_of(of, member, ("%s.%s"):format(where, tostring(name)))
    if problem then return problem end
  end
end

local function items_problem(rule, value, where)
  if rule.minItems and #value < rule.minItems then
    return ("%s needs %d elements at least"):format(where, rule.minItems)
  end
  if rule.maxItems and #value > rule.maxItems then
    return ("%s may have %d elements at most"):format(where, rule.maxItems)
  end
  for i, item in ipairs(value) do
    local problem = problem_of(rule.items, item, ("%s[%d]"):format(where, i - 1))
    if problem then return problem end
  end
end

local function plain_problem(rule, value, where)
  if rule.enum and not is_one_of(table_of(rule.enum), value) then
    return ("%s is none of its enum"):format(where)
  end
  if rule.const ~= nil and rule.const ~= value then
    return ("%s must be %s"):format(where, tostring(rule.const))
  end
  if type(value) == "number" and (value < (rule.minimum or value)
    or value > (rule.maximum or value)) then
    return ("%s is out of its range"):format(where)
  end
  if type(value) == "string" and (#value < (rule.minLength or 0)) then
    return ("%s is too short"):format(where)
  end
end

local function any_problem(rule, value, where)
  local last
  for _, one in ipairs(table_of(rule.anyOf or rule.oneOf)) do
    last = problem_of(one, value, where)
    if not last then return nil end
  end
  return last
end

function problem_of(rule, value, where)
  if type(rule) ~= "table" then return nil end
  if not schema.fits(value, rule.type) then
    return ("%s must be of type %s"):format(where, schema.words(rule.type))
  end
  local problem = plain_problem(rule, value, where) or any_problem(rule, value, where)
  for _, one in ipairs(table_of(rule.allOf)) do
    problem = problem or problem_of(one, value, where)
  end
  if problem or type(value) ~= "table" then return problem end
  if #value > 0 then return items_problem(rule, value, where) end
  return members_problem(rule, value, where)
    or (rule.type == "array" and items_problem(rule, value, where) or nil)
end

--- Nil: the value satisfies the schema.
---@return string|nil problem
function schema.problem(rule, value) return problem_of(rule, value, "the answer") end

local function has_reference(rule)
  for name, value in pairs(rule) do
    if name == "$ref" or (type(value) == "table" and has_reference(value)) then return true end
  end
end

--- A rule for ck.flow.check.
function schema.rule(value)
  if type(value) ~= "table" or value.type ~= "object" then
    return "must be a JSON Schema, a table with type = \"object\""
  end
  if has_reference(value) then return "has a '$ref', which is not understood: write it out" end
end

return schema
