--- A form that an MCP server asks a person to fill: the question, and what an answer means.
---
--- A person answers `decline` or `cancel`, or with the values: a JSON object, or, of a form with
--- one field, its value alone.

local quote = require "ck.flow.quote"
local schema = require "ck.flow.schema"

local elicitation = {}

local words = { decline = true, cancel = true }

local function names_of(form)
  local names = {}
  for name in pairs(type(form.properties) == "table" and form.properties or {}) do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function texts_of(list, field)
  local texts = {}
  for _, item in ipairs(type(list) == "table" and list or {}) do
    local text = field and type(item) == "table" and item[field] or item
    if type(text) == "string" then texts[#texts + 1] = text end
  end
  return #texts > 0 and texts or nil
end

--- The values to choose from; nil: any.
local function choices(rule)
  if type(rule) ~= "table" then return nil end
  if rule.type == "boolean" then return { "true", "false" } end
  return texts_of(rule.enum) or texts_of(rule.oneOf, "const") or texts_of(rule.anyOf, "const")
end

local BOUNDS = {
  { "format", "format" }, { "minimum", "from" }, { "maximum", "to" },
  { "minLength", "length from" }, { "maxLength", "length to" },
  { "minItems", "items from" }, { "maxItems", "items to" }, { "default", "default" },
}

--- ", from 1, to 5, default 2".
local function bounds_of(rule)
  local parts = {}
  for _, bound in ipairs(BOUNDS) do
    local value = rule[bound[1]]
    local kind = type(value)
    if kind == "string" or kind == "number" or kind == "boolean" then
      parts[#parts + 1] = (", %s %s"):format(bound[2], tostring(value))
    end
  end
  return table.concat(parts)
end

local function said_of(rule)
  local said = {}
  for _, word in ipairs { "title", "description" } do
    if type(rule[word]) == "string" and rule[word] ~= "" then said[#said + 1] = rule[word] end
  end
  return #said > 0 and ": " .. table.concat(said, ". ") or ""
end

--- "S (small), M (medium)": the names of enumNames, or the titles of oneOf.
local function list_choices(rule, values)
  local of = type(rule.enum) ~= "table" and type(rule.items) == "table" and rule.items or rule
  local names = texts_of(of.enumNames) or texts_of(of.oneOf, "title") or texts_of(of.anyOf, "title")
  local list = {}
  for at, value in ipairs(values) do
    local name = names and #names == #values and names[at] ~= value and names[at]
    list[at] = name and ("%s (%s)"):format(value, name) or value
  end
  return table.concat(list, ", ")
end

local function line_of(form, name)
  local rule, needed = form.properties[name], false
  if type(rule) ~= "table" then rule = {} end
  for _, one in ipairs(type(form.required) == "table" and form.required or {}) do
    needed = needed or one == name
  end
  local values = rule.type ~= "boolean" and (choices(rule) or choices(rule.items))
  return ("  %s (%s%s%s)%s%s"):format(name, schema.words(rule.type or "any"),
    needed and "" or ", optional", bounds_of(rule), said_of(rule),
    values and ": " .. list_choices(rule, values) or "")
end

--- The values that a person may choose from; nil: they write.
local function options_of(form, names)
  local options = #names == 0 and { "accept" } or #names == 1 and choices(form.properties[names[1]])
  if not options then return nil end
  local list = {}
  for _, option in ipairs(options) do
    if words[option] then return nil end
    list[#list + 1] = option
  end
  list[#list + 1], list[#list + 2] = "decline", "cancel"
  return list
end

---@param server string
---@param params table
---@param problem string|nil  of the last answer
---@param hint string|nil     what a person should know before they answer
---@return table request  of an ask
function elicitation.question(server, params, problem, hint)
  local form = type(params.requestedSchema) == "table" and params.requestedSchema or {}
  local names = names_of(form)
  local lines = {
    ("The MCP server '%s' asks: %s"):format(server, tostring(params.message or "(nothing)")),
  }
  for _, name in ipairs(names) do lines[#lines + 1] = line_of(form, name) end
  local options = options_of(form, names)
  if problem then table.insert(lines, 1, problem) end
  lines[#lines + 1] = hint
  if not options then
    lines[#lines + 1] = #names == 1 and "Answer with the value, or decline, or cancel."
      or "Answer with a JSON object of these, or decline, or cancel."
  end
  return { question = table.concat(lines, "\n"), options = options, quiet = true,
    form = #names > 0 and form or nil }
end

--- What its names and the schema say against it.
local function content_problem(form, content)
  local properties = type(form.properties) == "table" and form.properties or {}
  for name in pairs(content) do
    if not properties[name] then return ("there is no '%s' to fill"):format(tostring(name)) end
  end
  local understood, problem = pcall(schema.problem, form, content)
  return understood and problem or not understood and "its form cannot be understood" or nil
end

--- A text as JSON of the one field, which is not always a text.
local function wrap(ctx, name, rule, text)
  local kind = type(rule) == "table" and rule.type
  if kind == "string" or not kind or ctx.parse(text) == nil then text = quote(text) end
  return ("{%s:%s}"):format(quote(name), text)
end

---@param ctx table
---@param params table
---@param answer string
---@return string|nil response  JSON
---@return string|nil problem
function elicitation.read(ctx, params, answer)
  if words[answer] then return ('{"action":"%s"}'):format(answer) end
  local form = type(params.requestedSchema) == "table" and params.requestedSchema or {}
  local names = names_of(form)
  if #names == 0 then
    if answer == "accept" then return '{"action":"accept","content":{}}' end
    return nil, "That is none of accept, decline and cancel."
  end
  local json = answer:sub(1, 1) == "{" and answer
    or #names == 1 and wrap(ctx, names[1], form.properties[names[1]], answer)
  local content = json and ctx.parse(json)
  if type(content) ~= "table" then return nil, "That is no JSON object." end
  local problem = content_problem(form, content)
  if problem then return nil, "That cannot be sent: " .. problem .. "." end
  return ('{"action":"accept","content":%s}'):format(json)
end

--- What is wrong with an answer before any flow reads it, and what is one; nil: nothing.
---@param parse function  as ctx.parse
---@param form table
---@param answer string
---@return string|nil problem
function elicitation.problem(parse, form, answer)
  local response, problem = elicitation.read({ parse = parse }, { requestedSchema = form }, answer)
  if response then return nil end
  local names = names_of(form)
  return ("%s Answer with %s, or decline, or cancel"):format(problem, #names == 1
    and ("the value of %s"):format(names[1])
    or ("a JSON object of %s"):format(table.concat(names, ", ")))
end

return elicitation
