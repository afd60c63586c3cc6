--- Values of LangGraph as it keeps them in checkpoints: of Python as MessagePack, of JavaScript and
--- of older versions as JSON, where objects are told by the class that makes them.

local import = require "ck.import"

local values = {}

--- The name of an object's class and what it is made of; nil for a plain value.
function values.object(value)
  if import.text(value, "type") == "constructor" then
    local id = import.list(value, "id")
    return import.text(id, #id), import.table(value, "kwargs")
  end
  local packed = import.get(value, "$ext") and import.table(value, "value")
  if packed then return import.text(packed, 2), import.table(packed, 3) end
end

--- What a channel holds; newer versions wrap the sum of what was written to it.
function values.channel(value)
  if import.get(value, "$ext") == 7 then return import.get(value, "value") end
  return value
end

-- ---- messages ----

local roles = { Human = "user", AI = "assistant", System = "system", Tool = "tool",
  Function = "tool", human = "user", ai = "assistant", user = "user", assistant = "assistant",
  system = "system", tool = "tool", developer = "system" }

local function class_role(class, fields)
  local name = class:find("MessageChunk", 1, true) or class:find("Message", 1, true)
  if not name then return nil end
  return roles[class:sub(1, name - 1)]
    or (class:sub(1, 4) == "Chat" and roles[import.text(fields, "role") or ""]) or nil
end

--- The role and the fields of a message; nil for another value.
function values.message(value)
  local class, fields = values.object(value)
  if class and fields then
    local role = class_role(class, fields)
    if role then return role, fields end
    return nil
  end
  local role = roles[import.text(value, "role") or import.text(value, "type") or ""]
  if role and import.get(value, "content") ~= nil then return role, value end
end

local function part_of(block)
  local text = type(block) == "string" and block or import.text(block, "text")
  if text then return { type = "text", text = text } end
  local url = import.get(block, "image_url")
  url = type(url) == "string" and url or import.text(url, "url")
  local data = import.text(block, "base64") or import.text(block, "data")
    or import.text(block, "source", "data")
  local mime = import.text(block, "mime_type") or import.text(block, "source", "media_type")
  if not url and data and import.text(block, "type") == "image" then
    url = ("data:%s;base64,%s"):format(mime or "image/png", data)
  end
  return url and { type = "image_url", image_url = { url = url } } or nil
end

local thoughts = { thinking = true, reasoning = true, redacted_thinking = true }

--- What is said, as chat completions have it, and the blocks of thoughts. Calls stand beside it.
function values.content(fields)
  local content, texts, parts, thought = import.get(fields, "content"), {}, {}, {}
  if type(content) ~= "table" then return content, thought end
  for _, block in ipairs(content) do
    local part = part_of(block)
    parts[#parts + 1] = part
    texts[#texts + 1] = part and part.text
    if thoughts[import.text(block, "type") or ""] then thought[#thought + 1] = block end
  end
  return #parts > #texts and parts or table.concat(texts, "\n"), thought
end

--- Its calls, those with arguments that are no JSON among them.
function values.calls(fields)
  local calls = {}
  for _, name in ipairs { "tool_calls", "invalid_tool_calls" } do
    for _, call in ipairs(import.list(fields, name)) do
      local arguments = import.get(call, "args")
      calls[#calls + 1] = { id = import.text(call, "id"), name = import.text(call, "name") or "?",
        arguments = arguments == nil and "{}" or arguments }
    end
  end
  return calls
end

--- What it was read and written for, and its price: nil where nobody tells.
function values.usage(fields)
  local used = import.table(fields, "usage_metadata")
  local told = import.table(fields, "response_metadata", "token_usage")
    or import.table(fields, "response_metadata", "tokenUsage")
  return import.amount(used, "input_tokens") or import.amount(told, "prompt_tokens")
    or import.amount(told, "promptTokens"),
    import.amount(used, "output_tokens") or import.amount(told, "completion_tokens")
    or import.amount(told, "completionTokens"), import.amount(told, "cost")
end

--- The messages of a channel or of what is written to one: a list of them, or one alone.
function values.messages(value)
  value = values.channel(value)
  if values.message(value) then return { value } end
  local first = import.list(value)[1]
  return first ~= nil and values.message(first) and value or nil
end

return values
