--- The tools that a flow declares, each with what may be done again when its outcome is not known.

local check = require "ck.flow.check"

---@alias ck.flow.class "pure"|"idempotent"|"reconcilable"|"once"

---@class ck.flow.Tool
---@field name string
---@field class ck.flow.class
---@field argv string[]|nil   the command that runs it; nil: it is answered by a driver that knows it, such as a cassette
---@field probe string[]|nil  the command that tells whether it happened

local tools = {}

local classes = { pure = true, idempotent = true, reconcilable = true, once = true }

local function class_rule(value)
  if classes[value] then return nil end
  return ("must be pure, idempotent, reconcilable or once, not '%s'"):format(tostring(value))
end

tools.class_rule = class_rule

local command_rules = { argv = check.texts, probe = check.texts, class = class_rule }

local function command_problem(def)
  local problem = check.fields("flow.command", def, command_rules)
  if problem then return problem end
  if not def.argv then return "flow.command needs 'argv', the program and its arguments" end
  if def.class == "reconcilable" and not def.probe then
    return "flow.command: class 'reconcilable' needs 'probe', the command that tells whether it happened"
  end
end

--- A tool that is a command. Its class is "once" unless it says otherwise.
---@param def { argv: string[], probe: string[]|nil, class: ck.flow.class|nil }
function tools.command(def)
  local problem = command_problem(def)
  if problem then error(problem, 2) end
  return { argv = def.argv, probe = def.probe, class = def.class or "once" }
end

local function declare(name, value)
  if type(name) == "number" and type(value) == "string" then return { name = value, class = "once" } end
  if type(name) ~= "string" or name == "" then return nil, "takes names as keys, not " .. tostring(name) end
  if type(value) == "table" then
    local problem = command_problem(value)
    if problem then return nil, ("'%s': %s"):format(name, problem) end
    return { name = name, class = value.class or "once", argv = value.argv, probe = value.probe }
  end
  local problem = class_rule(value)
  if problem then return nil, ("'%s' %s"):format(name, problem) end
  return { name = name, class = value }
end

--- What a flow says in `tools`: NAME = class, NAME = flow.command{…}, or just "NAME" (class once).
---@param given table|nil
---@return ck.flow.Tool[]|nil list  by name
---@return string|nil problem
function tools.declare(given)
  local list, seen = {}, {}
  if given ~= nil and type(given) ~= "table" then return nil, "tools must be a table, not a " .. type(given) end
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

return tools
