--- Steps that need each other's results: each runs as soon as the results that it needs exist, up
--- to `parallel` at once.

local check = require "ck.flow.check"
local keys = require "ck.flow.graph.keys"
local node = require "ck.flow.node"
local declarations = require "ck.flow.declarations"
local run = require "ck.flow.steps.run"

local steps = {}

local PARALLEL = 4

---@class ck.flow.Step
---@field name string
---@field run ck.flow.Node|fun(ctx: table, needs: table<string, any>): any
---@field needs string[]|nil    the steps whose results it is given
---@field optional boolean|nil  the flow goes on without its result when it fails
---@field retry ck.flow.Retry|nil

local rules = check.with(declarations.rules, { steps = "table", parallel = check.count })

local function node_rule(value)
  if not node.is(value) then
    return "must be a node, such as flow.exec{…}, or a function, not a " .. type(value)
  end
end

local step_rules = {
  name = "string", run = node_rule, needs = check.texts, optional = "boolean",
  retry = node.rules.retry,
}

local function take_step(value, index)
  local problem = check.fields(("step %d"):format(index), value, step_rules)
  if problem then return nil, problem end
  if not value.name then return nil, ("step %d needs a name"):format(index) end
  problem = node.name_problem("step", value.name)
  if problem then return nil, problem end
  if not value.run then
    return nil, ("step '%s' needs 'run', a node or a function"):format(value.name)
  end
  local taken, of_node = node.take(value.run)
  if not taken then return nil, ("step '%s' %s"):format(value.name, of_node) end
  if taken.writes then
    return nil, ("step '%s' has 'writes': steps keep what they give, and nothing else")
      :format(value.name)
  end
  if taken.on_error then
    return nil, ("step '%s' has 'on_error', which graphs have; say optional = true")
      :format(value.name)
  end
  return {
    name = value.name, node = taken, needs = value.needs or {}, optional = value.optional,
    retry = value.retry or taken.retry,
  }
end

local function take_steps(def)
  local list, by_name = {}, {}
  for i, value in ipairs(def.steps) do
    local step, problem = take_step(value, i)
    if not step then return nil, problem end
    if by_name[step.name] then return nil, ("there are two steps called '%s'"):format(step.name) end
    list[i], by_name[step.name] = step, step
  end
  for key in pairs(def.steps) do
    if not list[key] then
      return nil, ("steps must be a list: [%s] is no place in it"):format(tostring(key))
    end
  end
  if #list == 0 then return nil, "there must be at least one step" end
  return list, by_name
end

local function unknown_need(list, by_name)
  for _, step in ipairs(list) do
    for _, need in ipairs(step.needs) do
      if not by_name[need] then
        return ("step '%s' needs '%s', which is no step; did you mean '%s'?"):format(step.name,
          need, check.nearest(need, by_name))
      end
    end
  end
end

--- The names of a cycle, in the order in which they need each other.
local function find_cycle(list, by_name)
  local state, path = {}, {}
  local function visit(step)
    if state[step.name] == "done" then return nil end
    path[#path + 1] = step.name
    if state[step.name] == "open" then return path end
    state[step.name] = "open"
    for _, need in ipairs(step.needs) do
      local found = visit(by_name[need])
      if found then return found end
    end
    state[step.name] = "done"
    path[#path] = nil
  end
  for _, step in ipairs(list) do
    local found = visit(step)
    if found then return found end
  end
end

local function cycle_problem(list, by_name)
  local path = find_cycle(list, by_name)
  if not path then return nil end
  local first = 1
  while path[first] ~= path[#path] do first = first + 1 end
  return "steps need each other in a circle: '" .. table.concat(path, "' needs '", first) .. "'"
end

local function take(def)
  local list, by_name = take_steps(def)
  if not list then return nil, by_name end
  local problem = unknown_need(list, by_name) or cycle_problem(list, by_name)
  if problem then return nil, problem end
  local nodes = {}
  for name, step in pairs(by_name) do nodes[name] = step.node end
  local found
  found, problem = declarations.gather(def, nodes)
  if not found then return nil, problem end
  return {
    kind = "steps", run = run.flow, name = def.name, version = def.version, steps = list,
    by_name = by_name,
    parallel = def.parallel or PARALLEL, tools = found.tools, processes = found.processes,
    secrets = found.secrets, function_names = found.function_names,
    agents = found.agents, models = found.models, programs = found.programs,
    nodes = declarations.entries(nodes, keys.all(nodes)), reads = def.reads,
  }
end

--- Its result is a list of { step =, result = } in the order of `steps`.
---@param def { name: string|nil, steps: ck.flow.Step[], parallel: integer|nil, tools: table|nil,
---  processes: table|nil, reads: string[]|nil, secrets: string[]|nil }
---@return table flow
function steps.define(def)
  local problem = check.fields("flow.steps", def, rules)
  if not problem and not def.steps then
    problem = "flow.steps needs 'steps', a list of { name =, run =, needs = }"
  end
  if problem then error(problem, 2) end
  local made, of_steps = take(def)
  if not made then error("flow.steps: " .. of_steps, 2) end
  return made
end

return steps
