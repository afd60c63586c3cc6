--- Sessions of the Gemini CLI: one JSON document with messages, each answer with its thoughts,
--- calls, their results and tokens.

local import = require "ck.import"

local gemini = { name = "gemini" }
local agent = "gemini"

function gemini.detect(head)
  local document = head.document
  return import.text(document, "sessionId") ~= nil and import.table(document, "messages") ~= nil
    and (import.text(document, "projectHash") ~= nil or import.text(document, "startTime") ~= nil)
end

--- A text, or what it has of parts as one.
local function text_of(content)
  if type(content) == "string" then return content end
  local texts = {}
  for _, part in ipairs(type(content) == "table" and content or {}) do
    texts[#texts + 1] = import.text(part, "text")
  end
  return table.concat(texts, "\n")
end

local function sum(used, ...)
  local total
  for _, name in ipairs { ... } do
    local count = import.amount(used, name)
    if count then total = (total or 0) + count end
  end
  return total
end

--- What a tool gave the model: the output of its response, or all that is there.
local function result_of(call)
  local results = import.list(call, "result")
  local response = import.table(results[1], "functionResponse", "response")
  local output = import.get(response, "output")
  if #results == 1 and output ~= nil then return output end
  return response or import.get(call, "result") or import.text(call, "resultDisplay") or ""
end

local function emit_answer(emit, message, n, at)
  local calls, used = {}, import.table(message, "tokens")
  for _, thought in ipairs(import.list(message, "thoughts")) do
    emit { kind = "thought", agent = agent, data = thought, source = n,
      at = import.time(import.text(thought, "timestamp")) or at }
  end
  for i, call in ipairs(import.list(message, "toolCalls")) do
    calls[i] = { id = import.text(call, "id"), type = "function", ["function"] = {
      name = import.text(call, "name") or "?", arguments = import.get(call, "args") or "{}",
    } }
  end
  local said = text_of(message.content)
  emit { kind = "model", agent = agent, source = n, at = at,
    message = { role = "assistant", content = said ~= "" and said or ck.null,
      tool_calls = #calls > 0 and calls or nil },
    input_tokens = sum(used, "input", "tool"), output_tokens = sum(used, "output", "thoughts") }
  for _, call in ipairs(import.list(message, "toolCalls")) do
    emit { kind = "tool_call", agent = agent, id = import.text(call, "id"), source = n, at = at,
      name = import.text(call, "name") or "?", arguments = import.get(call, "args") }
  end
  for _, call in ipairs(import.list(message, "toolCalls")) do
    local status = import.text(call, "status")
    emit { kind = "tool_result", agent = agent, id = import.text(call, "id"), source = n,
      at = import.time(import.text(call, "timestamp")) or at,
      name = import.text(call, "name"), content = result_of(call),
      error = status and status ~= "success" and status or nil }
  end
end

local function emit_message(emit, message, n)
  local kind, at = import.text(message, "type"), import.time(import.text(message, "timestamp"))
  if kind == "gemini" then
    emit_answer(emit, message, n, at)
  elseif kind == "user" then
    emit { kind = "message", agent = agent, source = n, at = at,
      message = { role = "user", content = text_of(message.content) } }
  else
    emit { kind = kind == "error" and "error" or "meta", agent = agent, name = kind, source = n,
      at = at, data = message }
  end
end

function gemini.import(source, emit)
  local document, why = source.document()
  if not document then error(why, 0) end
  local about = {}
  if not import.text(document, "sessionId") then return end
  for name, value in pairs(document) do
    if name ~= "messages" then about[name] = value end
  end
  emit { kind = "session", id = document.sessionId, about = about,
    at = import.time(import.text(document, "startTime")) }
  emit { kind = "agent", id = agent }
  for n, message in ipairs(import.list(document, "messages")) do emit_message(emit, message, n) end
  emit { kind = "end", status = "completed" }
end

return gemini
