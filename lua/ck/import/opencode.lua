--- Sessions of opencode, as `opencode export` writes them: one JSON document with messages of
--- parts; each step of an answer has its calls, their results, its tokens and its price.

local import = require "ck.import"

local opencode = { name = "opencode" }

function opencode.detect(head)
  local first = import.list(head.document, "messages")[1]
  return import.text(head.document, "info", "id") ~= nil
    and import.text(first, "info", "sessionID") ~= nil and import.table(first, "parts") ~= nil
end

--- What was read from a cache and written to one stands beside the input. What was thought stands
--- beside the output where a total is told; before that it was within.
local function tokens_of(used)
  local fresh = import.amount(used, "input")
  local cached = import.sum(import.table(used, "cache"), "read", "write")
  local written = import.amount(used, "total") and import.sum(used, "output", "reasoning")
    or import.amount(used, "output")
  return fresh and fresh + (cached or 0), written
end

local function agent_of(info)
  return import.text(info, "agent") or import.text(info, "mode") or "opencode"
end

local function time_of(value, name)
  return import.amount(value, "time", name)
end

-- ---- what people say ----

--- An image as the content parts of messages have it; nil for what is another file.
local function image_of(part)
  local url = import.text(part, "url")
  if not url or url:sub(1, 11) ~= "data:image/" then return nil end
  return { type = "image_url", image_url = { url = url } }
end

local function emit_user(emit, message, n)
  local agent, at = agent_of(message.info), time_of(message.info, "created")
  local texts, parts = {}, {}
  for _, part in ipairs(message.parts) do
    local text = import.text(part, "type") == "text" and import.text(part, "text")
    local image = image_of(part)
    if text and import.get(part, "ignored") ~= true then
      texts[#texts + 1], parts[#parts + 1] = text, { type = "text", text = text }
    elseif image then
      parts[#parts + 1] = image
    else
      emit { kind = "meta", agent = agent, name = import.text(part, "type"), source = n, at = at,
        data = part }
    end
  end
  emit { kind = "message", agent = agent, source = n, at = at,
    message = { role = "user", content = #parts > #texts and parts or table.concat(texts, "\n") } }
end

-- ---- what the model says ----

local function emit_results(emit, step, agent, n)
  for _, part in ipairs(step.calls) do
    local state = import.table(part, "state")
    local status, failed = import.text(state, "status"), import.text(state, "error")
    if status == "completed" or status == "error" then
      emit { kind = "tool_result", agent = agent, id = import.text(part, "callID"), source = n,
        name = import.text(part, "tool"), at = time_of(state, "end"),
        content = status == "error" and (failed or "") or import.get(state, "output") or "",
        error = status == "error" and (failed or true) or nil }
    end
  end
end

--- A step without words and calls was cut off before the model said anything.
local function emit_step(emit, step, info, n)
  local agent, calls = agent_of(info), {}
  local input, output = tokens_of(step.tokens)
  local at = step.at or time_of(info, "created")
  for i, part in ipairs(step.calls) do
    calls[i] = { id = import.text(part, "callID"), type = "function", ["function"] = {
      name = import.text(part, "tool") or "?",
      arguments = import.get(part, "state", "input") or "{}",
    } }
  end
  emit { kind = "model", agent = agent, source = n, at = at, error = step.error,
    message = { role = "assistant", tool_calls = #calls > 0 and calls or nil,
      content = #step.texts > 0 and table.concat(step.texts, "\n") or ck.null },
    cost = step.cost, input_tokens = input, output_tokens = output }
  for i, part in ipairs(step.calls) do
    emit { kind = "tool_call", agent = agent, id = calls[i].id, source = n, at = at,
      name = calls[i]["function"].name, arguments = import.get(part, "state", "input") }
  end
  emit_results(emit, step, agent, n)
end

local function new_step()
  return { texts = {}, calls = {} }
end

local takes = {
  text = function(step, part)
    step.texts[#step.texts + 1] = import.text(part, "text")
    step.at = step.at or time_of(part, "end")
  end,
  tool = function(step, part)
    step.calls[#step.calls + 1] = part
    step.at = time_of(import.table(part, "state"), "start") or step.at
  end,
}

local function error_of(info)
  if not import.table(info, "error") then return nil end
  return import.text(info, "error", "data", "message") or import.text(info, "error", "name") or true
end

--- Whether anything of a step is left behind the last one that ended.
local function is_begun(step)
  return #step.texts > 0 or #step.calls > 0
end

local function emit_answer(emit, message, n)
  local info, step, steps = message.info, new_step(), 0
  for _, part in ipairs(message.parts) do
    local kind = import.text(part, "type")
    local take = kind and takes[kind]
    if take then
      take(step, part)
    elseif kind == "step-finish" then
      step.cost, step.tokens = import.amount(part, "cost"), import.table(part, "tokens")
      emit_step(emit, step, info, n)
      step, steps = new_step(), steps + 1
    else
      local note = kind == "reasoning" and "thought" or kind == "compaction" and kind or "meta"
      emit { kind = note, agent = agent_of(info), name = kind, data = part, source = n,
        at = time_of(part, "start") or time_of(info, "created") }
    end
  end
  step.error = error_of(info)
  if steps == 0 then
    step.cost, step.tokens = import.amount(info, "cost"), import.table(info, "tokens")
  end
  if steps == 0 or is_begun(step) or step.error then emit_step(emit, step, info, n) end
end

-- ---- the session ----

local function emit_message(emit, message, n)
  local role = import.text(message, "info", "role")
  local known = import.table(message, "parts")
  if known and role == "user" then return emit_user(emit, message, n) end
  if known and role == "assistant" then return emit_answer(emit, message, n) end
  import.lost(emit, n, "no message of a user or an assistant, with parts")
end

local function end_of(messages)
  local name = import.text(messages[#messages], "info", "error", "name")
  if not name then return "completed" end
  return name == "MessageAbortedError" and "paused" or "failed", name
end

function opencode.import(source, emit)
  local document = import.document(source)
  local info, messages = import.table(document, "info"), import.list(document, "messages")
  local known = {}
  if not import.text(info, "id") then return end
  emit { kind = "session", id = info.id, about = info, at = time_of(info, "created") }
  for _, message in ipairs(messages) do
    local agent = agent_of(import.table(message, "info"))
    if not known[agent] then emit { kind = "agent", id = agent } end
    known[agent] = true
  end
  for n, message in ipairs(messages) do emit_message(emit, message, n) end
  local status, reason = end_of(messages)
  emit { kind = "end", status = status, reason = reason }
end

return opencode
