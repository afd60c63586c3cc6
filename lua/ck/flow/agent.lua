--- One model with its tools, called until it calls no tool; with a user, until the conversation
--- ends.
---
--- A turn is at most one question to the user, one model call, and the tools that the model calls.
--- Turns are counted from 1 and a boundary ends each, so {path = "agent#N", turn = N, next = "ask"
--- | "model"} is where to go on. Further members, unless they are 0 or nil: bad (invalid calls in a
--- row), pauses (of a turn, in a row), mark and guards (see explore.lua).
---
--- flow.agent{…} is a flow of its own; other kinds converse with it in the scope they are in:
--- agent.converse(ctx, def, input).

local agent_answer = require "ck.flow.agent_answer"
local agent_loop = require "ck.flow.agent_loop"
local check = require "ck.flow.check"
local content = require "ck.flow.content"
local mcp = require "ck.flow.mcp"
local declarations = require "ck.flow.declarations"
local process = require "ck.flow.process"
local schema_rule = require "ck.flow.schema_rule"
local tools = require "ck.flow.tools"

local agent = {}

--- As `prompt`: the system prompt of the recording.
agent.recorded = { recorded = true }

local function prompt_rule(value)
  if type(value) == "string" or type(value) == "function"
    or (type(value) == "table" and value.recorded == true) then
    return nil
  end
  return "must be a text, a function of ctx, or flow.recorded"
end

local function result_rule(value)
  if type(value) ~= "string" and type(value) ~= "function" then
    return "must be a text or a function of ctx"
  end
end

local function user_rule(value)
  if type(value) ~= "table" or value.kind ~= "ask" then return "must be flow.ask{…}" end
end

local rules = check.with(declarations.rules, {
  model = "string", prompt = prompt_rule, input = content.rule, user = user_rule, stop = "function",
  result = result_rule,
  max_iterations = check.count, max_bad_calls = check.count, parallel_tools = check.count,
  max_tokens = check.count,
  temperature = "number", trust = check.trust, schema = schema_rule,
})

local function finish(loop, text, value)
  local result = loop.def.result
  if type(result) == "string" then loop.ctx.outputs[result] = value == nil and text or value end
  if type(result) == "function" then return result(loop.ctx, text, value) end
  return {
    text = text, value = value, turns = loop.turn, cut = loop.cut, refusal = loop.refusal,
  }
end

--- Converses until the model calls no tool (with a user: until `stop` holds). The result is that of
--- `def.result`, else {text=, turns=, refusal=}, or {ended="recording", turns=}.
function agent.converse(ctx, def, input, more)
  local loop = agent_loop.open(ctx, def, input, more)
  local request = {
    question = def.user and def.user.question, options = def.user and def.user.options,
  }
  while true do
    local ask = { kind = "ask", class = "idempotent", request = request }
    if loop.next == "ask" and not agent_loop.perform(loop, ask, "asking") then
      return { ended = "recording", turns = loop.turn - 1 }
    end
    local how, text, value = agent_loop.turn(loop)
    if how == "ended" then return { ended = "recording", turns = text } end
    if how == "said" and (not def.user or (def.stop and def.stop(text))) then
      return finish(loop, text, value)
    end
    loop.turn, loop.next = loop.turn + 1, how == "said" and "ask" or "model"
    agent_loop.boundary(loop, how == "called" and "tool_round" or "loop_iteration",
      "agent#" .. loop.turn)
  end
end

--- Where nothing of the flow can look at it, an input that is no message, or that the agent's own
--- takes the place of, would be lost in silence.
local function check_input(ctx, def)
  local input, own = ctx.input, def.input
  local seen = def.user or type(own) == "function" or type(def.prompt) == "function"
    or def.functions[1]
  if input == nil or seen or ctx.position then return end
  if own ~= nil then
    error("the session's input (--input) would not be used: the agent has an 'input' of its own, "
      .. "which counts; leave one of them out, or give it input = function(ctx) … end", 0)
  elseif not content.is(input) then
    error(("the input is a %s, which is no message: give the agent input = function(ctx) … end, "
      .. "or give --input a text or a list of texts and parts"):format(type(input)), 0)
  end
end

local function run(ctx, def)
  check_input(ctx, def)
  return agent.converse(ctx, def, def.input == nil and ctx.input or nil)
end

--- Its own, and those that its servers may ask.
local function models_of(own, servers)
  local models, seen = { own }, { [own] = true }
  for _, server in pairs(servers) do
    local name = server.sampling and server.sampling.model
    if name and not seen[name] then models[#models + 1] = name end
    seen[name or own] = true
  end
  table.sort(models)
  return models
end

---@param def { name: string|nil, model: string|nil, prompt: string|table|function|nil,
---  input: string|table|function|nil, tools: table|nil, processes: table|nil, user: table|nil,
---  stop: nil|fun(text: string): boolean, result: string|function|nil, max_iterations: integer|nil,
---  max_bad_calls: integer|nil, parallel_tools: integer|nil, max_tokens: integer|nil,
---  temperature: number|nil, schema: table|nil, trust: string|nil, reads: string[]|nil,
---  secrets: string[]|nil }
---@return table flow
function agent.define(def)
  local problem = check.fields("flow.agent", def, rules)
  local plain, servers = mcp.split(not problem and def.tools or nil)
  for name in pairs(servers) do
    local odd = not problem and ck.find(name, '["\\\\[:cntrl:]]')
    if odd then
      problem = ("flow.agent: tools: an MCP server cannot be called '%s'"):format(name)
    end
  end
  local list, functions, of_tools = tools.declare_all(plain)
  problem = problem or of_tools and "flow.agent: " .. of_tools
  local processes, of_processes = process.declare(not problem and def.processes or nil, servers)
  problem = problem or of_processes and "flow.agent: " .. of_processes
  if not problem and def.schema and plain and plain[agent_answer.CALL] then
    problem = ("flow.agent: tools: '%s' is what an answer of a schema is called"):format(
      agent_answer.CALL)
  end
  if problem then error(problem, 2) end
  local flow = {
    kind = "agent", run = run, agents = def.name and { def.name },
    has_servers = next(servers) ~= nil,
  }
  for name, value in pairs(def) do flow[name] = value end
  flow.tools, flow.functions, flow.processes = list, functions, processes
  flow.function_names = {}
  for i, one in ipairs(functions) do flow.function_names[i] = one.name end
  flow.model = def.model or "default"
  flow.max_iterations, flow.max_bad_calls = def.max_iterations or 200, def.max_bad_calls or 10
  flow.parallel_tools, flow.models = def.parallel_tools or 8, models_of(flow.model, servers)
  flow.unwritten = #functions == 0 and def.reads or nil
  return flow
end

return agent
