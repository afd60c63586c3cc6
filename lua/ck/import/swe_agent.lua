--- SWE-agent's .traj files: `history` has the messages to the model, `trajectory` the actions of
--- each step.

local import = require "ck.import"

local swe_agent = { name = "swe_agent" }

--- One of the two may be missing; histories of others say who speaks in other ways.
local function is_own(document)
  local first = import.list(document, "history")[1]
  return import.table(document, "trajectory") ~= nil
    or import.text(first, "role") ~= nil and import.text(first, "agent") ~= nil
end

function swe_agent.detect(head)
  return import.table(head.document, "trajectory") ~= nil
    and import.table(head.document, "history") ~= nil
end

local function first_word(action)
  local text = (
    action:find("\n", 1, true) and action:sub(1, action:find("\n", 1, true) - 1) or action)
  local space = text:find(" ", 1, true)
  local word = space and text:sub(1, space - 1) or text
  return word ~= "" and word or "?"
end

--- The progress in a run: steps of the trajectory emitted so far, the call without a result.
local function new_run(document, emit)
  return { steps = import.list(document, "trajectory"), step = 0, emit = emit, waiting = false }
end

local function emit_state(run)
  local step = run.steps[run.step]
  local state, took = import.get(step, "state"), import.get(step, "execution_time")
  if state ~= nil or took ~= nil then
    run.emit {
      kind = "state", agent = run.agent,
      data = { state = state, execution_time = took, step = run.step },
    }
  end
end

local function emit_result(run, content, source, id)
  run.emit { kind = "tool_result", agent = run.agent, id = id, content = content, source = source }
  run.waiting = false
  emit_state(run)
end

--- The observation that history lacks: of the last step, or of one that was followed by no message.
local function settle(run)
  if not run.waiting then return end
  local observation = import.get(run.steps[run.step], "observation")
  if observation ~= nil then emit_result(run, observation) end
  run.waiting = false
end

local function emit_action(run, message, action, source)
  if #import.list(message, "tool_calls") > 0 then
    import.calls(run.emit, message, run.agent, source)
    run.waiting = true
  elseif action and action ~= "" then
    run.emit {
      kind = "tool_call", agent = run.agent, name = first_word(action),
      arguments = { command = action }, source = source,
    }
    run.waiting = true
  end
end

local function emit_entry(run, entry, i)
  local role = import.text(entry, "role")
  local agent = import.text(entry, "agent") or "main"
  if type(entry) ~= "table" then
    run.emit { kind = "error", data = entry, source = i }
  elseif import.get(entry, "is_demo") == true then
    run.emit { kind = "meta", agent = agent, name = "demonstration", data = entry, source = i }
  elseif role == "assistant" then
    settle(run)
    run.agent, run.step = agent, run.step + 1
    run.emit { kind = "model", agent = agent, message = entry, source = i }
    emit_action(run, entry, import.text(entry, "action"), i)
  elseif run.waiting and (role == "tool" or role == "user") then
    emit_result(run, import.get(entry, "content"), i, import.text(entry, "tool_call_ids", 1))
  else
    run.emit { kind = "message", agent = agent, message = entry, source = i }
  end
end

--- Steps that are not in the history.
local function emit_rest(run)
  for n = run.step + 1, #run.steps do
    local step = run.steps[n]
    run.agent, run.step = run.agent or "main", n
    run.emit {
      kind = "model", agent = run.agent,
      message = { role = "assistant", content = import.get(step, "response") or "" },
    }
    emit_action(run, nil, import.text(step, "action"))
    settle(run)
  end
end

function swe_agent.import(source, emit)
  local document = import.document(source)
  local info = import.table(document, "info")
  if not is_own(document) then return end
  emit { kind = "session", id = ("%s/%s"):format(source.stem,
    import.text(document, "environment") or "-"),
    cost = import.amount(info, "model_stats", "instance_cost"),
    input_tokens = import.amount(info, "model_stats", "tokens_sent"),
    output_tokens = import.amount(info, "model_stats", "tokens_received"),
    about = { environment = import.get(document, "environment"), info = info } }
  local run = new_run(document, emit)
  for i, entry in ipairs(import.list(document, "history")) do emit_entry(run, entry, i) end
  settle(run)
  emit_rest(run)
  local status = import.text(info, "exit_status")
  local good = not status or status:sub(1, 9) == "submitted"
  emit { kind = "end", status = good and "completed" or "failed", reason = status }
end

return swe_agent
