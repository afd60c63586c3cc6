--- Threads of LangGraph, from the SQLite file of its checkpointer: each checkpoint holds all
--- channels of the graph, and the writes of the tasks behind it. Rows come as lines.
---
--- A thread is a session. Messages are told once, as they come into a channel, or are written by a
--- task whose step did not end; of the other channels, what a checkpoint changed is its state.

local import = require "ck.import"
local tell = require "ck.import.langgraph.tell"
local values = require "ck.import.langgraph.values"

local langgraph = { name = "langgraph" }

local function is_row(line)
  return import.text(line, "table") ~= nil and import.text(line, "thread_id") ~= nil
    and import.text(line, "checkpoint_id") ~= nil
end

function langgraph.detect(head)
  return is_row(head.lines[1])
end

-- ---- agents ----

--- Of a part of a graph its node: "researcher" of "supervisor:7|researcher:9".
local function node_of(namespace)
  local rest = namespace
  local bar = rest:find("|", 1, true)
  while bar do
    rest = rest:sub(bar + 1)
    bar = rest:find("|", 1, true)
  end
  local colon = rest:find(":", 1, true)
  local name = colon and rest:sub(1, colon - 1) or rest
  return name ~= "" and name or "graph"
end

-- ---- checkpoints and writes ----

--- Channels by which the graph steers itself.
local function is_inner(channel)
  return channel:sub(1, 2) == "__" or channel:sub(1, 10) == "branch:to:"
end

local notes = { __error__ = "error", __interrupt__ = "meta", __resume__ = "meta" }

local function emit_write(run, write, of)
  local note, list = notes[write.channel], values.messages(write.value)
  local here = { agent = of.agent, namespace = of.namespace, at = of.at, n = write.n, task = true }
  if note then
    run.emit { kind = note, agent = of.agent, name = write.channel, data = write.value,
      source = write.n, at = of.at }
  elseif list and not is_inner(write.channel) then
    tell.messages(run, list, write.channel, here)
  end
end

--- What tasks wrote: messages that no checkpoint holds, errors, and what they asked before what was
--- answered.
local function emit_writes(run, key, of)
  local writes = run.writes[key] or {}
  for _, write in ipairs(writes) do
    if write.channel == "__interrupt__" then emit_write(run, write, of) end
  end
  for _, write in ipairs(writes) do
    if write.channel ~= "__interrupt__" then emit_write(run, write, of) end
  end
end

--- Of channels without messages those that changed, by the numbers of their versions.
local function changed(run, checkpoint, namespace)
  local held, before, now = nil, run.versions[namespace] or {}, {}
  for channel, value in pairs(import.list(checkpoint, "channel_values")) do
    local version = import.get(checkpoint, "channel_versions", channel) or 0
    now[channel] = version
    local inner = type(channel) ~= "string" or is_inner(channel)
    if before[channel] ~= version and not inner and not values.messages(value) then
      held = held or {}
      held[channel] = value
    end
  end
  run.versions[namespace] = now
  return held
end

local function emit_checkpoint(run, row, n)
  local checkpoint, namespace = row.checkpoint, import.text(row, "checkpoint_ns") or ""
  local of = { n = n, namespace = namespace, agent = node_of(namespace),
    at = import.time(import.text(checkpoint, "ts") or "") }
  tell.agent(run, of.agent, namespace ~= "" and "graph" or nil)
  for channel, value in pairs(import.list(checkpoint, "channel_values")) do
    local list = type(channel) == "string" and not is_inner(channel) and values.messages(value)
    if list then tell.messages(run, list, channel, of) end
  end
  local parent = import.text(row, "parent_checkpoint_id")
  if parent then emit_writes(run, namespace .. "\0" .. parent, of) end
  run.emit { kind = "state", agent = of.agent, source = n, at = of.at,
    name = import.text(row, "metadata", "source"),
    data = { step = import.get(row, "metadata", "step"),
      channels = changed(run, checkpoint, namespace) } }
  run.waiting[#run.waiting + 1] = { key = namespace .. "\0" .. row.checkpoint_id, of = of }
  if parent then run.gone[namespace .. "\0" .. parent] = true end
  if namespace == "" then run.last = row end
end

-- ---- a thread ----

--- What is written behind a checkpoint that nothing follows.
local function emit_rest(run)
  for _, waiting in ipairs(run.waiting) do
    if not run.gone[waiting.key] then emit_writes(run, waiting.key, waiting.of) end
  end
end

local function end_of(run)
  local written, failed = {}, nil
  local last = run.last
  for _, write in ipairs(last and run.writes["\0" .. last.checkpoint_id] or {}) do
    written[write.channel] = true
    if write.channel == "__error__" then failed = write.value end
  end
  local interrupted = written.__interrupt__ and not written.__resume__
  if failed ~= nil then return "failed", type(failed) == "string" and failed or "error" end
  if interrupted then return "paused", "interrupt" end
  for channel in pairs(import.list(last, "checkpoint", "channel_values")) do
    if type(channel) == "string" and channel:sub(1, 10) == "branch:to:" then
      return "paused", channel:sub(11) .. " is next"
    end
  end
  return "completed"
end

local function emit_thread(emit, thread)
  local run = { emit = emit, writes = thread.writes, known = {}, told = {}, counts = {},
    callers = {}, versions = {}, waiting = {}, gone = {} }
  local first = thread.rows[1]
  emit { kind = "session", id = thread.id, about = import.table(first.row, "metadata"),
    at = import.time(import.text(first.row, "checkpoint", "ts") or "") }
  for _, each in ipairs(thread.rows) do emit_checkpoint(run, each.row, each.n) end
  emit_rest(run)
  local status, reason = end_of(run)
  emit { kind = "end", status = status, reason = reason }
end

local function take_write(thread, row, n)
  local key = (import.text(row, "checkpoint_ns") or "") .. "\0" .. row.checkpoint_id
  thread.writes[key] = thread.writes[key] or {}
  table.insert(thread.writes[key], { n = n, channel = import.text(row, "channel") or "?",
    value = import.get(row, "value") })
end

local function take_checkpoint(thread, source, row, n)
  if import.table(row, "checkpoint", "channel_versions") then
    table.insert(thread.rows, { row = row, n = n })
  else
    source.skip(n, ("checkpoint %s is neither JSON nor MessagePack: '%s'")
      :format(row.checkpoint_id, import.text(row, "type") or "?"))
  end
end

--- Ids grow with time.
local function sort(rows)
  table.sort(rows, function(a, b)
    local one, other = a.row.checkpoint_id, b.row.checkpoint_id
    if one ~= other then return one < other end
    return a.n < b.n
  end)
end

function langgraph.import(source, emit)
  local threads, order = {}, {}
  for n, row, problem in source.lines() do
    if not is_row(row) then
      source.skip(n, problem or "no row of a checkpointer")
    else
      local id = row.thread_id
      if not threads[id] then
        threads[id] = { id = id, rows = {}, writes = {} }
        order[#order + 1] = threads[id]
      end
      if row.table == "checkpoints" then
        take_checkpoint(threads[id], source, row, n)
      else
        take_write(threads[id], row, n)
      end
    end
  end
  for _, thread in ipairs(order) do
    sort(thread.rows)
    if #thread.rows > 0 then emit_thread(emit, thread) end
  end
end

return langgraph
