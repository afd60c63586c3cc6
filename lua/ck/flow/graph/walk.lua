--- Walks a graph: from node to node, and to where its branches meet.
---
--- Each visit of a node has the path node#visit. Around it are boundaries: loop_iteration (from the
--- second visit on), node_start, node_complete (the next node is known), edge_transition. A
--- position has the next stage: begin, run, leave, cross, go (behind a join) or enter; so a
--- completed node never runs again.

local actor = require "ck.flow.actor"
local branch = require "ck.flow.graph.branch"
local edge = require "ck.flow.graph.edge"
local node = require "ck.flow.node"
local retry = require "ck.flow.retry"

local walk = {}

---@class ck.flow.graph.Place
---@field path string      node#visit, then what has been done there
---@field stage "begin"|"run"|"leave"|"cross"|"go"|"enter"
---@field node string
---@field visit integer
---@field try integer
---@field next string|nil  where the edge leads, once that is known
---@field visits table<string, integer>

local function mark(ctx, def, at, kind, suffix, problem)
  at.path = ("%s#%d%s%s"):format(at.node, at.visit, at.try > 1 and "." .. at.try or "", suffix)
  local coming = kind == "node_start" and at.node or at.next
  local target = coming and def.graph[coming]
  ctx.boundary(kind, {
    node = at.node, agent = actor.is(def.graph[at.node]) and def.graph[at.node].name or nil,
    position = at, error = problem, number = at.visit,
    next = target and { node = coming, class = target.class } or nil,
  })
end

local stages = {}

function stages.enter(ctx, def, at)
  at.visit, at.try, at.next = (at.visits[at.node] or 0) + 1, 1, nil
  if at.visit > def.max_visits then
    error(("node '%s' was visited %d times, the most that max_visits allows")
      :format(at.node, def.max_visits), 0)
  end
  at.visits[at.node] = at.visit
  at.stage = "begin"
  if at.visit > 1 then mark(ctx, def, at, "loop_iteration", ":loop") end
end

function stages.begin(ctx, def, at)
  at.stage = "run"
  mark(ctx, def, at, "node_start", "")
end

local function inner_ctx(ctx, name)
  return ctx.limit { who = ("node '%s'"):format(name), without = node.unavailable }
end

local function run_node(ctx, def, at)
  local self, name = def.graph[at.node], at.node
  local options = {
    inner = inner_ctx(ctx, name),
    again = function(problem) mark(ctx, def, at, "node_start", "", problem) end,
  }
  if not actor.is(self) then return retry.run(ctx, self, name, at, options) end
  local acting = { reads = self.reads, writes = self.writes, retry = self.retry }
  acting.run = function(inner) actor.run(ctx, self, name, inner) end
  return retry.run(ctx, acting, name, at, options)
end

function stages.run(ctx, def, at)
  local self = def.graph[at.node]
  local ok, problem = run_node(ctx, def, at)
  if not ok and not self.on_error then error(("node '%s': %s"):format(at.node, problem), 0) end
  if ok then
    at.next = edge.follow(def, at.node, ctx)
    at.stage = "leave"
    return mark(ctx, def, at, self.boundary or "node_complete", ":end")
  end
  ctx.outputs[at.node] = { error = problem }
  at.next, at.failed, at.stage = self.on_error, true, "cross"
  mark(ctx, def, at, "edge_transition", ":failed", problem)
end

function stages.leave(ctx, def, at)
  at.stage = "cross"
  mark(ctx, def, at, "edge_transition", ":edge")
end

function stages.cross(ctx, def, at)
  local taken = def.edges[at.node]
  at.last = at.node
  if not at.failed and taken.parallel then
    branch.run(ctx, taken, at.node, at.visits)
    at.next, at.stage = taken.join, "go"
    mark(ctx, def, at, "edge_transition", ":join")
  end
  stages.go(ctx, def, at)
end

--- Without a boundary of its own: only the position changes.
function stages.go(_, _, at)
  at.node, at.stage, at.failed = at.next, "enter", nil
end

local function copy(value)
  local made = {}
  for key, field in pairs(value) do made[key] = type(field) == "table" and copy(field) or field end
  return made
end

local function open(ctx, def)
  local at, task = ctx.position, ctx.task
  if at then
    at = copy(at)
    if not stages[at.stage] or not def.graph[at.node] then
      error(("'%s' is not a place in this flow: its nodes may have changed")
        :format(tostring(at.path)), 0)
    end
    return at
  end
  return {
    stage = "enter", node = task and task.branch or def.start,
    visits = task and copy(task.visits) or {},
  }
end

--- The visits of a branch, without earlier ones.
local function visited(ctx, at)
  local counts = {}
  for name, count in pairs(at.visits) do
    local before = ctx.task.visits[name] or 0
    if count > before then counts[name] = count - before end
  end
  return counts
end

--- `run` of a graph, and of its branches and agents, which differ in their task.
---@param ctx table
---@param def table
---@return any result  what the last node gave
function walk.run(ctx, def)
  if ctx.task and ctx.task.actor then return actor.serve(ctx, def.graph[ctx.task.actor]) end
  local at, stop = open(ctx, def), ctx.task and ctx.task.join
  while at.stage ~= "enter" or (at.node ~= node.done and at.node ~= stop) do
    stages[at.stage](ctx, def, at)
  end
  if ctx.task then return visited(ctx, at) end
  return ctx.outputs[at.last]
end

return walk
