--- A flow of the user's own: one function over the primitives of ctx.

local check = require "ck.flow.check"
local declarations = require "ck.flow.declarations"
local process = require "ck.flow.process"
local tools = require "ck.flow.tools"

local custom = {}

local rules = check.with(declarations.rules, {
  run = "function", agents = check.texts, models = check.texts,
})

---@param def { run: fun(ctx: table, def: table): any, name: string|nil, tools: table|nil,
---  processes: table|nil, reads: string[]|nil, agents: string[]|nil, secrets: string[]|nil,
---  models: string[]|nil }
---@return table flow
function custom.define(def)
  local problem = check.fields("flow.custom", def, rules)
  if not problem and not def.run then problem = "flow.custom needs 'run', a function of ctx" end
  local list, of_tools = tools.declare(not problem and def.tools or nil)
  problem = problem or of_tools and "flow.custom: " .. of_tools
  local processes, of_processes = process.declare(not problem and def.processes or nil)
  problem = problem or of_processes and "flow.custom: " .. of_processes
  if problem then error(problem, 2) end
  return {
    kind = "custom", name = def.name, version = def.version, run = def.run, tools = list,
    processes = processes,
    reads = def.reads, agents = def.agents, secrets = def.secrets, models = def.models,
  }
end

return custom
