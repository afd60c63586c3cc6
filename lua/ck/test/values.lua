--- What tests give as subjects of hooks: fields and values that a live call can have, by the
--- annotations of the views.

local values = {}

---@class ck.test.Shape  see lua/policy_tool/shapes.h

local A = { text = "a text", number = "a number", boolean = "true or false", list = "a list",
  names = "a table with names", table = "a table with its fields" }
local IS = { text = "string", number = "number", boolean = "boolean", list = "table",
  names = "table", table = "table" }

local function show(value)
  if type(value) == "string" then return '"' .. value .. '"' end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return "a " .. type(value)
end

local function has(list, word)
  for _, known in ipairs(list) do
    if known == word then return true end
  end
  return false
end

local function begins(text, forms)
  for _, form in ipairs(forms) do
    if #text > #form and string.sub(text, 1, #form) == form then return true end
  end
  return false
end

local function joined(list) return table.concat(list, ", ") end

local function sorted(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = name end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names
end

local by_type = {}

function by_type.text(value, of)
  if of.words and not has(of.words, value) then
    local known = of.elsewhere and has(of.elsewhere, value)
    return of.name .. ": it is never " .. show(value) .. (known and " in " .. of.where or "")
      .. ": it is " .. joined(of.words)
  elseif of.forms and not begins(value, of.forms) then
    return of.name .. ": it is never " .. show(value) .. ": it begins with " .. joined(of.forms)
  end
end

function by_type.number(value, of)
  if of.integer and value ~= value // 1 then
    return of.name .. ": a whole number is expected, not " .. show(value)
  elseif of.least and value < of.least then
    return of.name .. ": it is never " .. show(value) .. ": it is from " .. tostring(of.least)
  end
end

function by_type.boolean() end

function by_type.list(value, of)
  for i, element in ipairs(value) do
    local text = values.wrong(element, of.element)
    if text then return ck.gsub(text, "\\[i\\]", "[" .. i .. "]", 1) end
  end
end

--- Names with true, or a list of them.
function by_type.names(value, of)
  for _, name in ipairs(sorted(value)) do
    local key = type(name) == "number" and value[name] or name
    if of.keys and not begins(tostring(key), of.keys) then
      return of.name .. ": it has no key " .. show(key) .. ": they begin with " .. joined(of.keys)
    end
  end
end

local function wrong_field(value, of, name)
  if of.fields[name] == nil then
    return of.name .. " has no field '" .. tostring(name) .. "': it has "
      .. joined(sorted(of.fields))
  elseif of.absent and of.absent[name] then
    return of.name .. "." .. name .. ": it is nil in " .. of.absent[name]
  end
  for other in pairs(of.excludes and of.excludes[name] or {}) do
    if value[other] ~= nil then
      return of.name .. "." .. name .. ": it is nil where " .. of.name .. "." .. other .. " is not"
    end
  end
  return values.wrong(value[name], of.fields[name])
end

function by_type.table(value, of)
  for _, name in ipairs(sorted(value)) do
    local text = wrong_field(value, of, name)
    if text then return text end
  end
end

--- What is wrong with a value, in words: its field, itself, and what is possible; nil: nothing is.
---@param of ck.test.Shape|false|nil
---@return string|nil
function values.wrong(value, of)
  if not of or value == nil or value == ck.null then return nil end
  if type(value) ~= IS[of.type] then
    return of.name .. ": " .. A[of.type] .. " is expected, not " .. show(value)
  end
  return by_type[of.type](value, of)
end

return values
