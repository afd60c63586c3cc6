--- The conversation of a model with its tools: its opening, one turn, and the boundary after a
--- turn.

local agent_answer = require "ck.flow.agent_answer"
local agent_reply = require "ck.flow.agent_reply"
local agent_tools = require "ck.flow.agent_tools"
local before_call = require "ck.flow.before_call"
local calls = require "ck.flow.agent_calls"
local content = require "ck.flow.content"
local explore = require "ck.flow.explore"

local agent_loop = {}

local function text_from(ctx, value)
  if type(value) == "function" then return value(ctx) end
  return value
end

--- Adds a message to the agent's conversation.
function agent_loop.say(loop, role, said)
  loop.ctx.message { role = role, content = said, agent = loop.def.name }
end

--- Nil: the flow has none.
local function prompt_of(ctx, def)
  local prompt = text_from(ctx, def.prompt)
  if type(prompt) ~= "table" then return prompt end
  if not ctx.recorded_prompt then
    error("prompt = flow.recorded needs a recording that has a system prompt", 0)
  end
  return ctx.recorded_prompt
end

--- Nil: the flow has none, and its prompt is all that its model is told.
local function input_of(ctx, def)
  local input = text_from(ctx, def.input)
  if input == nil or content.is(input) then return input end
  error(("the input of agent %s must be a text or a list of texts and parts, not a %s")
    :format(def.name or "of the flow", type(input)), 0)
end

--- An existing conversation goes on; only a new one needs its prompt.
local function start(loop, input)
  local ctx, def = loop.ctx, loop.def
  local prompt = prompt_of(ctx, def)
  if prompt and ctx.conversation_length() == 0 then agent_loop.say(loop, "system", prompt) end
  if not def.user then
    if not content.is(input) then input = input_of(ctx, def) end
    if input ~= nil then
      local what = "the input of agent " .. (def.name or "of the flow")
      agent_loop.say(loop, "user", content.read(ctx, input, what))
    end
  end
  loop.turn, loop.next = 1, def.user and "ask" or "model"
end

--- A conversation from elsewhere may lack the prompt, when it is made as the flow runs; and it may
--- end with the assistant's words where this flow has no user to answer them: then the model goes
--- on.
local function adopt(loop, at)
  local prompt = at.imported == "unprompted" and prompt_of(loop.ctx, loop.def)
  if prompt then agent_loop.say(loop, "system", prompt) end
  if at.next == "ask" and not loop.def.user then loop.next = "model" end
end

local function go_on(loop, at)
  local known = at.next == "model" or at.next == "calls"
    or (at.next == "ask" and (loop.def.user or at.imported))
  if math.type(at.turn) ~= "integer" or not known then
    error(("'%s' is not a place in this flow"):format(tostring(at.path)), 0)
  end
  loop.turn, loop.next, loop.bad, loop.guards = at.turn, at.next, at.bad or 0, at.guards or 0
  loop.pauses = at.pauses or 0
  loop.mark = at.mark and { goal = at.mark.goal, startedAt = at.mark.startedAt, to = at.mark.to }
  if at.imported then adopt(loop, at) end
end

--- The state of a conversation with `def`. `more`: { depth = below the flow's own agents,
--- subagent = another agent asked it, tools = of the kind of flow, each with a `serve` of its
--- own }.
---@param ctx table
---@param def table            what flow.agent gave
---@param input any            a text, or a list of parts, is what the user says first
---@param more table|nil
function agent_loop.open(ctx, def, input, more)
  more = more or {}
  local loop = {
    ctx = ctx, def = def, depth = more.depth or 0, bad = 0, guards = 0,
    pauses = 0,
    subagent = more.subagent or (more.depth or 0) > 0, position = ctx.position,
    named = before_call.named(ctx.options, def.name),
    source = def.trust == "untrusted" and (def.name or "agent") or nil,
  }
  agent_tools.open(loop, more.tools or {})
  if ctx.position then go_on(loop, ctx.position) else start(loop, input) end
  return loop
end

--- Nil: the recording has no more.
function agent_loop.perform(loop, effect, what)
  effect.agent, effect.source = loop.def.name, loop.source
  local outcome = loop.ctx.effect(effect)
  if outcome.status == "ended" then return nil end
  if outcome.status ~= "ok" then
    error(("%s failed: %s"):format(what, outcome.error or "no reason was given"), 0)
  end
  return outcome
end

local function ask_model(loop)
  local def = loop.def
  if loop.turn > def.max_iterations then
    error(("the model was called %d times, the most that max_iterations allows")
      :format(def.max_iterations), 0)
  end
  local request = {
    model = def.model, tools = #loop.list > 0 and loop.list or nil, max_tokens = def.max_tokens,
    temperature = def.temperature, response_schema = def.schema,
  }
  return agent_loop.perform(loop, { kind = "model", class = "pure", request = request },
    "the model '" .. def.model .. "'")
end

local function place(loop, position)
  position.turn, position.next, position.mark = loop.turn, loop.next, loop.mark
  position.bad = loop.bad > 0 and loop.bad or nil
  position.guards = loop.guards > 0 and loop.guards or nil
  position.pauses = loop.pauses > 0 and loop.pauses or nil
  return position
end

--- The last message of the conversation makes these calls.
local function call_tools(loop, items)
  local before = loop.ctx.conversation_length() - 1
  if not calls.make(loop, items) then return "ended", loop.turn end
  explore.settle(loop, #items, before)
  return "called"
end

--- One turn. "called": the model called tools, which have answered; "said", text; "blocked": its
--- turn may not end yet, or its answer does not satisfy the schema; "ended", full turns: the
--- recording has ended. "said" has the answer's value, too, where there is a schema. Of a refusal
--- (loop.refusal) it has the words, and none of its calls is made.
function agent_loop.turn(loop)
  local ctx = loop.ctx
  if loop.next == "calls" then return call_tools(loop, calls.judge(loop, ctx.tool_calls())) end
  agent_tools.refresh(loop)
  local reply = ask_model(loop)
  if not reply then return "ended", loop.turn - 1 end
  loop.cut, loop.refusal = reply.cut, reply.refusal
  explore.follow(loop, ctx.conversation_length() - 1) -- a resume may have shortened it
  local list = ctx.tool_calls(reply.raw)
  if reply.goes_on and #list == 0 then return agent_reply.pause(loop) end
  loop.pauses = 0
  if reply.refusal then return "said", agent_reply.refusal(reply) end
  if loop.def.schema then
    local how, text, value = agent_answer.take(loop, list, agent_reply.text(reply.result))
    if how == "refused" then return "blocked" end
    if how then return how, text, value end
  end
  local items = calls.judge(loop, list)
  if #items == 0 then
    if explore.guard(loop) then return "blocked" end
    return "said", agent_reply.text(reply.result)
  end
  before_call.mark(loop, items, place)
  return call_tools(loop, items)
end

--- Ends a turn; `path` is where to go on. `count`: of something else than turns, { number=, of= }.
function agent_loop.boundary(loop, kind, path, position, count)
  position = place(loop, position or {})
  position.path, loop.position = path, position
  count = count or { number = loop.turn - 1 }
  loop.ctx.boundary(kind, {
    agent = loop.def.name, depth = loop.depth, position = position,
    number = count.number, of = count.of,
  })
end

return agent_loop
