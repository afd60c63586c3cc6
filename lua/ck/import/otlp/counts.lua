--- How often something is known of, by a key; each agent has counts of its own.

local counts = {}

--- Those of an agent, under a name of the run.
function counts.of(run, agent, name)
  local all = run[name]
  all[agent] = all[agent] or {}
  return all[agent]
end

function counts.add(of, key)
  of[key] = (of[key] or 0) + 1
end

--- Takes one of them; false where there is none.
function counts.take(of, key)
  local n = of[key] or 0
  of[key] = n - 1 > 0 and n - 1 or nil
  return n > 0
end

return counts
