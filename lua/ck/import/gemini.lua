--- Sessions of the Gemini CLI: messages, each answer with its thoughts, calls, their results and
--- tokens; one JSON document, or, of newer versions, a line for each change.

local import = require "ck.import"

local gemini = { name = "gemini" }
local agent = "gemini"

local function is_session(value)
  return import.text(value, "sessionId") ~= nil
    and (import.text(value, "projectHash") ~= nil or import.text(value, "startTime") ~= nil)
end

function gemini.detect(head)
  local document, line = head.document, head.lines[1]
  return is_session(document) and import.table(document, "messages") ~= nil
    or is_session(line) and import.text(line, "projectHash") ~= nil
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
    input_tokens = import.sum(used, "input", "tool"),
    output_tokens = import.sum(used, "output", "thoughts") }
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

-- ---- a line for each change ----

--- A message is written anew each time that it has more: its last form counts, in its first place.
local function put_message(run, message, n)
  local id = import.text(message, "id")
  local entry = id and run.known[id]
  if not entry then
    entry = { sources = {} }
    run.list[#run.list + 1] = entry
    if id then run.known[id] = entry end
  end
  entry.message = message
  entry.sources[#entry.sources + 1] = n
end

local function set(run, values)
  for name, value in pairs(values) do
    if name ~= "messages" then run.about[name] = value end
  end
end

--- What it leaves behind was said all the same and stays, but is not what is written anew later.
local function rewind(run, to)
  local found = run.known[to] == nil
  for _, entry in ipairs(run.list) do
    local id = import.text(entry.message, "id")
    found = found or id == to
    if found and id then run.known[id] = nil end
  end
end

local function take_line(run, line, n)
  if import.text(line, "$rewindTo") then
    rewind(run, line["$rewindTo"])
    run.list[#run.list + 1] = { note = "rewind", message = line, sources = { n } }
  elseif import.table(line, "$set") then
    set(run, line["$set"])
    for _, message in ipairs(import.list(line, "$set", "messages")) do
      if not run.known[import.text(message, "id") or ""] then put_message(run, message, n) end
    end
  elseif import.text(line, "id") then
    put_message(run, line, n)
  elseif is_session(line) then
    set(run, line)
  else
    run.list[#run.list + 1] = { note = "unknown", message = line, sources = { n } }
  end
end

local function read_lines(source)
  local run = { about = {}, list = {}, known = {} }
  for n, line, problem in source.lines() do
    if line then
      take_line(run, line, n)
    else
      run.list[#run.list + 1] = { lost = problem, sources = { n } }
    end
  end
  return run
end

local function read_document(document)
  local run = { about = {}, list = {} }
  set(run, document)
  for n, message in ipairs(import.list(document, "messages")) do
    run.list[n] = { message = message, sources = { n } }
  end
  return run
end

local function emit_entry(emit, entry)
  local from = #entry.sources == 1 and entry.sources[1] or entry.sources
  if entry.lost then return import.lost(emit, from, entry.lost) end
  if entry.note then
    emit { kind = entry.note == "rewind" and "state" or "meta", agent = agent, name = entry.note,
      data = entry.message, source = from }
    return
  end
  emit_message(emit, entry.message, from)
end

function gemini.import(source, emit)
  local document = source.document()
  local whole = import.table(document, "messages") ~= nil
  local run = whole and read_document(document) or read_lines(source)
  if not import.text(run.about, "sessionId") then return end
  emit { kind = "session", id = run.about.sessionId, about = run.about,
    at = import.time(import.text(run.about, "startTime")) }
  emit { kind = "agent", id = agent }
  for _, entry in ipairs(run.list) do emit_entry(emit, entry) end
  emit { kind = "end", status = "completed" }
end

return gemini
