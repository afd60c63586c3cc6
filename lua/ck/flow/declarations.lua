--- The declarations of a flow: tools, processes, secrets, models and agents of it and its nodes.

local check = require "ck.flow.check"
local exec = require "ck.flow.exec"
local process = require "ck.flow.process"
local tools = require "ck.flow.tools"
local retry = require "ck.flow.retry"

local declarations = {}

--- The fields that any flow may have. `version`: of the state of its sessions; policies migrate the
--- state of an older one.
declarations.rules = {
  name = "string", version = check.count, tools = "table", processes = process.rule,
  reads = check.texts, secrets = check.texts,
}

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

--- Adds the named entries of `list` to `into`; two of one name must be equal.
local function add_named(into, list, what)
  for _, one in ipairs(list or {}) do
    local there = into[one.name]
    if there and not same(there, one) then
      return ("two %ss called '%s' are not the same"):format(what, one.name)
    end
    into[one.name] = one
  end
end

local function add_texts(into, list)
  for _, text in ipairs(list or {}) do into[text] = text end
end

local function prompt_problem(name, one, processes)
  if one.kind ~= "prompt" then return nil end
  local there = processes[one.process]
  if there and there.protocol == "acp" then return nil end
  return ("'%s' prompts '%s', which must be flow.acp{…} in 'processes'"):format(name, one.process)
end

local function sorted(map)
  local names, list = {}, {}
  for name in pairs(map) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do list[i] = map[name] end
  return list
end

--- The declarations of the flow's own table, and of its nodes.
---@param given { tools: table|nil, processes: table|nil, secrets: string[]|nil }
---@param nodes table<string, table>
---@return { tools: table, processes: table, secrets: string[], agents: string[],
---  models: string[], programs: table[], function_names: string[] }|nil
---@return string|nil problem
function declarations.gather(given, nodes)
  local list, problem = tools.declare(given.tools)
  if not list then return nil, problem end
  local processes
  processes, problem = process.declare(given.processes)
  if not processes then return nil, problem end
  local found = {
    tools = {}, processes = {}, secrets = {}, agents = {}, models = {}, programs = {},
    function_names = {},
  }
  problem = add_named(found.tools, list, "tool") or add_named(found.processes, processes, "process")
  add_texts(found.secrets, given.secrets)
  for _, one in ipairs(sorted(nodes)) do
    problem = problem or add_named(found.tools, one.tools, "tool")
      or add_named(found.processes, one.processes, "process")
    add_texts(found.secrets, one.secrets)
    add_texts(found.function_names, one.function_names)
    add_texts(found.models, one.models or { one.model })
  end
  for name, one in pairs(nodes) do
    if one.kind == "agent" then found.agents[one.name or name] = one.name or name end
    if one.kind == "prompt" then found.agents[one.process] = one.process end
    if one.kind == "exec" then found.programs[name] = exec.program(one, name) end
    problem = problem or prompt_problem(name, one, found.processes)
  end
  if problem then return nil, problem end
  for field, map in pairs(found) do found[field] = sorted(map) end
  return found
end

local function in_memory(list)
  local full = {}
  for i, key in ipairs(list or {}) do full[i] = "memory." .. retry.key(key) end
  return full
end

--- The nodes for the manifest: by name, with the keys of the state that each needs, and those of
--- them that nothing before it writes.
---@param nodes table<string, table>
---@param unwritten table<string, string[]>
---@return { name: string, reads: string[], unwritten: string[] }[]
function declarations.entries(nodes, unwritten)
  local entries = {}
  for name, one in pairs(nodes) do
    entries[name] = {
      name = name, reads = in_memory(one.reads), unwritten = in_memory(unwritten[name]),
    }
  end
  return sorted(entries)
end

return declarations
