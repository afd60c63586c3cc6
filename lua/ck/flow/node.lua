--- The nodes of graphs and steps: their fields, and the kinds that are not in files of their own.
---
--- A node is a table with `kind` and `run = function(ctx, node, given)`. The result of run is
--- ctx.outputs.NAME. Its writes are buffered until it ends: a failed try changes nothing.

local check = require "ck.flow.check"
local content = require "ck.flow.content"
local retry = require "ck.flow.retry"

local node = {}

--- As an edge: the flow ends here.
node.done = "flow.done"

---@class ck.flow.Node
---@field kind string
---@field run fun(ctx: table, node: ck.flow.Node, given: any, name: string|nil): any
---@field reads string[]|nil       keys of ctx.memory that must be there when it begins
---@field writes string[]|nil      the keys of ctx.memory that it writes, and no others; nil: any
---@field retry ck.flow.Retry|nil
---@field on_error string|nil      of a graph: the node to go on with when it has failed
---@field class ck.flow.class|nil  of its effect, for policies to see

local NAME_MAX = 40

--- Fields of a flow that a node may not have.
node.unavailable = {
  "boundary", "safe_point", "fork", "join", "join_any", "discard", "limit", "unknown",
  "refused", "blame",
}

--- The fields that any node may have.
node.rules = { reads = check.texts, writes = check.texts, retry = retry.rule, on_error = "string" }

local function run_function(ctx, self, given) return self.call(ctx, given) end

--- A node that is a function of ctx: flow.lua(function) or flow.lua { run = function, reads =,
--- writes =, retry =, on_error = }.
---@param def function|table
---@return ck.flow.Node
function node.lua(def)
  if type(def) == "function" then return { kind = "lua", call = def, run = run_function } end
  local problem = check.fields("flow.lua", def, check.with(node.rules, { run = "function" }))
  if not problem and not def.run then problem = "flow.lua needs a function" end
  if problem then error(problem, 2) end
  return {
    kind = "lua", call = def.run, run = run_function, reads = def.reads, writes = def.writes,
    retry = def.retry,
    on_error = def.on_error, unwritten = def.reads,
  }
end

--- A node with further fields: flow.node { flow.sleep(100), on_error = "other" }, flow.node {
--- flow.agent{…}, input = … }.
---@param def table
---@return ck.flow.Node
function node.with(def)
  local inner = type(def) == "table" and def[1]
  if not node.is(inner) then error("flow.node takes a table with a node as [1]", 2) end
  local made, given = {}, {}
  for field, value in pairs(inner) do made[field] = value end
  for field, value in pairs(def) do
    if field ~= 1 then given[field] = value end
  end
  local problem = check.fields("flow.node", given, check.with(node.rules, { input = content.rule }))
  if problem then error(problem, 2) end
  for field, value in pairs(given) do made[field] = value end
  return made
end

local GO_ON = "Your work on what follows was interrupted before its end. See what is done already, "
  .. "and go on from there.\n\n"

local function go_on(prompt)
  if type(prompt) ~= "table" then return GO_ON .. prompt end
  local blocks = { { type = "text", text = GO_ON } }
  for _, block in ipairs(prompt) do blocks[#blocks + 1] = block end
  return blocks
end

-- A turn that a pause interrupted is recorded as such; the agent, which keeps its own history, is
-- prompted to go on.
local function run_prompt(ctx, self, given)
  local prompt = self.prompt
  if type(prompt) == "function" then prompt = prompt(ctx, given) end
  if not content.is(prompt) then
    error("its prompt must be a text or a list of texts and parts, not a " .. type(prompt), 0)
  end
  prompt = content.read(ctx, prompt)
  local request = {
    process = self.process, prompt = prompt, session = self.session and ctx.memory[self.session],
  }
  local asked = { kind = "agent", class = self.class, agent = self.process, request = request }
  local outcome = ctx.effect(asked)
  while outcome.status == "ok" and outcome.result.interrupted do
    request.prompt, request.session = go_on(prompt), outcome.result.session_id
    outcome = ctx.effect(asked)
  end
  if outcome.status ~= "ok" then
    error(outcome.error or ("the agent '%s' failed"):format(self.process), 0)
  end
  if self.session then ctx.memory[self.session] = outcome.result.session_id end
  return outcome.result
end

--- A node that prompts an agent process: flow.prompt { process = NAME, prompt = TEXT, list of texts
--- and parts, or function(ctx) that gives one, session = KEY? }; NAME is a key of the flow's
--- `processes`. Nodes with the same `session`, a key of ctx.memory, share one conversation.
---@param def table
---@return ck.flow.Node
function node.prompt(def)
  local rules = { process = "string", prompt = content.rule, class = "string", session = "string" }
  for field, rule in pairs(node.rules) do rules[field] = rule end
  local problem = check.fields("flow.prompt", def, rules)
  if not problem and not def.process then
    problem = "flow.prompt needs 'process', a name of the flow's processes"
  end
  if not problem and not def.prompt then
    problem = "flow.prompt needs 'prompt', what the agent is told"
  end
  if problem then error(problem, 2) end
  local made = { kind = "prompt", run = run_prompt }
  for field, value in pairs(def) do made[field] = value end
  made.class, made.unwritten = made.class or "once", def.reads
  return made
end

--- A node that does nothing and marks a safe point: a boundary of that kind when it is reached.
---@return ck.flow.Node
function node.safe_point()
  return { kind = "safe_point", run = function() end, boundary = "safe_point" }
end

--- The problem of the name of a node or step; nil: none.
---@param what string
---@param name any
---@return string|nil problem
function node.name_problem(what, name)
  if type(name) ~= "string" then
    return ("a %s must have a text as its name, not %s"):format(what, tostring(name))
  end
  if name == node.done then
    return ("a %s cannot be called flow.done: that is where a flow ends"):format(what)
  end
  if not ck.find(name, "^[\\w.-]+\\z") or #name > NAME_MAX then
    return ("'%s' cannot name a %s: it takes up to %d letters, digits, '_', '-' and '.'")
      :format(name, what, NAME_MAX)
  end
end

---@param value any
---@return boolean
function node.is(value)
  return type(value) == "function"
    or (type(value) == "table" and type(value.kind) == "string" and type(value.run) == "function")
end

--- Normalises a node of a flow file.
---@param value any
---@return ck.flow.Node|nil
---@return string|nil problem
function node.take(value)
  if not node.is(value) then
    return nil, "must be a node, such as flow.exec{…}, or a function, not a " .. type(value)
  end
  if type(value) == "function" then return node.lua(value) end
  local nests = value.kind == "graph" or value.kind == "steps" or value.kind == "rounds"
    or value.kind == "custom"
  if nests then
    return nil, ("is a flow of kind '%s', which cannot be a node: only flow.agent can")
      :format(value.kind)
  end
  return value
end

return node
