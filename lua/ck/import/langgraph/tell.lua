--- Tells the messages of channels, each once, by the agents that they are of.

local import = require "ck.import"
local values = require "ck.import.langgraph.values"

local tell = {}

function tell.agent(run, name, parent)
  if run.known[name] then return end
  run.known[name] = true
  run.emit { kind = "agent", id = name, parent = parent ~= name and parent or nil }
end

local function emit_answer(run, fields, of)
  local content, thoughts = values.content(fields)
  local calls, told = values.calls(fields), {}
  local agent = import.text(fields, "name") or of.agent
  local input, output, cost = values.usage(fields)
  tell.agent(run, agent, of.agent)
  for i, call in ipairs(calls) do
    told[i] = { id = call.id, type = "function",
      ["function"] = { name = call.name, arguments = call.arguments } }
  end
  for _, block in ipairs(thoughts) do
    run.emit { kind = "thought", agent = agent, data = block, source = of.n, at = of.at }
  end
  run.emit { kind = "model", agent = agent, source = of.n, at = of.at,
    message = { role = "assistant", content = content or ck.null,
      tool_calls = #told > 0 and told or nil },
    input_tokens = input, output_tokens = output, cost = cost }
  for _, call in ipairs(calls) do
    if call.id then run.callers[call.id] = agent end
    run.emit { kind = "tool_call", agent = agent, id = call.id, name = call.name,
      arguments = call.arguments, source = of.n, at = of.at }
  end
end

local function emit_message(run, message, of)
  local role, fields = values.message(message)
  if role == "assistant" then return emit_answer(run, fields, of) end
  local content = values.content(fields)
  if role == "tool" then
    local id = import.text(fields, "tool_call_id")
    return run.emit { kind = "tool_result", agent = run.callers[id or ""] or of.agent, id = id,
      name = import.text(fields, "name"), source = of.n, at = of.at, content = content or "",
      error = import.text(fields, "status") == "error" or nil }
  end
  run.emit { kind = "message", agent = of.agent, source = of.n, at = of.at,
    message = { role = role, content = content or "" } }
end

--- Those that were not told: by their ids, or by how many there were in the channel.
function tell.messages(run, list, channel, of)
  local place = of.namespace .. "\0" .. channel
  for i, message in ipairs(list) do
    local role, fields = values.message(message)
    local id = import.text(fields, "id")
    local old = id and run.told[id] or not id and i <= (run.counts[place] or 0)
    if role and not old then
      if id then run.told[id] = true end
      emit_message(run, message, of)
    end
  end
  if not of.task then run.counts[place] = math.max(run.counts[place] or 0, #list) end
end

return tell
