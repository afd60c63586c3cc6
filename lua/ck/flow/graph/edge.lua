--- The edges of a graph: the accepted forms, and where an edge can lead.
---
--- An edge is a node's name, flow.done, a list of names (branches that run side by side),
--- { parallel = {…}, join =, merge = }, flow.choose { to = {…}, function(ctx) }, or a plain
--- function(ctx), which may lead to any node.

local check = require "ck.flow.check"
local node = require "ck.flow.node"

local edge = {}

---@class ck.flow.Edge
---@field next string|nil                       the node that it leads to
---@field choose nil|fun(ctx: table): string    tells the node; it has no effects and no writes
---@field to string[]|nil                       where it can lead; nil: anywhere
---@field parallel string[]|nil                 the nodes that the branches begin with
---@field join string|nil                       the node where the branches meet
---@field merge table<string, fun(base: any, values: table<string, any>): any>|nil  by key of the
---  state

--- An edge that a function selects, with the nodes that it selects from: flow.choose { to = {…},
--- function(ctx) … end }.
---@param def { to: string[], [1]: fun(ctx: table): string }
function edge.choose(def)
  if type(def) ~= "table" or type(def[1]) ~= "function" then
    error("flow.choose takes { to = {…}, function(ctx) … end }", 2)
  end
  local problem = check.fields("flow.choose", { to = def.to }, { to = check.texts })
  if not problem and not def.to then
    problem = "flow.choose needs 'to', the nodes that it chooses among"
  end
  if problem then error(problem, 2) end
  return { kind = "choose", choose = def[1], to = def.to }
end

local function join_rule(value)
  if type(value) ~= "string" then return "must be the name of a node, or flow.done" end
end

local function merge_rule(value)
  if type(value) ~= "table" then return "must be a table of KEY = function(base, values)" end
  for key, merge in pairs(value) do
    if type(key) ~= "string" or type(merge) ~= "function" then
      return "must be a table of KEY = function(base, values)"
    end
  end
end

local function state_key(key)
  for _, area in ipairs { "memory.", "outputs.", "scratch." } do
    if key:sub(1, #area) == area then return key end
  end
  return "memory." .. key
end

local function parallel_edge(def)
  local problem = check.fields("it", def, {
    parallel = check.texts, join = join_rule, merge = merge_rule,
  })
  if problem then return nil, problem end
  local merge, seen = {}, {}
  for key, merger in pairs(def.merge or {}) do merge[state_key(key)] = merger end
  for _, name in ipairs(def.parallel) do
    if seen[name] then return nil, ("it names the branch '%s' twice"):format(name) end
    seen[name] = true
  end
  return { parallel = def.parallel, join = def.join, merge = merge }
end

--- Normalises an edge of a flow file.
---@param value any
---@return ck.flow.Edge|nil
---@return string|nil problem
function edge.take(value)
  if type(value) == "string" then return { next = value, to = { value } } end
  if type(value) == "function" then return { choose = value } end
  if type(value) ~= "table" then
    return nil, "it must be a node's name, flow.done, a list or a function, not a " .. type(value)
  end
  if value.kind == "choose" then return { choose = value.choose, to = value.to } end
  if value.parallel ~= nil then return parallel_edge(value) end
  if check.texts(value) then
    return nil, "as a list it must name nodes; else it takes { parallel = {…}, join =, merge = }"
  end
  if #value == 1 then return { next = value[1], to = value } end
  return parallel_edge { parallel = value }
end

--- Where the edge can lead; nil: anywhere.
---@param self ck.flow.Edge
---@return string[]|nil
function edge.targets(self) return self.parallel or self.to end

--- The node that the edge leads to.
---@param def table  the graph
---@param from string
---@param ctx table
---@return string
function edge.follow(def, from, ctx)
  local taken = def.edges[from]
  if not taken.choose then return taken.next end
  local who = ("the edge of node '%s'"):format(from)
  local chosen = taken.choose(ctx.limit {
    who = who, effects = false, memory = "read", outputs = "read",
  })
  if chosen ~= node.done and (type(chosen) ~= "string" or not def.graph[chosen]) then
    error(("%s leads to '%s', which is no node"):format(who, tostring(chosen)), 0)
  end
  local allowed = not taken.to
  for _, name in ipairs(taken.to or {}) do allowed = allowed or name == chosen end
  if not allowed then
    error(("%s leads to '%s', which its 'to' does not name"):format(who, chosen), 0)
  end
  return chosen
end

return edge
