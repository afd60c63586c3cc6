--- Runs of OpenHands: the events of one, as the program exports them or as its evaluations keep
--- them (one run a line), or the log of one call of a model.

local import = require "ck.import"
local events = require "ck.import.openhands.events"

local openhands = { name = "openhands" }

local function is_log(value)
  return import.is_chat(import.get(value, "messages"))
    and import.table(value, "response", "choices") ~= nil
    and import.get(value, "latency_sec") ~= nil
end

local function history_of(value)
  local list = events.is_history(value) and value or import.table(value, "history")
  return events.is_history(list) and list or nil
end

function openhands.detect(head)
  local document, line = head.document, head.lines[1]
  return is_log(document) or history_of(document) ~= nil or history_of(line) ~= nil
end

local function about_of(run)
  local about = { times = "local, no zone given, taken as UTC" }
  for _, name in ipairs { "instance_id", "metadata", "test_result", "error" } do
    about[name] = import.get(run, name)
  end
  return about
end

local function emit_run(emit, run, history, id)
  local costs = import.list(run, "metrics", "costs")
  emit { kind = "session", id = id, about = run ~= history and about_of(run) or nil,
    at = events.start_of(history),
    -- Without prices of calls the sum is 0, whatever they cost.
    cost = #costs > 0 and import.amount(run, "metrics", "accumulated_cost") or nil }
  events.emit(emit, history, import.list(run, "metrics", "token_usages"),
    import.text(run, "error"))
end

--- The conversation as it was at one call of the model, and the call itself.
local function emit_log(emit, source, log)
  local at = import.number(log, "timestamp")
  local about = {}
  for _, name in ipairs { "context_window", "latency_sec" } do about[name] = log[name] end
  about.model = import.text(log, "response", "model")
  emit { kind = "session", id = import.id(source), about = about }
  import.chat(emit, log.messages, "assistant", "user")
  import.reply(emit, log, "assistant", #log.messages + 1, at and at * 1000)
end

function openhands.import(source, emit)
  local document = source.document()
  if is_log(document) then return emit_log(emit, source, document) end
  import.each(source, function(value, n)
    local history = history_of(value)
    if history then
      emit_run(emit, value, history, import.text(value, "instance_id") or import.id(source, n))
    end
    return history ~= nil
  end, "no run of OpenHands")
end

return openhands
