--- Sessions of the Codex agent: JSONL, "rollouts", a header and then one item a line, with times
--- and tokens; in older ones an item is the line itself.
---
--- What a model answers is several lines: reasoning, a message, calls. They are one reply, up to
--- the next line that no model wrote; its tokens come in a line behind it.

local import = require "ck.import"

local codex = { name = "codex" }
local agent = "codex"

local items = {
  message = true, reasoning = true, function_call = true, function_call_output = true,
  custom_tool_call = true, custom_tool_call_output = true, local_shell_call = true,
}

--- The item of a line, nil when it has none.
local function item_of(line)
  local kind = import.text(line, "type")
  if kind == "response_item" then return import.table(line, "payload") end
  return items[kind] and line or nil
end

local function is_header(line)
  return import.text(line, "type") == "session_meta" and import.text(line, "payload", "id") ~= nil
end

--- A line that no other program writes.
local function is_own(line)
  local kind = import.text(line, "type")
  if is_header(line) or (kind == "response_item" and import.table(line, "payload")) then
    return true
  end
  return not kind and import.text(line, "id") and import.text(line, "timestamp")
    and import.get(line, "instructions") ~= nil
end

function codex.detect(head)
  for _, line in ipairs(head.lines) do
    if is_own(line) then return true end
  end
  return false
end

--- A message as chat completions have it.
local function part_of(block)
  local text, url = import.text(block, "text"), import.text(block, "image_url")
  if text then return { type = "text", text = text } end
  if url then return { type = "image_url", image_url = { url = url } } end
  return block
end

--- Of several items one text, or, where there is anything else, the parts of all.
local function content_of(list)
  local texts, parts = {}, {}
  for _, item in ipairs(list) do
    local said = import.text(item, "content")
    for _, block in ipairs(said and { { text = said } } or import.list(item, "content")) do
      local part = part_of(block)
      parts[#parts + 1] = part
      if import.text(part, "type") == "text" and import.text(part, "text") then
        texts[#texts + 1] = part.text
      end
    end
  end
  return #texts == #parts and table.concat(texts, "\n") or parts
end

local call_kinds = { function_call = true, custom_tool_call = true, local_shell_call = true }

local function call_of(item)
  local kind = import.text(item, "type")
  local name = import.text(item, "name") or (kind == "local_shell_call" and "local_shell") or "?"
  local arguments = import.get(item, "arguments") or import.get(item, "input")
    or import.get(item, "action")
  return name, arguments, import.text(item, "call_id") or import.text(item, "id")
end

--- The replies of the model, by the line that they begin at.
local function replies_of(source)
  local replies, open, last, total = {}, nil, nil, nil
  for n, line in source.lines() do
    local item = line and item_of(line)
    local kind = import.text(item, "type")
    local said = call_kinds[kind] or kind == "reasoning"
      or (kind == "message" and import.text(item, "role") == "assistant")
    if said and not open then
      open = { lines = {}, items = {}, at = import.time(import.text(line, "timestamp")) }
      replies[n], last = open, open
    end
    if said then
      open.lines[#open.lines + 1], open.items[#open.items + 1] = n, item
      open.done = n
    elseif item then
      open = nil
    end
    local info = import.text(line, "payload", "type") == "token_count"
      and import.table(line, "payload", "info")
    local sum = info and import.amount(info, "total_token_usage", "total_tokens")
    if info and last and not last.used and sum ~= total then
      last.used, total, open = import.table(info, "last_token_usage"), sum, nil
    end
  end
  return replies
end

local function emit_reply(emit, reply)
  local messages, calls = {}, {}
  for i, item in ipairs(reply.items) do
    local kind = import.text(item, "type")
    if kind == "message" then messages[#messages + 1] = item end
    if kind == "reasoning" then
      emit { kind = "thought", agent = agent, data = item, source = reply.lines[i], at = reply.at }
    end
    if call_kinds[kind] then
      local name, arguments, id = call_of(item)
      calls[#calls + 1] = { id = id, type = "function",
        ["function"] = { name = name, arguments = arguments or "{}" } }
    end
  end
  local said = #messages > 0 and content_of(messages) or nil
  emit { kind = "model", agent = agent, source = reply.lines, at = reply.at,
    message = { role = "assistant", content = said or ck.null,
      tool_calls = #calls > 0 and calls or nil },
    input_tokens = import.amount(reply.used, "input_tokens"),
    output_tokens = import.amount(reply.used, "output_tokens") }
  for i, item in ipairs(reply.items) do
    if call_kinds[import.text(item, "type")] then
      local name, arguments, id = call_of(item)
      emit { kind = "tool_call", agent = agent, id = id, name = name, arguments = arguments,
        source = reply.lines[i], at = reply.at }
    end
  end
end

local function emit_result(emit, item, n, at)
  local output = import.get(item, "output")
  local content = import.get(output, "content")
  if content == nil then content = output end
  emit { kind = "tool_result", agent = agent, id = import.text(item, "call_id"), content = content,
    error = import.get(output, "success") == false or nil, source = n, at = at }
end

local note_kinds = { turn_context = "state", compacted = "compaction" }

--- A line that no model wrote.
local function emit_line(emit, line, n)
  local item, at = item_of(line), import.time(import.text(line, "timestamp"))
  local kind = import.text(item, "type")
  if kind == "message" then
    emit { kind = "message", agent = agent, source = n, at = at,
      message = { role = import.text(item, "role") or "user", content = content_of { item } } }
  elseif kind == "function_call_output" or kind == "custom_tool_call_output" then
    emit_result(emit, item, n, at)
  else
    local name = import.text(line, "type")
    emit { kind = note_kinds[name] or "meta", agent = agent, source = n, at = at, data = line,
      name = import.text(line, "payload", "type") or name }
  end
end

local function header_of(source)
  for _, line in source.lines() do
    local old = line and import.text(line, "id") and not import.text(line, "type")
    if line and (old or is_header(line)) then return line end
  end
end

function codex.import(source, emit)
  if not import.some(source, is_own) then return end
  local header, replies, inside = header_of(source), replies_of(source), {}
  local about = import.table(header, "payload") or header
  emit { kind = "session", at = import.time(import.text(header, "timestamp")), about = about,
    id = import.text(about, "id") or import.id(source) }
  emit { kind = "agent", id = agent }
  for _, reply in pairs(replies) do
    for _, n in ipairs(reply.lines) do inside[n] = true end
  end
  local stop
  for n, line, problem in source.lines() do
    if replies[n] then emit_reply(emit, replies[n]) end
    if not line then
      import.lost(emit, n, problem)
    elseif not inside[n] then
      local event = import.text(line, "payload", "type")
      if event == "turn_aborted" then stop = event elseif item_of(line) then stop = nil end
      emit_line(emit, line, n)
    end
  end
  emit { kind = "end", status = stop and "paused" or "completed", reason = stop }
end

return codex
