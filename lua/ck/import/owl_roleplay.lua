--- OWL role playing: a list of exchanges; a user agent instructs, an assistant agent solves and
--- calls tools.

local import = require "ck.import"

local owl_roleplay = { name = "owl_roleplay" }

local function is_exchange(entry)
  return import.text(entry, "user") ~= nil and import.text(entry, "assistant") ~= nil
    and import.get(entry, "role") == nil
end

function owl_roleplay.detect(head)
  return is_exchange(import.list(head.document)[1])
end

local function emit_tool(emit, call, number, i)
  local id = ("call_%d_%d"):format(i, number)
  local name = import.text(call, "tool_name") or "?"
  emit {
    kind = "tool_call", agent = "assistant", id = id, name = name,
    arguments = import.get(call, "args"), source = i,
  }
  emit {
    kind = "tool_result", agent = "assistant", id = id, name = name,
    content = import.get(call, "result"), source = i,
  }
end

local function emit_entry(emit, entry, i)
  local said = { role = "user", content = entry.user }
  local solved = { role = "assistant", content = entry.assistant }
  emit {
    kind = "model", agent = "user", message = { role = "assistant", content = entry.user },
    source = i,
  }
  emit {
    kind = "delegation", agent = "user", target = "assistant", child = "assistant", message = said,
    source = i,
  }
  for number, call in ipairs(import.list(entry, "tool_calls")) do
    emit_tool(emit, call, number, i)
  end
  emit { kind = "model", agent = "assistant", message = solved, source = i }
  emit { kind = "delegation_result", agent = "user", child = "assistant", message = {
    role = "user", content = entry.assistant,
  },
    source = i }
end

function owl_roleplay.import(source, emit)
  local document = import.document(source)
  if not is_exchange(import.list(document)[1]) then return end
  emit { kind = "session", id = import.id(source) }
  emit { kind = "agent", id = "user", role = "instructs" }
  emit { kind = "agent", id = "assistant", parent = "user", role = "solves" }
  for i, entry in ipairs(document) do
    if is_exchange(entry) then
      emit_entry(emit, entry, i)
    else
      source.skip(i, "no exchange of user and assistant")
    end
  end
end

return owl_roleplay
