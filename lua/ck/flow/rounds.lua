--- Rounds of deliberation: an orchestrator delegates to agents, gets their answers, and finishes
--- with a result.
---
--- A round ends with the turn in which the orchestrator delegates. Every agent has a conversation
--- of its own, which lasts over the rounds, and a pad of notes, ctx.scratch.NAME.
--- ctx.rounds.completed counts the rounds that are over.

local check = require "ck.flow.check"
local keys = require "ck.flow.graph.keys"
local declarations = require "ck.flow.declarations"
local rounds_run = require "ck.flow.rounds_run"

local rounds = {}

local ROUNDS, DEPTH, NAME_MAX = 10, 1, 40

local function agent_problem(value)
  if type(value) ~= "table" or value.kind ~= "agent" then
    return "must be flow.agent{…}, not a " .. type(value)
  end
  for _, field in ipairs { "retry", "on_error", "writes" } do
    if value[field] ~= nil then
      return ("cannot have '%s', which is of a node of a graph: who asked an agent is told that it "
        .. "failed, and can ask again"):format(field)
    end
  end
  if value.user then
    return "cannot have a user: only a flow.agent that is a flow of its own can"
  end
end

local function orchestrator_rule(value)
  if type(value) == "function" then return nil end
  if type(value) == "table" and value.schema then
    return "cannot have a schema: it finishes by its tool, not by an answer"
  end
  return agent_problem(value)
end

local function name_problem(name)
  if type(name) ~= "string" then return "takes names as keys, not " .. tostring(name) end
  if not ck.find(name, "^[\\w-]+\\z") or #name > NAME_MAX then
    return ("'%s' cannot name an agent: it takes up to %d letters, digits, '_' and '-'")
      :format(name, NAME_MAX)
  end
end

local function agents_rule(value)
  if type(value) ~= "table" or next(value) == nil then
    return "must be a table of NAME = flow.agent{…} with at least one"
  end
  for name, one in pairs(value) do
    local problem = name_problem(name)
    local of_agent = agent_problem(one)
    if problem then return problem end
    if of_agent then return ("'%s' %s"):format(name, of_agent) end
  end
end

local rules = check.with(declarations.rules, {
  orchestrator = orchestrator_rule, agents = agents_rule, delegates = "table", rounds = check.count,
  max_depth = check.from(0),
  gate = "function",
})

local function delegates_problem(def)
  for name, targets in pairs(def.delegates or {}) do
    if not def.agents[name] then
      return ("delegates: there is no agent '%s'; did you mean '%s'?"):format(tostring(name),
        check.nearest(tostring(name), def.agents))
    end
    local problem = check.texts(targets)
    if problem then return ("delegates: '%s' %s"):format(name, problem) end
    for _, target in ipairs(targets) do
      if not def.agents[target] then
        return ("delegates: '%s' names '%s', which is no agent; did you mean '%s'?"):format(name,
          target, check.nearest(target, def.agents))
      end
    end
  end
end

local function named(self, name)
  local made = {}
  for field, value in pairs(self) do made[field] = value end
  made.name = name
  return made
end

local function members_of(def)
  local members = {}
  for name, one in pairs(def.agents) do members[name] = named(one, name) end
  return members
end

--- The keys that agents read, when nothing in the flow can write any; nil: something can.
local function unwritten(def, nodes)
  local list = {}
  for _, key in ipairs(def.reads or {}) do list[#list + 1] = key end
  for _, one in pairs(nodes) do
    if not keys.written(one) then return nil end
    for _, key in ipairs(one.reads or {}) do list[#list + 1] = key end
  end
  if type(def.orchestrator) == "function" or def.gate then return nil end
  table.sort(list)
  return list
end

--- The tools that the kind gives to an agent: a tool of its own by such a name would never be made.
local function tool_problem(nodes, orchestrator, delegates)
  for name, one in pairs(nodes) do
    local leads = one == orchestrator
    local given = { delegate = leads or delegates[name], note = not leads, finish = leads }
    for _, list in ipairs { one.tools, one.functions } do
      for _, tool in ipairs(list) do
        if given[tool.name] then
          return ("the tool '%s' of agent %s has the name of one that it is given: give it another")
            :format(tool.name, name)
        end
      end
    end
  end
end

local function make(def)
  local members = members_of(def)
  local nodes, orchestrator = {}, def.orchestrator
  for name, one in pairs(members) do nodes[name] = one end
  if type(orchestrator) == "table" then
    orchestrator = named(orchestrator, orchestrator.name or "orchestrator")
    if members[orchestrator.name] then
      return nil, ("orchestrator and agent are both called '%s'"):format(orchestrator.name)
    end
    nodes[orchestrator.name] = orchestrator
  end
  local found, problem = declarations.gather(def, nodes)
  problem = problem or tool_problem(nodes, orchestrator, def.delegates or {})
  if problem then return nil, problem end
  return {
    kind = "rounds", run = rounds_run.run, name = def.name, version = def.version,
    orchestrator = orchestrator, lead = type(orchestrator) == "table" and orchestrator.name or nil,
    members = members, gate = def.gate, delegates = def.delegates or {},
    rounds = def.rounds or ROUNDS,
    max_depth = def.max_depth or DEPTH, reads = def.reads, unwritten = unwritten(def, nodes),
    tools = found.tools, processes = found.processes, secrets = found.secrets,
    agents = found.agents, function_names = found.function_names,
    models = found.models,
  }
end

--- `orchestrator`: a model with the tools delegate and finish, or function(ctx, round, ask), called
--- for each round until it returns a result, where ask { target|targets|parallel|sequential =,
--- message = } gives the answers by agent. `delegates`: which agents may ask which others, NAME = {
--- NAME, … }; `max_depth`: how deep, agents of the orchestrator being at 0. `gate`: function(ctx,
--- rounds_completed, resumed), whose result, unless nil, is the reason of a pause; each resume
--- calls it again, then with true.
---@param def { name: string|nil, orchestrator: table|function, agents: table<string, table>,
---  delegates: table<string, string[]>|nil, rounds: integer|nil, max_depth: integer|nil,
---  gate: nil|(fun(ctx: table, completed: integer, resumed: boolean): string|nil),
---  tools: table|nil, processes: table|nil, reads: string[]|nil, secrets: string[]|nil }
---@return table flow
function rounds.define(def)
  local problem = check.fields("flow.rounds", def, rules)
  if not problem then
    for _, field in ipairs { "orchestrator", "agents" } do
      if not def[field] then problem = ("flow.rounds needs '%s'"):format(field) end
    end
  end
  local of_delegates = not problem and delegates_problem(def)
  problem = problem or of_delegates and "flow.rounds: " .. of_delegates
  if problem then error(problem, 2) end
  local made, of_rounds = make(def)
  if not made then error("flow.rounds: " .. of_rounds, 2) end
  return made
end

return rounds
