--- Checks tables of a flow file, so that a typo is an error with the nearest known name.

---@class ck.flow.check
local check = {}

--- The number of letters to insert, remove, replace or swap with their neighbour (optimal string
--- alignment).
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local before, last, row = {}, {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    row[0] = i
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local best = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, before[j - 2] + 1)
      end
      row[j] = best
    end
    before, last, row = last, row, {}
  end
  return last[#b]
end

--- The name in `known` nearest to `name`; among equally near ones the first in byte order.
---@param name string
---@param known table<string, any>
---@return string
function check.nearest(name, known)
  local best, least
  for candidate in pairs(known) do
    local far = distance(name:sub(1, 64), candidate)
    if not least or far < least or (far == least and candidate < best) then
      best, least = candidate, far
    end
  end
  return best
end

---@alias ck.flow.rule string|fun(value: any): string?  a type's name, or what is wrong with the
---                                                     value

--- Every field of `given` must be in `rules` and pass its rule.
---@param what string  the name in messages, such as "flow.agent"
---@param given any
---@param rules table<string, ck.flow.rule>
---@return string|nil problem
function check.fields(what, given, rules)
  if type(given) ~= "table" then return ("%s takes a table, not a %s"):format(what, type(given)) end
  for key, value in pairs(given) do
    local rule = rules[key]
    if type(key) ~= "string" then
      return ("%s takes named fields, not [%s]"):format(what, tostring(key))
    end
    if not rule then
      return ("%s has no field '%s'; did you mean '%s'?"):format(what, key,
        check.nearest(key, rules))
    end
    local problem
    if type(rule) == "function" then
      problem = rule(value)
    elseif type(value) ~= rule then
      problem = ("must be a %s, not a %s"):format(rule, type(value))
    end
    if problem then return ("%s: '%s' %s"):format(what, key, problem) end
  end
end

--- A rule: a list of texts, with at least one.
---@param value any
---@return string|nil problem
function check.texts(value)
  if type(value) ~= "table" or #value == 0 then
    return "must be a list of strings with at least one"
  end
  local count = 0
  for _, text in pairs(value) do
    count = count + 1
    if type(text) ~= "string" then return "must be a list of strings; one is a " .. type(text) end
  end
  if count ~= #value then return "must be a list of strings without names or gaps" end
end

--- A rule: a length of time.
---@param value any
---@return string|nil problem
function check.seconds(value)
  if type(value) ~= "number" or not (value > 0 and value <= 1e6) then
    return "must be a number of seconds above 0, 1e6 at most"
  end
end

--- A rule: whether what it gives is to be trusted.
---@param value any
---@return string|nil problem
function check.trust(value)
  if value == "untrusted" or value == "trusted" then return nil end
  return ("must be trusted or untrusted, not '%s'"):format(tostring(value))
end

--- Makes a rule: a whole number, `least` at least.
---@param least integer
---@return fun(value: any): string?
function check.from(least)
  return function(value)
    if math.type(value) ~= "integer" or value < least then
      return ("must be a whole number from %d"):format(least)
    end
  end
end

--- A rule: how many.
check.count = check.from(1)

--- The rules of both.
---@param rules table<string, ck.flow.rule>
---@param more table<string, ck.flow.rule>
---@return table<string, ck.flow.rule>
function check.with(rules, more)
  local both = {}
  for field, rule in pairs(rules) do both[field] = rule end
  for field, rule in pairs(more) do both[field] = rule end
  return both
end

return check
