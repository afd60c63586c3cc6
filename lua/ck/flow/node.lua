--- What graphs and steps are made of: nodes, what they read and write, and how often they are tried.
---
--- A node is a table with `kind` and `run = function(ctx, node, given)`. What run returns is kept as ctx.outputs.NAME. Its
--- writes are buffered until it has ended: a try that fails leaves nothing behind.

local check = require "ck.flow.check"
local sleep = require "ck.flow.sleep"

local node = {}

--- As an edge: the flow ends here.
node.done = "flow.done"

---@class ck.flow.Retry
---@field times integer            tries in all
---@field backoff_ms integer|nil   the wait before the second try; nil: a second
---@field factor number|nil        each wait is this many times the one before; nil: 2

---@class ck.flow.Node
---@field kind string
---@field run fun(ctx: table, node: ck.flow.Node, given: any): any
---@field reads string[]|nil       keys of ctx.memory that must be there when it begins
---@field writes string[]|nil      the keys of ctx.memory that it writes, and no others; nil: any
---@field retry ck.flow.Retry|nil
---@field on_error string|nil      of a graph: the node to go on with when it has failed
---@field class ck.flow.class|nil  of its effect, for policies to see

local WAIT_MAX_MS = 3600000

local function retry_rule(value)
  local problem = check.fields("retry", value, {
    times = function(n) if math.type(n) ~= "integer" or n < 1 then return "must be a whole number from 1" end end,
    backoff_ms = function(n) if math.type(n) ~= "integer" or n < 0 then return "must be a whole number from 0" end end,
    factor = function(n) if type(n) ~= "number" or not (n >= 1 and n <= 1000) then return "must be a number from 1 to 1000" end end,
  })
  if problem then return "is wrong: " .. problem end
  if not value.times then return "needs 'times', how often it is tried in all" end
end

--- The fields that any node may have.
node.rules = { reads = check.texts, writes = check.texts, retry = retry_rule, on_error = "string" }

local function run_function(ctx, self, given) return self.call(ctx, given) end

--- A node that is a function of ctx: flow.lua(function) or flow.lua { run = function, reads =, writes =, retry =, on_error = }.
---@param def function|table
---@return ck.flow.Node
function node.lua(def)
  if type(def) == "function" then return { kind = "lua", call = def, run = run_function } end
  local problem = check.fields("flow.lua", def, {
    run = "function", reads = check.texts, writes = check.texts, retry = retry_rule, on_error = "string",
  })
  if not problem and not def.run then problem = "flow.lua needs a function" end
  if problem then error(problem, 2) end
  return {
    kind = "lua", call = def.run, run = run_function, reads = def.reads, writes = def.writes, retry = def.retry,
    on_error = def.on_error,
  }
end

--- Another node with more said of it: flow.node { flow.sleep(100), on_error = "other" }.
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
  local problem = check.fields("flow.node", given, node.rules)
  if problem then error(problem, 2) end
  for field, value in pairs(given) do made[field] = value end
  return made
end

local function run_prompt(ctx, self, given)
  local prompt = self.prompt
  if type(prompt) == "function" then prompt = prompt(ctx, given) end
  local outcome = ctx.effect { kind = "agent", class = self.class, request = { process = self.process, prompt = prompt } }
  if outcome.status ~= "ok" then error(outcome.error or ("the agent '%s' failed"):format(self.process), 0) end
  return outcome.result
end

local function prompt_text_rule(value)
  if type(value) ~= "string" and type(value) ~= "function" then return "must be a text, or a function of ctx that gives it" end
end

--- A node that prompts an agent process: flow.prompt { process = NAME, prompt = TEXT or function(ctx) }; the flow's
--- `processes` say what NAME is.
---@param def table
---@return ck.flow.Node
function node.prompt(def)
  local rules = { process = "string", prompt = prompt_text_rule, class = "string" }
  for field, rule in pairs(node.rules) do rules[field] = rule end
  local problem = check.fields("flow.prompt", def, rules)
  if not problem and not def.process then problem = "flow.prompt needs 'process', a name of the flow's processes" end
  if not problem and not def.prompt then problem = "flow.prompt needs 'prompt', what the agent is told" end
  if problem then error(problem, 2) end
  local made = { kind = "prompt", run = run_prompt }
  for field, value in pairs(def) do made[field] = value end
  made.class = made.class or "once"
  return made
end

--- A node that does nothing and marks a safe point: a boundary of that kind when it is reached.
---@return ck.flow.Node
function node.safe_point() return { kind = "safe_point", run = function() end, boundary = "safe_point" } end

---@param value any
---@return boolean
function node.is(value)
  return type(value) == "function" or (type(value) == "table" and type(value.kind) == "string" and type(value.run) == "function")
end

--- What stands in a flow file as a node, as one.
---@param value any
---@return ck.flow.Node|nil
---@return string|nil problem
function node.take(value)
  if not node.is(value) then return nil, "must be a node, such as flow.exec{…}, or a function, not a " .. type(value) end
  if type(value) == "function" then return node.lua(value) end
  local nests = value.kind == "graph" or value.kind == "steps" or value.kind == "rounds" or value.kind == "custom"
  if nests then return nil, ("is a flow of kind '%s', which cannot be a node: only flow.agent can"):format(value.kind) end
  return value
end

--- The keys that it writes as a list: flow.ask has one alone.
---@param self ck.flow.Node
---@return string[]|nil
function node.writes(self)
  if type(self.writes) == "string" then return { self.writes } end
  return self.writes
end

local function check_reads(ctx, self)
  for _, key in ipairs(self.reads or {}) do
    if ctx.memory[key] == nil then
      error(("it reads memory.%s, which is not there: give it with --set %s=…, --set-env or --set-file"):format(key, key), 0)
    end
  end
end

local function check_writes(ctx, self, name)
  local declared = node.writes(self)
  if not declared then return end
  local allowed = { ["outputs." .. name] = true }
  for _, key in ipairs(declared) do
    allowed["memory." .. key] = true
    if ctx.memory[key] == nil then error(("it writes memory.%s, as it declares, but has left it without a value"):format(key), 0) end
  end
  for key in pairs(ctx.written()) do
    if not allowed[key] then error(("it wrote %s, which its 'writes' does not name"):format(key), 0) end
  end
end

local function perform(ctx, self, name, inner, given)
  check_reads(ctx, self)
  local result = self.run(inner, self, given)
  if result ~= nil and not ctx.written()["outputs." .. name] then ctx.outputs[name] = result end
  check_writes(ctx, self, name)
end

--- How long to wait before the next try; nil: there is none.
---@param retry ck.flow.Retry|nil
---@param tried integer
---@return integer|nil ms
function node.wait(retry, tried)
  if not retry or tried >= retry.times then return nil end
  local ms = (retry.backoff_ms or 1000) * (retry.factor or 2) ^ (tried - 1)
  return math.tointeger(math.floor(math.min(ms, WAIT_MAX_MS)))
end

--- Runs it until it has ended well or has no tries left. `again(error)` marks the boundary before each further try.
---@param ctx table
---@param self ck.flow.Node
---@param name string
---@param at { try: integer }  counted up
---@param options { inner: table, given: any, again: fun(problem: string) }
---@return boolean ok
---@return string|nil problem
function node.attempt(ctx, self, name, at, options)
  while true do
    local ok, problem = pcall(perform, ctx, self, name, options.inner, options.given)
    if ok then return true end
    problem = tostring(problem)
    ctx.discard()
    local ms = node.wait(self.retry, at.try)
    if not ms then return false, problem end
    if ms > 0 then sleep.wait(ctx, ms) end
    at.try = at.try + 1
    options.again(problem)
  end
end

return node
