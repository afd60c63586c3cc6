--- Conversations in OpenAI's chat shape: a list of messages, an object with `messages`, or one of
--- either on each line.

local import = require "ck.import"

local openai = { name = "openai" }

--- Fields by which programs identify a conversation; together they are its id.
local id_fields = {
  "id", "session_id", "conversation_id", "suite_name", "user_task_id", "injection_task_id",
  "pipeline_name",
}

function openai.detect(head)
  local document, line = head.document, head.lines[1]
  return import.is_chat(document) or import.is_chat(import.get(document, "messages"))
    or import.is_chat { line }
    or import.is_chat(import.get(line, "messages")) or import.is_chat(line)
end

local function id_of(document, source, n)
  local parts = {}
  for _, name in ipairs(id_fields) do parts[#parts + 1] = import.text(document, name) end
  if #parts > 0 then return table.concat(parts, "/") end
  return ("%s@%s#%d"):format(source.stem, source.digest, n)
end

local function about(document)
  local kept = {}
  for name, value in pairs(document) do
    if name ~= "messages" then kept[name] = value end
  end
  return kept
end

local function emit_conversation(emit, source, document, n)
  local messages = import.table(document, "messages")
  emit {
    kind = "session", id = id_of(document, source, n), about = messages and about(document) or nil,
  }
  local agent = import.text(document, "agent") or "assistant"
  -- A conversation that ckrun has exported is of one agent, and what it was told is its own.
  import.chat(emit, messages or document, agent, import.text(document, "scope") and agent or "user")
end

--- One message on each line: one conversation.
local function emit_lines(emit, source)
  local messages, numbers = {}, {}
  emit { kind = "session", id = ("%s@%s"):format(source.stem, source.digest) }
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

function openai.import(source, emit)
  local document = source.document()
  if import.is_chat(document) or import.is_chat(import.get(document, "messages")) then
    emit_conversation(emit, source, document, 1)
    return
  end
  for _, line in source.lines() do
    if import.is_chat { line } then
      emit_lines(emit, source)
      return
    elseif line then
      break
    end
  end
  for n, line in source.lines() do
    local is_chat = import.is_chat(line) or import.is_chat(import.get(line, "messages"))
    if is_chat then
      emit_conversation(emit, source, line, n)
    elseif line ~= nil then
      source.skip(n, "no conversation")
    end
  end
end

return openai
