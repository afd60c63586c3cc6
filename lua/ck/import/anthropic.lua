--- Conversations in Anthropic's shape: a request with its messages, their content in blocks, and
--- the response to it, alone or beside the request; a document, or one a line.

local import = require "ck.import"

local anthropic = { name = "anthropic" }
local agent = "assistant"

local own_blocks = { tool_use = true, tool_result = true, thinking = true,
  redacted_thinking = true, server_tool_use = true }

local function has_own_blocks(messages)
  for _, message in ipairs(messages) do
    for _, block in ipairs(import.list(message, "content")) do
      if own_blocks[import.text(block, "type") or ""] then return true end
    end
  end
  return false
end

local function is_response(value)
  return import.text(value, "type") == "message" and import.text(value, "role") == "assistant"
    and import.table(value, "content") ~= nil
end

local function response_of(value)
  if is_response(value) then return value end
  for _, name in ipairs { "response", "message" } do
    if is_response(import.get(value, name)) then return value[name] end
  end
end

local function request_of(value)
  for _, request in ipairs { import.table(value, "request") or value, value } do
    if import.is_chat(import.get(request, "messages")) then return request end
  end
  return import.is_chat(value) and { messages = value } or nil
end

local function is_conversation(value)
  if response_of(value) then return true end
  local request = request_of(value)
  local system = import.get(request, "system")
  local first = import.text(import.list(system)[1], "type")
  return request ~= nil
    and (type(system) == "string" or first == "text" or has_own_blocks(request.messages))
end

function anthropic.detect(head)
  return is_conversation(head.document) or is_conversation(head.lines[1])
end

--- `cost`: nil, where the message does not say it either.
local function emit_reply(emit, message, n, cost)
  local used = import.spent(message)
  local stop = import.text(message, "stop_reason")
  emit { kind = "model", agent = agent, message = message, source = n,
    cost = used.cost or cost, input_tokens = used.input, output_tokens = used.output,
    error = stop == "refusal" and "refused" or nil }
  for _, block in ipairs(import.list(message, "content")) do
    if import.text(block, "type") == "tool_use" then
      emit { kind = "tool_call", agent = agent, id = import.text(block, "id"), source = n,
        name = import.text(block, "name") or "?", arguments = import.get(block, "input") }
    end
  end
end

--- Results of calls stand apart from what the user says beside them.
local function emit_user(emit, message, n)
  local content, rest = import.list(message, "content"), ck.array {}
  for _, block in ipairs(content) do
    if import.text(block, "type") == "tool_result" then
      emit { kind = "tool_result", agent = agent, id = import.text(block, "tool_use_id"),
        content = import.get(block, "content") or "", source = n,
        error = import.get(block, "is_error") == true or nil }
    else
      rest[#rest + 1] = block
    end
  end
  if #content > 0 and #rest == 0 then return end
  if #rest < #content then message = { role = "user", content = rest } end
  emit { kind = "message", agent = "user", message = message, source = n }
end

local told = { messages = true, system = true, tools = true, response = true }

local function emit_conversation(emit, value, id)
  local request, response = request_of(value), response_of(value)
  local about, cost = {}, import.spent(value).cost
  for name, kept in pairs(request or {}) do
    if not told[name] then about[name] = kept end
  end
  emit { kind = "session", id = id, about = about, cost = not response and cost or nil }
  local system = import.get(request, "system")
  if system then
    emit { kind = "message", agent = agent, message = { role = "system", content = system } }
  end
  local messages = import.list(request, "messages")
  for n, message in ipairs(messages) do
    local role = import.text(message, "role")
    if role == "assistant" then
      emit_reply(emit, message, n)
    elseif role == "user" then
      emit_user(emit, message, n)
    elseif role then
      emit { kind = "message", agent = agent, message = message, source = n }
    else
      emit { kind = "error", data = message, source = n }
    end
  end
  if response then emit_reply(emit, response, #messages + 1, cost) end
end

local function id_of(value, source, n)
  local response = response_of(value)
  return import.text(value, "session_id") or import.text(value, "id") or import.text(response, "id")
    or import.id(source, n or 1)
end

--- A response on a line of its own is that of the request on the line before.
local function pairs_of(source, emit)
  local asked, at
  local function settle()
    if asked then emit_conversation(emit, asked, id_of(asked, source, at)) end
    asked = nil
  end
  local function take(value, n)
    -- In a file that is said to be of this format nothing else need tell so.
    local request, response = request_of(value), response_of(value)
    if asked and response and not request then
      value, asked = { request = request_of(asked), response = response }, nil
    end
    settle()
    if request and not response then
      asked, at = value, n
    elseif request or response then
      emit_conversation(emit, value, id_of(value, source, n))
    end
    return request ~= nil or response ~= nil
  end
  return take, settle
end

function anthropic.import(source, emit)
  local take, settle = pairs_of(source, emit)
  import.each(source, take, "no conversation")
  settle()
end

return anthropic
