--- Runs of AgentDojo: a JSON document, or one a line; the suite and its tasks name the session.

local import = require "ck.import"

local agentdojo = { name = "agentdojo" }

local function is_run(value)
  return import.text(value, "suite_name") ~= nil and import.text(value, "user_task_id") ~= nil
    and import.table(value, "messages") ~= nil
end

function agentdojo.detect(head) return is_run(head.document) or is_run(head.lines[1]) end

local function emit_run(emit, run)
  local id, about = {}, {}
  for _, name in ipairs { "suite_name", "user_task_id", "injection_task_id", "pipeline_name" } do
    id[#id + 1] = import.text(run, name)
  end
  for name, value in pairs(run) do
    if name ~= "messages" then about[name] = value end
  end
  emit { kind = "session", id = table.concat(id, "/"), about = about }
  import.chat(emit, run.messages, "assistant", "user")
  local why = import.text(run, "error")
  emit { kind = "end", status = why and "failed" or "completed", reason = why }
end

function agentdojo.import(source, emit)
  import.each(source, function(value)
    if is_run(value) then emit_run(emit, value) end
    return is_run(value)
  end, "no run of AgentDojo")
end

return agentdojo
