--- A model that an MCP server asks in the midst of a call: what may be asked of it, and its answer
--- as the server is given it.

local agent_reply = require "ck.flow.agent_reply"
local check = require "ck.flow.check"
local quote = require "ck.flow.quote"

local sampling = {}

local MAX_CALLS, MOST_CALLS, MAX_TOKENS = 10, 80, 4096

local function calls_rule(value)
  local problem = check.count(value)
  if not problem and value > MOST_CALLS then return ("must be %d at most"):format(MOST_CALLS) end
  return problem
end

local rules = { model = "string", max_calls = calls_rule, max_tokens = check.count }

--- A rule for ck.flow.check.
function sampling.rule(value)
  if type(value) == "boolean" or type(value) == "string" then return nil end
  if type(value) == "table" then return check.fields("its table", value, rules) end
  return "must be true, the name of a model, or a table with model, max_calls and max_tokens, "
    .. "not a " .. type(value)
end

--- As a process has it.
---@param given boolean|string|table|nil
---@return table|nil
function sampling.settings(given)
  if not given then return nil end
  if type(given) == "string" then given = { model = given } end
  if given == true then given = {} end
  return {
    model = given.model, max_calls = given.max_calls or MAX_CALLS,
    max_tokens = given.max_tokens or MAX_TOKENS,
  }
end

-- One block, or a list of blocks; nil, its type: it is no text.
local function text_from(given)
  if type(given) ~= "table" then return nil, type(given) end
  local texts = {}
  for _, block in ipairs(given.type and { given } or given) do
    local kind = type(block) == "table" and block.type or type(block)
    if kind ~= "text" or type(block.text) ~= "string" then return nil, tostring(kind) end
    texts[#texts + 1] = block.text
  end
  return table.concat(texts, "\n")
end

local function take_message(list, message)
  local role = type(message) == "table" and message.role
  if role ~= "user" and role ~= "assistant" then
    return ("a message is of role '%s', which is neither user nor assistant"):format(tostring(role))
  end
  local text, kind = text_from(message.content)
  if not text then
    return ("a message has content of type '%s'; this client takes text"):format(kind)
  end
  list[#list + 1] = { role = role, content = text }
end

local function messages_of(params)
  local list = {}
  if type(params.systemPrompt) == "string" then
    list[1] = { role = "system", content = params.systemPrompt }
  end
  local given = type(params.messages) == "table" and params.messages or {}
  if #given == 0 then return nil, "it has no messages" end
  for _, message in ipairs(given) do
    local problem = take_message(list, message)
    if problem then return nil, problem end
  end
  return list
end

--- The request of a model effect; nil: why there is none. A model of the server's choice, and the
--- context of other servers, are wishes that it does not get.
---@param tool table  that is called
---@param own string  the agent's model
---@param params table
---@return table|nil request
---@return string|nil problem
function sampling.request(tool, own, params)
  local messages, problem = messages_of(params)
  if not messages then return nil, problem end
  local wanted = params.maxTokens
  if math.type(wanted) ~= "integer" or wanted < 1 then return nil, "its maxTokens is no number" end
  return {
    model = tool.sampling.model or own, asked_by = tool.server, messages = messages,
    max_tokens = math.min(wanted, tool.sampling.max_tokens),
    temperature = type(params.temperature) == "number" and params.temperature or nil,
  }
end

-- The text up to the first of the sequences that it has.
local function stop_at(text, sequences)
  local at
  for _, sequence in ipairs(type(sequences) == "table" and sequences or {}) do
    local found = type(sequence) == "string" and sequence ~= "" and text:find(sequence, 1, true)
    if found and (not at or found < at) then at = found end
  end
  return at and text:sub(1, at - 1) or text, at ~= nil
end

--- The result of sampling/createMessage, JSON.
---@param request table
---@param params table
---@param outcome table  of the effect
---@return string
function sampling.response(request, params, outcome)
  local said = outcome.refusal and agent_reply.refusal(outcome)
    or agent_reply.text(outcome.result)
  local text, stopped = stop_at(said, params.stopSequences)
  local reason = stopped and "stopSequence" or outcome.cut and "maxTokens" or "endTurn"
  return ('{"role":"assistant","content":{"type":"text","text":%s},"model":%s,"stopReason":"%s"}')
    :format(quote(text), quote(outcome.response_model or request.model), reason)
end

return sampling
