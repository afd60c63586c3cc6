--- The events of one run of OpenHands: actions, and the observations that they caused.

local import = require "ck.import"

local events = {}
local agent = "openhands"

local function is_event(value)
  return import.number(value, "id") ~= nil and import.text(value, "source") ~= nil
    and (import.text(value, "action") ~= nil or import.text(value, "observation") ~= nil)
end

--- True of a list of events, or of pairs of them, as older evaluations keep them.
function events.is_history(list)
  local first = import.list(list)[1]
  return is_event(first) or is_event(import.list(first)[1])
end

--- What is neither an event nor a list of them is told as it is.
local function flat(history)
  local list = {}
  for n, entry in ipairs(history) do
    local several = not is_event(entry) and #import.list(entry) > 0
    for _, event in ipairs(several and entry or { entry }) do
      list[#list + 1] = { event = event, n = n }
    end
  end
  return list
end

local function time_of(event) return import.time(import.text(event, "timestamp")) end

function events.start_of(history)
  local first = flat(history)[1]
  return first and time_of(first.event)
end

-- ---- actions ----

--- One answer of the model may have several calls: it is told once.
local function emit_answer(run, emit, event, n, at)
  local response = import.table(event, "tool_call_metadata", "model_response")
  local id = import.text(response, "id")
  if id and run.answered[id] then return end
  if id then run.answered[id] = true end
  local message = import.answer(response)
  local used = id and run.usages[id] or import.table(response, "usage")
  emit { kind = "model", agent = agent, source = n, at = at,
    message = message or { role = "assistant", content = import.text(event, "args", "thought")
      or import.text(event, "args", "content") or import.text(event, "message") or ck.null },
    input_tokens = import.amount(used, "prompt_tokens"),
    output_tokens = import.amount(used, "completion_tokens") }
end

local function arguments_of(event, id)
  local message = import.answer(import.get(event, "tool_call_metadata", "model_response"))
  for _, call in ipairs(import.list(message, "tool_calls")) do
    if id and import.text(call, "id") == id then
      return import.get(call, "function", "arguments")
    end
  end
  return import.get(event, "args")
end

local function emit_call(run, emit, event, n, at)
  local called = import.table(event, "tool_call_metadata")
  local number = import.number(event, "id")
  local id = import.text(called, "tool_call_id") or number and ("event %s"):format(number)
  local name = import.text(called, "function_name") or event.action
  emit_answer(run, emit, event, n, at)
  local fact = { agent = agent, id = id, source = n, at = at }
  if number then run.calls[number] = fact end
  if event.action == "delegate" then
    fact.kind, fact.child = "delegation", import.text(event, "args", "agent") or "?"
    fact.target = fact.child
    fact.message = { role = "user", content = import.text(event, "args", "inputs", "task")
      or import.text(event, "message") or "" }
    emit { kind = "agent", id = fact.child, parent = agent }
  else
    fact.kind, fact.name, fact.arguments = "tool_call", name, arguments_of(event, id)
  end
  emit(fact)
end

local function says(event, role)
  return { role = role, content = import.text(event, "args", "content")
    or import.text(event, "message") or "" }
end

local notes = { condensation = "compaction", change_agent_state = "state",
  agent_state_changed = "state", error = "error" }
local quiet = { recall = true, null = true, condensation = true, change_agent_state = true,
  condensation_request = true }

local function emit_action(run, emit, event, n, at)
  local action, by_agent = event.action, event.source == "agent"
  if action == "system" then
    emit { kind = "message", agent = agent, source = n, at = at, message = says(event, "system") }
  elseif action == "message" and not by_agent then
    emit { kind = "message", agent = agent, source = n, at = at, message = says(event, "user") }
  elseif action == "message" then
    emit_answer(run, emit, event, n, at)
  elseif by_agent and not quiet[action] then
    emit_call(run, emit, event, n, at)
    run.finished = run.finished or action == "finish"
  else
    emit { kind = notes[action] or "meta", agent = agent, name = action, data = event, source = n,
      at = at }
  end
end

-- ---- observations ----

local function emit_observation(run, emit, event, n, at)
  local call = run.calls[import.number(event, "cause") or false]
  local kind = event.observation
  if not call then
    emit { kind = notes[kind] or "meta", agent = agent, name = kind, data = event, source = n,
      at = at }
    return
  end
  emit { kind = call.kind == "delegation" and "delegation_result" or "tool_result", agent = agent,
    id = call.id, child = call.child, name = call.name, source = n, at = at,
    content = import.get(event, "content") or import.text(event, "message") or "",
    error = (kind == "error" or kind == "user_rejected") and true or nil }
end

--- `usages`: those of calls of the model, by the ids of its responses.
function events.emit(emit, history, usages, problem)
  local run = { answered = {}, calls = {}, usages = {} }
  for _, used in ipairs(usages) do
    local id = import.text(used, "response_id")
    if id and id ~= "" then run.usages[id] = used end
  end
  emit { kind = "agent", id = agent }
  for _, entry in ipairs(flat(history)) do
    local event, at = entry.event, time_of(entry.event)
    if import.text(event, "observation") then
      emit_observation(run, emit, event, entry.n, at)
    elseif import.text(event, "action") then
      emit_action(run, emit, event, entry.n, at)
    else
      emit { kind = "meta", agent = agent, data = event, source = entry.n, at = at }
    end
  end
  emit { kind = "end", reason = problem or not run.finished and "it ends without a finish" or nil,
    status = problem and "failed" or run.finished and "completed" or "paused" }
end

return events
