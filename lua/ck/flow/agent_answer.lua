--- The answer of an agent that has a schema: what the model says last, or the call in its place
--- where its API knows no schema for what is said.

local calls = require "ck.flow.agent_calls"
local schema = require "ck.flow.schema"

local agent_answer = {}

-- The name of the call, as core/effect/model/schema.c has it.
local CALL = "final_answer"
agent_answer.CALL = CALL

local function find(list)
  for index, call in ipairs(list) do
    if call.name == CALL then return call, index end
  end
end

local function count(loop, problem)
  loop.bad = problem and loop.bad + 1 or 0
  if loop.bad >= loop.def.max_bad_calls then
    error(("the model gave %d answers in a row that do not satisfy the schema, the most that "
      .. "max_bad_calls allows; the last one: %s"):format(loop.bad, problem), 0)
  end
end

-- Models put what they write into a fence, whatever they are told.
local function parse(ctx, text)
  local within = ck.match(text, "(?s)\\A\\s*```\\w*\\s*(.*?)\\s*```\\s*\\z")
  local value, problem = ctx.parse(within or text)
  if problem then return nil, "the answer is no JSON" end
  return value
end

local function judge(loop, text, value, problem)
  problem = problem or schema.problem(loop.def.schema, value)
  if problem and loop.cut then problem = problem .. "; it was cut off" end
  count(loop, problem)
  return problem, text, value
end

-- The call's arguments as the model wrote them.
local function text_of(ctx, call)
  local _, behind = call.request:find('"arguments":', 1, true)
  local raw = call.request:sub(behind + 1, -2)
  if raw:sub(1, 1) ~= '"' then return raw end
  return (ctx.parse(raw))
end

local function take_call(loop, list, call)
  local missing = not call.arguments and "the answer is no JSON object" or nil
  local problem, text, value = judge(loop, text_of(loop.ctx, call), call.arguments, missing)
  for index, other in ipairs(list) do
    local said = other ~= call and "not run: the answer was given beside it"
      or problem and ("refused: %s; answer again"):format(problem) or "accepted"
    calls.answer(loop, { call = other, index = index }, said)
  end
  if problem then return "refused" end
  return "said", text, value
end

--- Nil: the message is no answer. "refused": it does not satisfy the schema, and the model is told;
--- "said", its text, its value.
---@param list table[]  the message's calls
---@param text string   what it says
function agent_answer.take(loop, list, text)
  local call = find(list)
  if call then return take_call(loop, list, call) end
  if #list > 0 then return nil end
  local problem, said, value = judge(loop, text, parse(loop.ctx, text))
  if not problem then return "said", said, value end
  loop.ctx.message { role = "user", agent = loop.def.name,
    content = ("Your answer does not satisfy the schema: %s. Answer again, with JSON alone.")
      :format(problem) }
  return "refused"
end

return agent_answer
