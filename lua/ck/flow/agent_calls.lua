--- The tool calls of one message: checked, carried out (effects in parallel), and answered in the
--- order of the calls.
---
--- A tool is { name=, serve=function(loop, items), description=?, parameters=? }; `serve` answers a
--- run of adjacent calls of the message with the same `serve`. False: the recording has ended.

local mcp_input = require "ck.flow.mcp_input"
local schema = require "ck.flow.schema"

local calls = {}

---@class ck.flow.Call
---@field call table      as ctx.tool_calls gives it
---@field index integer   in the message, from 1
---@field tool table|nil  nil: it cannot be made, `problem` says why
---@field problem string|nil

--- Checks the top level of the schema: required members, and types.
local function arguments_problem(parameters, arguments)
  if type(parameters) ~= "table" then return nil end
  for _, name in ipairs(type(parameters.required) == "table" and parameters.required or {}) do
    if arguments[name] == nil then return ("the argument '%s' is missing"):format(name) end
  end
  for name, rule in pairs(type(parameters.properties) == "table" and parameters.properties or {}) do
    local wanted = type(rule) == "table" and rule.type or nil
    if arguments[name] ~= nil and rule == false then
      return ("the argument '%s' is not allowed"):format(name)
    end
    if arguments[name] ~= nil and not schema.fits(arguments[name], wanted) then
      return ("the argument '%s' must be of type %s"):format(name, schema.words(wanted))
    end
  end
end

local function judge_one(loop, call)
  if call.problem then return nil, call.problem end
  local tool = loop.tools[call.name]
  if not tool then return nil, ("there is no tool '%s'"):format(call.name) end
  if not call.arguments then
    local problem = ("the arguments of '%s' are not a JSON object"):format(call.name)
    return nil, loop.cut and problem .. "; the answer was cut off" or problem
  end
  local problem = arguments_problem(tool.parameters, call.arguments)
  return not problem and tool or nil, problem
end

--- Calls that cannot be made are counted: a model that makes nothing else is stopped.
local function count(loop, problem)
  loop.bad = problem and loop.bad + 1 or 0
  if loop.bad >= loop.def.max_bad_calls then
    local text = "the model made %d calls in a row that cannot be made, the most that "
      .. "max_bad_calls allows; the last one: %s"
    error(text:format(loop.bad, problem), 0)
  end
end

--- The message that answers a call.
function calls.answer(loop, item, content)
  local call = item.call
  loop.ctx.message {
    role = "tool", call_id = call.call_id, name = call.name or "?", content = content,
    agent = loop.def.name,
  }
end

local function ask_of(loop, item)
  local request, server, called = item.call.request, item.tool.server, item.tool.called
  if called then request = ('{"called":"%s",%s'):format(called, request:sub(2)) end
  if server then request = ('{"server":"%s",%s'):format(server, request:sub(2)) end
  return {
    kind = "tool", class = item.tool.class, agent = loop.def.name, request = request,
    ordinal = item.index,
  }
end

--- Serves tools that are effects; the runtime answers their calls. At most `parallel_tools` at
--- once.
function calls.by_effect(loop, items)
  local width = loop.def.parallel_tools
  for first = 1, #items, width do
    local asks = {}
    for at = first, math.min(first + width - 1, #items) do
      asks[#asks + 1] = ask_of(loop, items[at])
    end
    local outcomes = #asks == 1 and { loop.ctx.effect(asks[1]) } or loop.ctx.effects(asks)
    for _, outcome in ipairs(outcomes) do
      if outcome.status == "ended" then return false end
    end
    for at, outcome in ipairs(outcomes) do
      local item = items[first + at - 1]
      mcp_input.note_changes(loop, item, outcome)
      if outcome.wants and not mcp_input.settle(loop, item, outcome, ask_of) then return false end
    end
  end
end

-- Other effects would add to the conversation between a call and its result.
local quiet = { exec = true, sleep = true, agent = true, read = true }

local function inner_ctx(ctx, agent)
  local function effect(asked)
    local kind = type(asked) == "table" and asked.kind
    if not quiet[kind] then
      error(("a tool can ask for effects of kind exec, sleep, agent and read, not %s")
        :format(tostring(kind)), 2)
    end
    asked.agent = asked.agent or agent
    return ctx.effect(asked)
  end
  return {
    scope = ctx.scope, task = ctx.task, input = ctx.input, options = ctx.options, effect = effect,
    now = ctx.now, random = ctx.random, file = ctx.file,
    parse = ctx.parse, memory = ctx.memory, outputs = ctx.outputs, scratch = ctx.scratch,
  }
end

local MASKED = "not run: its arguments held a secret that was not stored; call it again with them"

--- A call of a tool that the flow carries out itself counts like any other, and its limits and the
--- policies' leave are checked before it is made. Returns why it may not be; nil: it may.
local function announce(loop, item)
  local outcome = loop.ctx.effect {
    kind = "tool", class = "pure", own = true, agent = loop.def.name, request = item.call.request,
    ordinal = item.index, source = item.tool.source,
  }
  if outcome.status == "error" then return outcome.error or "" end
end

local function run_function(loop, item)
  if item.call.request:find("[redacted:", 1, true) then return MASKED end
  local denied = announce(loop, item)
  if denied then return denied end
  local result = item.tool.run(inner_ctx(loop.ctx, loop.def.name), item.call.arguments)
  if result == nil then return "" end
  return type(result) == "table" and result or tostring(result)
end

--- Serves tools that are Lua functions. An error is not a failure of the flow: it is the result for
--- the model.
function calls.by_function(loop, items)
  for _, item in ipairs(items) do
    local fine, problem = pcall(function() calls.answer(loop, item, run_function(loop, item)) end)
    if not fine then calls.answer(loop, item, "Error: " .. tostring(problem)) end
  end
end

--- The calls of a message, each with its tool, or why it cannot be made.
---@param loop table
---@param list table[]  of ctx.tool_calls
---@return ck.flow.Call[]
function calls.judge(loop, list)
  local items = {}
  for index, call in ipairs(list) do
    local tool, problem = judge_one(loop, call)
    items[index] = { call = call, index = index, tool = tool, problem = problem }
  end
  return items
end

--- The calls from `first` on that one `serve` answers together.
local function take_run(items, first)
  local run = { items[first] }
  local tool = items[first].tool
  for at = first + 1, #items do
    if not tool or not items[at].tool or items[at].tool.serve ~= tool.serve then break end
    run[#run + 1] = items[at]
  end
  return run
end

--- Those that may be made are served together, as far as none between them is denied.
local function serve_announced(loop, run)
  local how, may = run[1].tool.serve, {}
  for _, item in ipairs(run) do
    local denied = announce(loop, item)
    if not denied then
      may[#may + 1] = item
    else
      if #may > 0 and how(loop, may) == false then return false end
      calls.answer(loop, item, denied)
      may = {}
    end
  end
  return #may == 0 or how(loop, may)
end

--- False: the recording has no more.
local function serve(loop, run)
  local how = run[1].tool.serve
  if how == calls.by_effect or how == calls.by_function then return how(loop, run) end
  return serve_announced(loop, run)
end

--- Makes all calls of a message. A call that cannot be made is answered like one that failed, for
--- the model to see.
---@param loop table
---@param items ck.flow.Call[]
---@return boolean goes_on  false: the recording has no more
function calls.make(loop, items)
  local first = 1
  loop.items = items
  for _, item in ipairs(items) do count(loop, item.problem) end
  while first <= #items do
    local run = take_run(items, first)
    if not run[1].tool then
      calls.answer(loop, run[1], "Error: " .. run[1].problem)
    elseif serve(loop, run) == false then
      return false
    end
    first = first + #run
  end
  return true
end

return calls
