--- Runs steps: the main scope starts and joins them, each runs in a child scope of its name.
---
--- A step sees the results that it needs (they are in its task, so they are the same after a
--- resume) and ctx.memory, which no step writes. Each completion is a boundary, step_complete.
--- After a failure the steps that run, and those that do not need the failed one, run to their end;
--- a resume runs the failed step again, under its own tag, so that its completed effects are not
--- repeated.

local actor = require "ck.flow.actor"
local node = require "ck.flow.node"
local retry = require "ck.flow.retry"

local run = {}

local TAG = "step"

-- Functions of the flow alone; nor may a step bypass ctx.memory.
local unavailable = { "put", table.unpack(node.unavailable) }

---@class ck.flow.steps.Place
---@field path string
---@field round integer                           boundaries so far
---@field done table<string, boolean|{error: string}>  with the error: it was optional
---@field running string[]                        open when the boundary was reached
---@field unmarked string[]|nil  done when the boundary was reached, with theirs still to come

-- ---- a step, in its scope ----

local function mark_try(ctx, at, step, problem)
  at.path = ("%s#%d"):format(step.name, at.try)
  ctx.boundary("node_start", {
    node = step.name, position = at, error = problem,
    next = { node = step.name, class = step.node.class },
  })
end

local function run_step(ctx, step)
  local at = { try = ctx.position and ctx.position.try or 1 }
  if not ctx.position then mark_try(ctx, at, step) end
  local who = ("step '%s'"):format(step.name)
  local inner = ctx.limit {
    who = who, without = unavailable, memory = "read",
    outputs = who
      .. " cannot use ctx.outputs: what it needs is its second argument, what it gives its result",
  }
  local acting = { reads = step.node.reads, retry = step.retry, run = step.node.run }
  for field, value in pairs(step.node) do acting[field] = acting[field] or value end
  if actor.is(step.node) then
    acting.run = function(limited, _, needs)
      actor.run(ctx, step.node, step.name, limited, needs)
    end
  end
  local ok, problem = retry.run(ctx, acting, step.name, at, {
    inner = inner, given = ctx.task.needs,
    again = function(reason) mark_try(ctx, at, step, reason) end,
  })
  if not ok then error(problem, 0) end
end

-- ---- all of them, in the main scope ----

local function needs_of(ctx, step)
  local needs = {}
  for _, need in ipairs(step.needs) do needs[need] = ctx.outputs[need] end
  return needs
end

local function is_ready(step, known, at)
  if known[step.name] then return false end
  for _, need in ipairs(step.needs) do
    if not at.done[need] then return false end
  end
  return true
end

--- Starts steps that can run, in order, up to the limit.
local function start(ctx, def, at, known, running)
  local children = {}
  for _, step in ipairs(def.steps) do
    if #running < def.parallel and is_ready(step, known, at) then
      known[step.name] = true
      running[#running + 1] = step.name
      local agent = actor.is(step.node) and (step.node.name or step.name) or nil
      children[#children + 1] = {
        scope = step.name, agent = agent, tag = TAG,
        task = { step = step.name, needs = needs_of(ctx, step) },
      }
    end
  end
  if #children > 0 then ctx.fork(children) end
end

--- A step keeps its result, and its agents their pads.
local function keep_writes(ctx, step, writes)
  for key, text in pairs(writes) do
    if key == "outputs." .. step.name or key:sub(1, 8) == "scratch." then
      ctx.put(key, text or nil)
    end
  end
end

--- Removes ended steps from `running` and adds their results to the outputs, in the order of the
--- steps.
local function collect(ctx, def, at, ended, running, failed)
  local completed = {}
  for i = #running, 1, -1 do
    if ended[running[i]] then table.remove(running, i) end
  end
  for _, step in ipairs(def.steps) do
    local one = ended[step.name]
    if one and one.error and not step.optional then
      failed[step.name] = one.error
    elseif one then
      at.done[step.name] = one.error and { error = one.error } or true
      keep_writes(ctx, step, one.writes)
      completed[#completed + 1] = step
    end
  end
  return completed
end

--- Steps that end together have a boundary each; a run that stops between two of them goes on with
--- the next.
local function mark(ctx, at, completed, running)
  at.running = running
  for i, step in ipairs(completed) do
    local rest = {}
    for later = i + 1, #completed do rest[#rest + 1] = completed[later].name end
    at.unmarked = #rest > 0 and rest or nil
    at.round = at.round + 1
    at.path = ("steps#%d"):format(at.round)
    local problem = type(at.done[step.name]) == "table" and at.done[step.name].error or nil
    ctx.boundary("step_complete", { node = step.name, position = at, error = problem })
  end
end

local function fail(ctx, def, at, failed)
  local problems, waiting, first = {}, {}, nil
  for _, step in ipairs(def.steps) do
    if failed[step.name] then
      first = first or step.name
      problems[#problems + 1] = ("step '%s': %s"):format(step.name, failed[step.name])
    elseif not at.done[step.name] then
      waiting[#waiting + 1] = step.name
    end
  end
  local rest = #waiting > 0 and "; not started: '" .. table.concat(waiting, "', '") .. "'" or ""
  ctx.blame(first)
  error(table.concat(problems, "; ") .. rest, 0)
end

local function results(ctx, def, at)
  local list = {}
  for i, step in ipairs(def.steps) do
    local done = at.done[step.name]
    list[i] = {
      step = step.name, result = ctx.outputs[step.name],
      error = type(done) == "table" and done.error or nil,
    }
  end
  return list
end

local function open(ctx, def)
  local at, known, running = { round = 0, done = {} }, {}, {}
  for name, done in pairs(ctx.position and ctx.position.done or {}) do
    at.done[name] = type(done) == "table" and { error = done.error } or done
    known[name] = true
  end
  for i, name in ipairs(ctx.position and ctx.position.running or {}) do
    running[i], known[name] = name, true
  end
  for name in pairs(known) do
    if not def.by_name[name] then
      error(("'%s' is not a step of this flow: its steps may have changed"):format(name), 0)
    end
  end
  at.round = ctx.position and ctx.position.round or 0
  local unmarked = {}
  for i, name in ipairs(ctx.position and ctx.position.unmarked or {}) do
    unmarked[i] = def.by_name[name]
  end
  return at, known, running, unmarked
end

local function run_all(ctx, def)
  local at, known, running, unmarked = open(ctx, def)
  local failed = {}
  mark(ctx, at, unmarked, running)
  while true do
    start(ctx, def, at, known, running)
    if #running == 0 then break end
    local completed = collect(ctx, def, at, ctx.join_any(running), running, failed)
    mark(ctx, at, completed, running)
  end
  if next(failed) ~= nil then fail(ctx, def, at, failed) end
  return results(ctx, def, at)
end

--- `run` of the flow and of its steps and agents, which differ in their task.
---@param ctx table
---@param def table
---@return any result
function run.flow(ctx, def)
  local task = ctx.task
  if not task then return run_all(ctx, def) end
  if task.actor then return actor.serve(ctx, def.by_name[task.actor].node) end
  return run_step(ctx, def.by_name[task.step])
end

return run
