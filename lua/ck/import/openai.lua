--- Conversations in OpenAI's chat shape: a list of messages, an object with `messages`, a response
--- alone or beside its request, or one of them on each line.

local import = require "ck.import"

local openai = { name = "openai" }

--- Fields by which programs identify a conversation; together they are its id.
local id_fields = { "id", "session_id", "conversation_id" }

--- The messages of a conversation; nil: it is none. What a response alone answers is not known.
local function messages_of(value)
  for _, list in ipairs { value or {}, import.table(value, "messages") or {},
    import.table(value, "request", "messages") or {},
    import.table(value, "body", "messages") or {} } do
    if import.is_chat(list) then return list end
  end
  local response = import.table(value, "response") or value
  local answer = import.answer(response)
  return import.text(answer, "role") == "assistant" and {} or nil
end

function openai.detect(head)
  local document, line = head.document, head.lines[1]
  return messages_of(document) ~= nil or import.is_chat { line } or messages_of(line) ~= nil
end

local function id_of(document, source, n)
  local parts = {}
  for _, name in ipairs(id_fields) do parts[#parts + 1] = import.text(document, name) end
  if #parts > 0 then return table.concat(parts, "/") end
  return import.id(source, n or 1)
end

local told = { messages = true, choices = true, response = true, request = true }

local function about(document)
  local kept = {}
  for _, given in ipairs { document, import.table(document, "request") } do
    for name, value in pairs(given) do
      if not told[name] then kept[name] = value end
    end
  end
  return kept
end

--- What is told of the whole is of no message.
local function spent_on(document, messages)
  for _, message in ipairs(messages) do
    local own = import.spent(message)
    if own.cost or own.input or own.output then return {} end
  end
  local response = import.table(document, "response") or document
  return import.table(response, "choices") and {} or import.spent(document)
end

local function emit_conversation(emit, source, document, n)
  local messages = messages_of(document)
  local spent = spent_on(document, messages)
  emit { kind = "session", id = id_of(document, source, n),
    about = messages ~= document and about(document) or nil,
    cost = spent.cost, input_tokens = spent.input, output_tokens = spent.output }
  local agent = import.text(document, "agent") or "assistant"
  -- A conversation that ckrun has exported is of one agent, and what it was told is its own.
  import.chat(emit, messages, agent, import.text(document, "scope") and agent or "user")
  import.reply(emit, document, agent, #messages + 1)
end

--- One message on each line: one conversation.
local function emit_lines(emit, source)
  local messages, numbers = {}, {}
  emit { kind = "session", id = import.id(source) }
  for n, line, problem in source.lines() do
    if line then
      messages[#messages + 1] = line
      numbers[#messages] = n
    else
      import.lost(emit, n, problem)
    end
  end
  import.chat(function(fact)
    fact.source = numbers[fact.source] or fact.source
    emit(fact)
  end, messages, "assistant", "user")
end

local function is_lines(source)
  for _, line in source.lines() do
    if line then return import.is_chat { line } end
  end
  return false
end

function openai.import(source, emit)
  if not messages_of((source.document())) and is_lines(source) then
    return emit_lines(emit, source)
  end
  import.each(source, function(value, n)
    local known = messages_of(value) ~= nil
    if known then emit_conversation(emit, source, value, n) end
    return known
  end, "no conversation")
end

return openai
