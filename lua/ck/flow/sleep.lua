--- Waiting: a sleep, which after a restart lasts for the rest of its time, and a question to a
--- person.

local check = require "ck.flow.check"

local sleep = {}

---@param ms any
---@return string|nil problem
local function ms_problem(ms)
  if math.type(ms) == "integer" and ms >= 0 then return nil end
  return ("takes ms, a whole number from 0, not %s"):format(tostring(ms))
end

--- Sleeps in the function of a node, or wherever there is a ctx.
---@param ctx table
---@param ms integer
function sleep.wait(ctx, ms)
  local problem = ms_problem(ms)
  if problem then error("flow.sleep " .. problem, 2) end
  local outcome = ctx.effect { kind = "sleep", class = "idempotent", request = { ms = ms } }
  if outcome.status ~= "ok" then
    error("the sleep failed: " .. (outcome.error or "no reason was given"), 0)
  end
end

local function run_sleep(ctx, def) sleep.wait(ctx, def.ms) end

--- A node that sleeps.
---@param ms integer
function sleep.define(ms)
  local problem = ms_problem(ms)
  if problem then error("flow.sleep " .. problem, 2) end
  return { kind = "sleep", ms = ms, run = run_sleep }
end

--- Asks a person; the result is the text or the selected option. Where nobody can be asked the
--- session waits.
---@param ctx table
---@param question string
---@param options string[]|nil
---@return string|nil answer  nil: the recording that answers has no more
function sleep.ask(ctx, question, options)
  local request = { question = question, options = options }
  local outcome = ctx.effect { kind = "ask", class = "idempotent", request = request }
  if outcome.status == "ended" then return nil end
  if outcome.status ~= "ok" then
    error("asking failed: " .. (outcome.error or "no reason was given"), 0)
  end
  return outcome.result
end

local function run_ask(ctx, def)
  local answer = sleep.ask(ctx, def.question, def.options)
  if def.writes then ctx.memory[def.writes] = answer end
  return answer
end

local ask_rules = { question = "string", options = check.texts, writes = "string" }

--- A node that asks, and may write the answer to a key; as `user` of flow.agent: a person takes
--- part in the conversation.
---@param def { question: string|nil, options: string[]|nil, writes: string|nil }|nil
function sleep.define_ask(def)
  local problem = def ~= nil and check.fields("flow.ask", def, ask_rules)
  if problem then error(problem, 2) end
  def = def or {}
  return {
    kind = "ask", question = def.question, options = def.options, writes = def.writes,
    run = run_ask,
  }
end

return sleep
