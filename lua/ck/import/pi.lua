--- Sessions of the pi coding agent: JSONL, a header and then one entry a line, with times and
--- prices.

local import = require "ck.import"

local pi = { name = "pi" }
local agent = "pi"

--- A line that no other program writes.
local function is_own(line)
  local kind, role = import.text(line, "type"), import.text(line, "message", "role")
  if kind == "session" then return import.text(line, "cwd") ~= nil end
  return kind == "message"
    and (role == "toolResult" or import.table(line, "message", "usage", "cost") ~= nil)
end

function pi.detect(head)
  for _, line in ipairs(head.lines) do
    if is_own(line) then return true end
  end
  return false
end

local function emit_reply(emit, message, n, at)
  local used, stop = import.table(message, "usage"), import.text(message, "stopReason")
  local failed = (stop == "aborted" or stop == "error")
    and (import.text(message, "errorMessage") or stop) or nil
  emit { kind = "model", agent = agent, message = message, source = n, at = at, error = failed,
    cost = import.amount(used, "cost", "total"),
    input_tokens = import.sum(used, "input", "cacheRead", "cacheWrite"),
    output_tokens = import.amount(used, "output") }
  for _, block in ipairs(import.list(message, "content")) do
    if import.text(block, "type") == "toolCall" then
      emit { kind = "tool_call", agent = agent, id = import.text(block, "id"),
        name = import.text(block, "name") or "?",
        arguments = import.get(block, "arguments"), source = n, at = at }
    end
  end
  return stop
end

local function emit_message(emit, line, n, at)
  local message = line.message
  local role = import.text(message, "role")
  if role == "assistant" then
    return emit_reply(emit, message, n, at)
  elseif role == "toolResult" then
    emit { kind = "tool_result", agent = agent, id = import.text(message, "toolCallId"),
      name = import.text(message, "toolName"),
      content = import.get(message, "content"), error = import.get(message, "isError") == true
        or nil, source = n, at = at }
  elseif role == "user" then
    emit { kind = "message", agent = agent, message = message, source = n, at = at }
  else
    emit { kind = "meta", agent = agent, name = role, data = message, source = n, at = at }
  end
end

local note_kinds = {
  model_change = "state", thinking_level_change = "state", compaction = "compaction",
}

local function emit_line(emit, line, n)
  local kind, at = import.text(line, "type"), import.time(import.text(line, "timestamp"))
  if kind == "message" and import.table(line, "message") then
    return emit_message(emit, line, n, at)
  end
  emit {
    kind = note_kinds[kind] or "meta", agent = agent, name = kind, data = line, source = n, at = at,
  }
end

local function header_of(source)
  for _, line in source.lines() do
    if line then return import.text(line, "type") == "session" and line or nil end
  end
end

local ends = { aborted = "paused", error = "failed" }

function pi.import(source, emit)
  if not import.some(source, is_own) then return end
  local header = header_of(source)
  emit { kind = "session", id = import.text(header, "id") or import.id(source),
    at = import.time(import.text(header, "timestamp")), about = header }
  emit { kind = "agent", id = agent }
  local stop
  for n, line, problem in source.lines() do
    if line then stop = emit_line(emit, line, n) or stop else import.lost(emit, n, problem) end
  end
  emit { kind = "end", status = ends[stop] or "completed", reason = ends[stop] and stop or nil }
end

return pi
