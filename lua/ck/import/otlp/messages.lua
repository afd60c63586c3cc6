--- Messages of generative AI in spans, in each form that the conventions have had: attributes with
--- messages of parts (gen_ai.input.messages), events for each message (gen_ai.user.message), and
--- numbered attributes (gen_ai.prompt.0.role).
---
--- Each becomes { role =, texts =, parts =, calls =, results =, thoughts = }.

local import = require "ck.import"
local spans = require "ck.import.otlp.spans"

local messages = {}

--- One that says nothing so far.
function messages.new(role)
  return { role = role, texts = {}, parts = {}, calls = {}, results = {}, thoughts = {} }
end

local function add_text(message, text)
  message.texts[#message.texts + 1] = text
  message.parts[#message.parts + 1] = { type = "text", text = text }
end

local function add_call(message, id, name, arguments)
  message.calls[#message.calls + 1] = { id = id, name = name or "?", arguments = arguments }
end

-- ---- messages of parts ----

local function image_of(part)
  local url, content = import.text(part, "uri"), import.text(part, "content")
  local mime = import.text(part, "mime_type") or "image/png"
  if not url and content then url = ("data:%s;base64,%s"):format(mime, content) end
  local image = import.text(part, "modality") == "image" or mime:sub(1, 6) == "image/"
  return url and image and { type = "image_url", image_url = { url = url } } or part
end

local takes = {
  text = function(message, part) add_text(message, import.text(part, "content") or "") end,
  reasoning = function(message, part) message.thoughts[#message.thoughts + 1] = part end,
  refusal = function(message, part) message.refusal = import.text(part, "content") end,
  tool_call = function(message, part)
    add_call(message, import.text(part, "id"), import.text(part, "name"),
      import.get(part, "arguments"))
  end,
  tool_call_response = function(message, part)
    local response = import.get(part, "response")
    if response == nil then response = import.get(part, "result") end
    message.results[#message.results + 1] = { id = import.text(part, "id"), content = response }
  end,
}

local function of_parts(value)
  local message = messages.new(import.text(value, "role") or "user")
  for _, part in ipairs(import.list(value, "parts")) do
    local take = takes[import.text(part, "type") or ""]
    if take then take(message, part) else message.parts[#message.parts + 1] = image_of(part) end
  end
  return message
end

-- ---- messages as chat completions have them ----

local function add_content(message, content)
  if type(content) == "string" then return add_text(message, content) end
  for _, part in ipairs(import.list(content)) do
    local text = import.text(part, "text")
    if text then add_text(message, text) else message.parts[#message.parts + 1] = part end
  end
end

local function of_chat(value, role)
  local message = messages.new(import.text(value, "role") or role or "user")
  local content = import.get(value, "content")
  if message.role == "tool" or role == "tool" then
    message.results[1] = { content = content,
      id = import.text(value, "id") or import.text(value, "tool_call_id") }
    return message
  end
  add_content(message, content)
  for _, call in ipairs(import.list(spans.said(import.get(value, "tool_calls")))) do
    local name, arguments, id = import.call(call)
    add_call(message, id, name, arguments)
  end
  return message
end

local function append_all(into, value)
  value = spans.said(value)
  if type(value) ~= "table" then return end
  for _, each in ipairs(value) do
    into[#into + 1] = import.table(each, "parts") and of_parts(each) or of_chat(each)
  end
end

-- ---- numbered attributes ----

local function of_numbers(attributes, prefix)
  local calls, at = {}, prefix .. ".tool_calls."
  for i = 0, 255 do
    local name = attributes[at .. i .. ".name"]
    if name == nil then break end
    calls[#calls + 1] = { name = name, id = attributes[at .. i .. ".id"],
      arguments = attributes[at .. i .. ".arguments"] }
  end
  return of_chat { role = attributes[prefix .. ".role"], content = attributes[prefix .. ".content"],
    tool_call_id = attributes[prefix .. ".tool_call_id"], tool_calls = calls }
end

local function append_numbered(into, attributes, prefix)
  for i = 0, 9999 do
    local at = prefix .. "." .. i
    local there = attributes[at .. ".role"] or attributes[at .. ".content"]
      or attributes[at .. ".finish_reason"] or attributes[at .. ".tool_calls.0.name"]
    if there == nil then return end
    into[#into + 1] = of_numbers(attributes, at)
  end
end

-- ---- a span ----

local roles = { ["gen_ai.system.message"] = "system", ["gen_ai.user.message"] = "user",
  ["gen_ai.assistant.message"] = "assistant", ["gen_ai.tool.message"] = "tool" }

local function take_attributes(given, made, attributes)
  local instructions = spans.said(attributes["gen_ai.system_instructions"])
  if type(instructions) == "table" then
    given[#given + 1] = of_parts { role = "system", parts = instructions }
  elseif type(instructions) == "string" then
    given[#given + 1] = of_chat { role = "system", content = instructions }
  end
  append_all(given, attributes["gen_ai.input.messages"])
  append_all(made, attributes["gen_ai.output.messages"])
  append_all(given, attributes["gen_ai.prompt"])
  append_all(made, attributes["gen_ai.completion"])
  append_numbered(given, attributes, "gen_ai.prompt")
  append_numbered(made, attributes, "gen_ai.completion")
end

local function take_event(given, made, event)
  local role, body = roles[event.name], event.body
  if type(body) ~= "table" then body = event.attributes end
  if role then
    given[#given + 1] = of_chat(body, role)
  elseif event.name == "gen_ai.choice" then
    local said = spans.said(import.get(body, "message"))
    if type(said) ~= "table" then said = { content = said } end
    made[#made + 1] = of_chat(said, "assistant")
  else
    take_attributes(given, made, event.attributes)
    if event.body then take_attributes(given, made, body) end
  end
end

--- What a call was given and what it made, in order.
function messages.of(span)
  local given, made = {}, {}
  take_attributes(given, made, span.attributes)
  for _, event in ipairs(span.events) do take_event(given, made, event) end
  return given, made
end

--- As chat completions have it.
function messages.chat(message)
  local calls = {}
  for i, call in ipairs(message.calls) do
    calls[i] = { id = call.id, type = "function",
      ["function"] = { name = call.name, arguments = call.arguments or "{}" } }
  end
  local content = #message.texts > 0 and table.concat(message.texts, "\n") or nil
  if #message.parts > #message.texts then content = message.parts end
  return { role = message.role, content = content or (#calls > 0 and ck.null) or "",
    tool_calls = #calls > 0 and calls or nil, refusal = message.refusal }
end

--- What tells a message from others; two alike have the same.
function messages.key(message)
  local said = { message.role }
  for _, part in ipairs(message.parts) do
    said[#said + 1] = import.text(part, "text") or import.text(part, "image_url", "url") or "?"
  end
  for _, call in ipairs(message.calls) do
    said[#said + 1] = "\1" .. (call.id or "") .. "\1" .. call.name
  end
  for _, result in ipairs(message.results) do
    local content = result.content
    said[#said + 1] = "\2" .. (result.id or "") .. "\2"
      .. (type(content) == "table" and "?" or tostring(content))
  end
  return table.concat(said, "\0")
end

return messages
