--- The tools that a flow declares, each with its class: whether a call with an unknown outcome may
--- be repeated.

local check = require "ck.flow.check"

---@alias ck.flow.class "pure"|"idempotent"|"reconcilable"|"once"

---@class ck.flow.Tool
---@field name string
---@field class ck.flow.class
---@field argv string[]|nil   the command that runs it; nil: it is answered by a driver that knows
---                           it, such as a cassette
---@field probe string[]|nil  the command that tells whether it happened
---@field timeout_s number|nil  it is ended after so long, and the model is told; nil: ten minutes
---@field description string|nil  for the model
---@field trust "trusted"|"untrusted"|nil  whether what it gives is to be trusted; nil: it is
---@field parameters table|nil    for the model: a JSON Schema of the arguments, checked at its top

local tools = {}

local classes = { pure = true, idempotent = true, reconcilable = true, once = true }

local function class_rule(value)
  if classes[value] then return nil end
  return ("must be pure, idempotent, reconcilable or once, not '%s'"):format(tostring(value))
end

tools.class_rule = class_rule

local command_rules = {
  argv = check.texts, probe = check.texts, class = class_rule, timeout_s = check.seconds,
  description = "string", parameters = "table", trust = check.trust,
}

--- The entry of a manifest: the fields as given, and a class.
local function entry_of(def, name)
  local entry = { name = name }
  for field in pairs(command_rules) do entry[field] = def[field] end
  entry.class = entry.class or "once"
  return entry
end

local function command_problem(def)
  local problem = check.fields("flow.command", def, command_rules)
  if problem then return problem end
  if not def.argv then return "flow.command needs 'argv', the program and its arguments" end
  if def.class == "reconcilable" and not def.probe then
    return "flow.command: class 'reconcilable' needs 'probe', "
      .. "the command that tells whether it happened"
  end
end

--- A tool that is a command. Its class is "once" by default.
---@param def { argv: string[], probe: string[]|nil, class: ck.flow.class|nil,
---  timeout_s: number|nil, description: string|nil, parameters: table|nil, trust: string|nil }
function tools.command(def)
  local problem = command_problem(def)
  if problem then error(problem, 2) end
  return entry_of(def)
end

-- Of a tool without a command.
local answered_rules = {
  class = class_rule, trust = check.trust, description = "string", parameters = "table",
}

local function declare(name, value)
  if type(name) == "number" and type(value) == "string" then
    return { name = value, class = "once" }
  end
  if type(name) ~= "string" or name == "" then
    return nil, "takes names as keys, not " .. tostring(name)
  end
  if type(value) == "table" then
    local answered = value.argv == nil and value.trust ~= nil
    local problem = answered and check.fields("its table", value, answered_rules)
      or not answered and command_problem(value)
    if problem then return nil, ("'%s': %s"):format(name, problem) end
    return entry_of(value, name)
  end
  local problem = class_rule(value)
  if problem then return nil, ("'%s' %s"):format(name, problem) end
  return { name = name, class = value }
end

local function_rules = { description = "string", parameters = "table", trust = check.trust }

--- A tool that is a Lua function: run(ctx, arguments) gives the result. Its ctx has memory,
--- outputs, scratch, effects of kind exec, sleep, agent and read, and readings; its errors become
--- results for the model.
---@param run fun(ctx: table, arguments: table): any
---@param def { description: string|nil, parameters: table|nil, trust: string|nil }|nil
---  parameters: a JSON Schema, checked at its top
function tools.tool(run, def)
  local problem = type(run) ~= "function"
    and "flow.tool takes a function of ctx and the arguments, and a table that describes it"
  problem = problem or def ~= nil and check.fields("flow.tool", def, function_rules)
  if problem then error(problem, 2) end
  def = def or {}
  return {
    run = run, description = def.description, parameters = def.parameters, trust = def.trust,
  }
end

--- The `tools` of a flow: NAME = class, NAME = flow.command{…}, NAME = { class =, trust = }, or
--- just "NAME" (class once).
---@param given table|nil
---@return ck.flow.Tool[]|nil list  by name
---@return string|nil problem
function tools.declare(given)
  local list, seen = {}, {}
  if given ~= nil and type(given) ~= "table" then
    return nil, "tools must be a table, not a " .. type(given)
  end
  for name, value in pairs(given or {}) do
    local tool, problem = declare(name, value)
    if not tool then return nil, "tools: " .. problem end
    if seen[tool.name] then return nil, ("tools: '%s' is declared twice"):format(tool.name) end
    seen[tool.name] = true
    list[#list + 1] = tool
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

--- The same with Lua functions among them, NAME = flow.tool(…).
---@param given table|nil
---@return ck.flow.Tool[]|nil list  by name
---@return table[]|nil functions    by name
---@return string|nil problem
function tools.declare_all(given)
  local plain, functions = given, {}
  if type(given) == "table" then
    plain = {}
    for name, value in pairs(given) do
      if type(name) == "string" and type(value) == "table" and type(value.run) == "function" then
        functions[#functions + 1] = {
          name = name, run = value.run, description = value.description,
          parameters = value.parameters, source = value.trust == "untrusted" and name or nil,
        }
      else
        plain[name] = value
      end
    end
  end
  local list, problem = tools.declare(plain)
  for _, tool in ipairs(list or {}) do
    if type(given[tool.name]) == "table" and given[tool.name].run then
      problem = ("tools: '%s' is declared twice"):format(tool.name)
    end
  end
  table.sort(functions, function(a, b) return a.name < b.name end)
  return list, functions, problem
end

return tools
