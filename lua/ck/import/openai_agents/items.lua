--- Items of OpenAI's Responses API as the Agents SDK keeps them: messages, calls, results,
--- reasoning.

local import = require "ck.import"

local items = {}

--- The value under the first of two names that is there.
function items.either(value, one, other)
  local found = import.get(value, one)
  if found == nil then found = import.get(value, other) end
  return found
end

function items.call_id(raw)
  return import.text(items.either(raw, "call_id", "callId"))
end

local function ends_with(text, ending)
  return text:sub(-#ending) == ending
end

--- Whether it is what a call came to.
function items.is_result(raw)
  local kind = import.text(raw, "type") or ""
  return ends_with(kind, "_call_output") or ends_with(kind, "_call_result")
end

local function is_call(raw)
  return ends_with(import.text(raw, "type") or "", "_call")
end

-- ---- messages ----

local function url_of(block)
  local image = import.get(block, "image_url") or import.get(block, "imageUrl")
    or import.get(block, "image")
  return type(image) == "string" and image or import.text(image, "url")
end

local function part_of(block)
  local text, url = import.text(block, "text") or import.text(block, "refusal"), url_of(block)
  if text then return { type = "text", text = text } end
  if url then return { type = "image_url", image_url = { url = url } } end
  return block
end

--- As messages of chat completions have it: a text, or parts when there is more in it.
local function content_of(content)
  if type(content) ~= "table" then return content end
  local texts, parts, plain = {}, {}, true
  for i, block in ipairs(content) do
    parts[i] = part_of(block)
    plain = plain and type(parts[i].text) == "string"
    texts[i] = parts[i].text
  end
  return plain and table.concat(texts, "\n") or parts
end

function items.text_of(raw)
  local content = content_of(import.get(raw, "content"))
  return type(content) == "string" and content or nil
end

--- False: it is no message of people or of the program.
function items.emit_message(emit, raw, of)
  local role = import.text(raw, "role")
  if not role or role == "assistant" then return false end
  emit { kind = "message", agent = of.agent, source = of.source,
    message = { role = role, content = content_of(import.get(raw, "content")) or "" } }
  return true
end

-- ---- what a model answers ----

local function name_of(raw)
  local kind = import.text(raw, "type")
  return import.text(raw, "name") or kind:sub(1, -#"_call" - 1)
end

local function arguments_of(raw)
  for _, name in ipairs { "arguments", "input", "action", "operation", "queries", "code" } do
    local value = import.get(raw, name)
    if value ~= nil then return value end
  end
  return "{}"
end

--- A tool that the provider runs has its result with the call.
local function emit_hosted(emit, raw, of)
  local output = import.get(raw, "output") or import.get(raw, "outputs")
    or import.get(raw, "results")
  local failed = import.text(raw, "error") or (import.text(raw, "status") == "failed" or nil)
  emit { kind = "tool_result", agent = of.agent, id = import.text(raw, "id"), name = name_of(raw),
    source = of.source, content = output or "", error = failed }
end

local function emit_calls(emit, calls, of)
  for _, raw in ipairs(calls) do
    local id = items.call_id(raw)
    emit { kind = "tool_call", agent = of.agent, id = id or import.text(raw, "id"),
      name = name_of(raw), arguments = arguments_of(raw), source = of.source }
    local pending = import.text(raw, "status") == "in_progress"
    if not id and not pending then emit_hosted(emit, raw, of) end
  end
end

local function call_of(raw)
  return { id = items.call_id(raw) or import.text(raw, "id"), type = "function",
    ["function"] = { name = name_of(raw), arguments = arguments_of(raw) } }
end

--- One answer of a model: its texts and calls; what else it has is told before. False: nothing of
--- it is a model's.
function items.emit_reply(emit, raws, of)
  local texts, calls, told, others = {}, {}, {}, 0
  for _, raw in ipairs(raws) do
    local kind = import.text(raw, "type")
    local message = kind == "message" or import.text(raw, "role") == "assistant"
    if message then
      texts[#texts + 1] = items.text_of(raw) or ck.null
    elseif is_call(raw) then
      calls[#calls + 1], told[#told + 1] = raw, call_of(raw)
    elseif kind == "reasoning" then
      emit { kind = "thought", agent = of.agent, data = raw, source = of.source }
    else
      others = others + 1
    end
  end
  if #raws > 0 and others == #raws then return false end
  local said = {}
  for _, text in ipairs(texts) do
    if type(text) == "string" then said[#said + 1] = text end
  end
  emit { kind = "model", agent = of.agent, source = of.source,
    message = { role = "assistant", content = #said > 0 and table.concat(said, "\n") or ck.null,
      tool_calls = #told > 0 and told or nil },
    input_tokens = of.input_tokens, output_tokens = of.output_tokens }
  emit_calls(emit, calls, of)
  return true
end

-- ---- what a call came to ----

local function output_of(raw, told)
  local output = import.get(raw, "output")
  local text = import.text(output, "text")
  if text then return text end
  if output == nil then output = told end
  if output == nil then return "" end
  return type(output) == "table" and #output > 0 and content_of(output) or output
end

function items.emit_result(emit, raw, of)
  local status = import.text(raw, "status")
  emit { kind = "tool_result", agent = of.agent, source = of.source,
    id = items.call_id(raw) or import.text(raw, "id"), name = import.text(raw, "name"),
    content = output_of(raw, of.output), error = status == "failed" or status == "incomplete"
      or nil }
end

return items
