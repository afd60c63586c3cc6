--- tau-bench's historical trajectories: a JSON array of tasks, each with its messages in `traj`.

local import = require "ck.import"

local tau_bench = { name = "tau_bench" }

function tau_bench.detect(head)
  local first = import.list(head.document)[1]
  return import.table(first, "traj") ~= nil and import.get(first, "task_id") ~= nil
end

local function about(run)
  return {
    task_id = run.task_id, trial = run.trial, reward = run.reward,
    user_cost = import.get(run, "info", "user_cost"),
  }
end

function tau_bench.import(source, emit)
  local document = import.document(source)
  for i, run in ipairs(import.list(document)) do
    if import.table(run, "traj") then
      local id = ("%s/task %s/trial %s"):format(source.stem, tostring(
        import.get(run, "task_id") or i),
        tostring(import.get(run, "trial") or "-"))
      emit { kind = "session", id = id, about = about(run) }
      emit { kind = "agent", id = "assistant", role = "agent" }
      emit { kind = "agent", id = "user", role = "simulated user" }
      import.chat(emit, run.traj, "assistant", "user")
    else
      source.skip(i, "an element without 'traj'")
    end
  end
end

return tau_bench
