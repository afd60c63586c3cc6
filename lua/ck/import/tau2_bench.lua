--- tau2-bench's simulations: an agent and a simulated user who both call tools, with a price and a
--- time for each message.

local import = require "ck.import"

local tau2_bench = { name = "tau2_bench" }

function tau2_bench.detect(head)
  return import.table(import.list(head.document, "simulations")[1], "messages") ~= nil
end

local good_ends = { user_stop = true, agent_stop = true }

local kept_fields = {
  "task_id", "trial", "seed", "termination_reason", "duration", "agent_cost", "user_cost",
  "start_time", "end_time",
}

local function about(run, start)
  local kept = { times = start and "local, no zone given, taken as UTC" or nil }
  for _, name in ipairs(kept_fields) do kept[name] = import.get(run, name) end
  kept.reward = import.get(run, "reward_info", "reward")
  return kept
end

--- Its start is a placeholder where messages carry no times.
local function start_of(run)
  for _, message in ipairs(import.list(run, "messages")) do
    if import.time(import.text(message, "timestamp")) then
      return import.time(import.text(run, "start_time"))
    end
  end
end

local function emit_message(emit, message, i)
  local role, at = import.text(message, "role"), import.time(import.text(message, "timestamp"))
  if role == "tool" then
    local failed = import.get(message, "error") == true or nil
    emit { kind = "tool_result", agent = import.text(message, "requestor") or "assistant",
      id = import.text(message, "id"),
      message = message, source = i, at = at, error = failed }
  elseif role == "assistant" or role == "user" then
    local used = import.table(message, "usage")
    emit { kind = "model", agent = role, message = message, source = i, at = at,
      cost = import.amount(message, "cost"),
      input_tokens = import.amount(used, "prompt_tokens"),
      output_tokens = import.amount(used, "completion_tokens") }
    import.calls(emit, message, role, i, at)
  elseif role then
    emit { kind = "message", agent = "assistant", message = message, source = i, at = at }
  else
    emit { kind = "error", data = message, source = i }
  end
end

function tau2_bench.import(source, emit)
  local document = import.document(source)
  for i, run in ipairs(import.list(document, "simulations")) do
    if import.table(run, "messages") then
      local start = start_of(run)
      emit { kind = "session", id = import.text(run, "id") or import.id(source, i), at = start,
        about = about(run, start) }
      emit { kind = "agent", id = "assistant", role = "agent" }
      emit { kind = "agent", id = "user", role = "simulated user" }
      for n, message in ipairs(run.messages) do emit_message(emit, message, n) end
      local reason = import.text(run, "termination_reason")
      emit {
        kind = "end", status = (not reason or good_ends[reason]) and "completed" or "failed",
        reason = reason,
      }
    else
      source.skip(i, "a simulation without 'messages'")
    end
  end
end

return tau2_bench
