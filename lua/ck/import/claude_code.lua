--- Claude Code's session files: JSONL, one line per event, with sub-agents in the same file or in
--- files of their own.

local import = require "ck.import"
local lines = require "ck.import.claude_code.lines"

local claude_code = { name = "claude_code" }
local main = "main"

local types = { user = true, assistant = true, system = true, progress = true }

local function is_own(line)
  return import.text(line, "sessionId") ~= nil and types[import.text(line, "type") or ""] ~= nil
end

function claude_code.detect(head)
  for _, line in ipairs(head.lines) do
    if is_own(line) then return true end
  end
  return false
end

local function message_of(reply)
  local last = reply[#reply].line.message
  if #reply == 1 then return last end
  local whole, content = {}, ck.array {}
  for name, value in pairs(last) do whole[name] = value end
  for _, entry in ipairs(reply) do
    for _, block in ipairs(import.list(entry.line, "message", "content")) do
      content[#content + 1] = block
    end
  end
  whole.content = content
  return whole
end

local function sources_of(reply)
  if #reply == 1 then return reply[1].source end
  local list = {}
  for i, entry in ipairs(reply) do list[i] = entry.source end
  return list
end

local function emit_call(run, emit, entry, block)
  local id = import.text(block, "id")
  local fact = { agent = entry.agent, id = id, source = entry.source, at = entry.at }
  if id then run.open[id] = true end
  if lines.is_delegation(block) then
    local child, role = id and run.children[id], import.text(block, "input", "subagent_type")
    if child then emit { kind = "agent", id = child, parent = entry.agent, role = role } end
    fact.kind, fact.target, fact.child = "delegation", child or role or "?", child
    fact.message = { role = "user", content = block.input.prompt }
    if id then run.delegated = run.delegated or {} run.delegated[id] = true end
  else
    fact.kind, fact.name = "tool_call", import.text(block, "name") or "?"
    fact.arguments = import.get(block, "input")
  end
  emit(fact)
end

local function emit_reply(run, emit, entry)
  local reply = entry.reply or { entry }
  if reply[1] == entry then
    local last = reply[#reply].line.message
    local input = 0
    for _, name in ipairs {
      "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
    } do
      input = input + (import.amount(last, "usage", name) or 0)
    end
    emit { kind = "model", agent = entry.agent, message = message_of(reply),
      source = sources_of(reply), at = entry.at,
      input_tokens = input, output_tokens = import.amount(last, "usage", "output_tokens"),
      error = import.get(entry.line, "isApiErrorMessage") == true or nil }
  end
  for _, block in ipairs(import.list(entry.line, "message", "content")) do
    if import.text(block, "type") == "tool_use" then emit_call(run, emit, entry, block) end
  end
end

local function emit_result(run, emit, entry, block)
  local id = import.text(block, "tool_use_id")
  local fact = { kind = "tool_result", agent = entry.agent, id = id,
    content = import.get(block, "content"), source = entry.source,
    at = entry.at, error = import.get(block, "is_error") == true or nil }
  if id then run.open[id] = nil end
  if id and run.delegated and run.delegated[id] then
    fact.kind, fact.child = "delegation_result", run.children[id]
  end
  emit(fact)
end

local function emit_user(run, emit, entry)
  local message, rest = entry.line.message, ck.array {}
  local content = import.list(message, "content")
  for _, block in ipairs(content) do
    if import.text(block, "type") == "tool_result" then
      emit_result(run, emit, entry, block)
    else
      rest[#rest + 1] = block
    end
  end
  local text = #rest == 1 and import.text(rest[1], "text") or import.text(message, "content") or ""
  run.interrupted = entry.agent == main and text:find("[Request interrupted by user", 1, true) == 1
  if #content > 0 and #rest == 0 then return end
  if #rest < #content then message = { role = "user", content = rest } end
  emit {
    kind = "message", agent = entry.agent, message = message, source = entry.source, at = entry.at,
  }
end

local function emit_entry(run, emit, entry)
  if entry.problem then return import.lost(emit, entry.source, entry.problem) end
  local kind = import.text(entry.line, "type")
  local has_message = import.table(entry.line, "message") ~= nil
  if entry.agent ~= main then emit { kind = "agent", id = entry.agent, parent = main } end
  if kind == "assistant" and has_message then return emit_reply(run, emit, entry) end
  if kind == "user" and has_message then return emit_user(run, emit, entry) end
  local name = import.text(entry.line, "subtype") or import.text(entry.line, "data", "type") or kind
  emit { kind = name == "compact_boundary" and "compaction" or "meta", agent = entry.agent,
    name = name, data = entry.line,
    source = entry.source, at = entry.at }
end

--- Lines of the parts that are not later than `at`, or all of those of one agent.
local function flush(run, emit, at, agent)
  for _, part in ipairs(run.parts) do
    local entry = part[part.next]
    while entry and (part.agent == agent or (at and (entry.at or 0) <= at)) do
      emit_entry(run, emit, entry)
      part.next = part.next + 1
      entry = part[part.next]
    end
  end
end

local function first(run, key)
  for _, entry in ipairs(run.list) do
    local value = key(entry)
    if value then return value end
  end
end

function claude_code.import(source, emit)
  if not import.some(source, is_own) then return end
  local run = lines.read(source)
  local id = first(run, function(entry) return import.text(entry.line, "sessionId") end)
  if not id then return end
  local lone = first(run, function(entry)
    return import.text(entry.line, "type") and entry.agent
  end)
  local whole_id = lone and lone ~= main and import.get(run.list[1], "line", "agentId")
    and id .. "/" .. lone or id
  emit { kind = "session", id = whole_id, at = first(run, function(entry) return entry.at end) }
  emit { kind = "agent", id = main }
  for _, entry in ipairs(run.list) do
    local result = import.text(import.list(entry.line, "message", "content")[1], "tool_use_id")
    if entry.at then flush(run, emit, entry.at) end
    if result and run.children[result] then flush(run, emit, nil, run.children[result]) end
    emit_entry(run, emit, entry)
  end
  flush(run, emit, math.huge)
  local waiting = next(run.open) ~= nil
  local reason = run.interrupted and "interrupted by the user"
    or waiting and "it ends within a call" or nil
  emit { kind = "end", status = reason and "paused" or "completed", reason = reason }
end

return claude_code
