--- One model with its tools, asked again and again until it has nothing to call; with a user, until the user has no more to say.
---
--- A turn is at most one question to the user, one model call, and the tools that the model calls. Turns are counted from 1
--- and a boundary ends each, so {path = "agent#N", turn = N, next = "ask" | "model"} says all there is to know to go on.

local check = require "ck.flow.check"
local tools = require "ck.flow.tools"

local agent = {}

--- As `prompt`: the system prompt of the recording.
agent.recorded = { recorded = true }

local function prompt_rule(value)
  if type(value) == "string" or (type(value) == "table" and value.recorded == true) then return nil end
  return "must be a text or flow.recorded"
end

local function user_rule(value)
  if type(value) ~= "table" or value.kind ~= "ask" then return "must be flow.ask{…}" end
end

local function count_rule(value)
  if math.type(value) ~= "integer" or value < 1 then return "must be a whole number from 1" end
end

local rules = {
  name = "string", model = "string", prompt = prompt_rule, tools = "table", user = user_rule, stop = "function",
  max_iterations = count_rule, reads = check.texts, secrets = check.texts,
}

local function names_of(list)
  if #list == 0 then return nil end
  local names = {}
  for i, tool in ipairs(list) do names[i] = tool.name end
  return names
end

local function classes_of(list)
  local classes = {}
  for _, tool in ipairs(list) do classes[tool.name] = tool.class end
  return classes
end

local function start(ctx, def)
  local prompt = def.prompt
  if type(prompt) == "table" then
    prompt = ctx.recorded_prompt
    if not prompt then error("prompt = flow.recorded needs a recording that has a system prompt", 0) end
  end
  if prompt then ctx.message("system", prompt) end
  if not def.user and type(ctx.input) == "string" then ctx.message("user", ctx.input) end
  return 1, def.user and "ask" or "model"
end

local function open(ctx, def)
  local at = ctx.position
  if not at then return start(ctx, def) end
  if math.type(at.turn) ~= "integer" or (at.next ~= "ask" and at.next ~= "model") or (at.next == "ask" and not def.user) then
    error(("'%s' is not a place in this flow"):format(tostring(at.path)), 0)
  end
  return at.turn, at.next
end

--- False: the recording has no more.
local function perform(ctx, def, effect, what)
  effect.agent = def.name
  local outcome = ctx.effect(effect)
  if outcome.status == "ended" then return nil end
  if outcome.status ~= "ok" and effect.kind ~= "tool" then
    error(("%s failed: %s"):format(what, outcome.error or "no reason was given"), 0)
  end
  return outcome
end

local function ask_model(ctx, def, turn)
  if turn > def.max_iterations then
    error(("the model was called %d times, the most that max_iterations allows"):format(def.max_iterations), 0)
  end
  local request = { model = def.model, tools = names_of(def.tools) }
  return perform(ctx, def, { kind = "model", class = "pure", request = request }, "the model '" .. def.model .. "'")
end

--- A call that cannot be made is answered like one that failed, for the model to see, without an effect.
local function call_tools(ctx, def, calls)
  local classes = classes_of(def.tools)
  for index, call in ipairs(calls) do
    local class = classes[call.name]
    local problem = call.problem or not class and ("there is no tool '%s'"):format(call.name)
    if problem then
      ctx.message { role = "tool", call_id = call.call_id, name = call.name or "?", content = "Error: " .. problem }
    elseif not perform(ctx, def, { kind = "tool", class = class, request = call.request, ordinal = index }) then
      return false
    end
  end
  return true
end

local function text_of(message)
  local content = message.content
  if type(content) == "string" then return content end
  local texts = {}
  for _, part in ipairs(type(content) == "table" and content or {}) do
    if type(part) == "table" and type(part.text) == "string" then texts[#texts + 1] = part.text end
  end
  return table.concat(texts, "\n")
end

local function run(ctx, def)
  local turn, step = open(ctx, def)
  while true do
    local kind
    local question = def.user and def.user.question
    if step == "ask" and not perform(ctx, def, { kind = "ask", class = "idempotent", request = { question = question } }, "asking") then
      return { ended = "recording", turns = turn - 1 }
    end
    local reply = ask_model(ctx, def, turn)
    if not reply then return { ended = "recording", turns = turn - 1 } end
    local calls = ctx.tool_calls(reply.raw)
    if #calls > 0 then
      if not call_tools(ctx, def, calls) then return { ended = "recording", turns = turn } end
      kind, step = "tool_round", "model"
    else
      local text = text_of(reply.result)
      if not def.user or (def.stop and def.stop(text)) then return { text = text, turns = turn } end
      kind, step = "loop_iteration", "ask"
    end
    turn = turn + 1
    ctx.boundary(kind, { agent = def.name, position = { path = "agent#" .. turn, turn = turn, next = step } })
  end
end

---@param def { name: string|nil, model: string|nil, prompt: string|table|nil, tools: table|nil, user: table|nil,
---  stop: nil|fun(text: string): boolean, max_iterations: integer|nil, reads: string[]|nil, secrets: string[]|nil }
---@return table flow
function agent.define(def)
  local problem = check.fields("flow.agent", def, rules)
  local list, of_tools = tools.declare(not problem and def.tools or nil)
  problem = problem or of_tools and "flow.agent: " .. of_tools
  if problem then error(problem, 2) end
  return {
    kind = "agent", run = run, name = def.name, agents = def.name and { def.name }, tools = list,
    reads = def.reads, secrets = def.secrets, model = def.model or "default", prompt = def.prompt, user = def.user,
    stop = def.stop, max_iterations = def.max_iterations or 200,
  }
end

return agent
