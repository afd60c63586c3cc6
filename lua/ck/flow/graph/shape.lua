--- Checks the shape of a graph when it is loaded: edges to unknown nodes, unreachable nodes, cycles
--- without exit.
---
--- Only declared targets are checked: a function without `to` may lead to any node, and to the end.

local check = require "ck.flow.check"
local targets = require("ck.flow.graph.edge").targets
local node = require "ck.flow.node"

local shape = {}

--- The names in byte order.
---@param map table<string, any>
---@return string[]
function shape.names(map)
  local names = {}
  for name in pairs(map) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function quoted(names) return "'" .. table.concat(names, "', '") .. "'" end

local function unknown(def, where, name)
  if name == node.done or def.graph[name] then return nil end
  return ("%s leads to '%s', which is no node; did you mean '%s'?"):format(where, tostring(name),
    check.nearest(tostring(name), def.graph))
end

local function check_names(def)
  for _, name in ipairs(shape.names(def.graph)) do
    local edge, on_error = def.edges[name], def.graph[name].on_error
    if not edge then
      return ("node '%s' has no edge: if the flow ends there, say %s = flow.done")
        :format(name, name)
    end
    for _, target in ipairs(targets(edge) or {}) do
      local problem = unknown(def, ("the edge of node '%s'"):format(name), target)
      if problem then return problem end
    end
    local problem = edge.join and unknown(def, ("the join of node '%s'"):format(name), edge.join)
    problem = problem or on_error and unknown(def, ("on_error of node '%s'"):format(name), on_error)
    if problem then return problem end
  end
end

local function check_unreachable(def)
  local reached, queue = { [def.start] = true }, { def.start }
  local function reach(name)
    if not reached[name] then queue[#queue + 1] = name end
    reached[name] = true
  end
  while #queue > 0 do
    local name = table.remove(queue)
    if name ~= node.done then
      local to = targets(def.edges[name])
      if not to then return nil end
      for _, target in ipairs(to) do reach(target) end
      if def.edges[name].join then reach(def.edges[name].join) end
      if def.graph[name].on_error then reach(def.graph[name].on_error) end
    end
  end
  local lost = {}
  for _, name in ipairs(shape.names(def.graph)) do
    if not reached[name] then lost[#lost + 1] = name end
  end
  if #lost > 0 then
    return ("nothing leads to %s from the start, '%s'"):format(quoted(lost), def.start)
  end
end

--- True when the end is reachable without passing nodes that are known not to reach it.
local function leads_out(edge, out)
  local to = targets(edge)
  if not to then return true end
  for _, target in ipairs(to) do
    if target == node.done or out[target] then return true end
  end
  return false
end

local function check_exits(def)
  local out, grown = {}, true
  while grown do
    grown = false
    for name, edge in pairs(def.edges) do
      if not out[name] and leads_out(edge, out) then out[name], grown = true, true end
    end
  end
  local stuck = {}
  for _, name in ipairs(shape.names(def.graph)) do
    if not out[name] then stuck[#stuck + 1] = name end
  end
  if #stuck > 0 then
    return ("a cycle without exit: no edge leads from %s to flow.done"):format(quoted(stuck))
  end
end

-- ---- where branches meet: the nearest node that all paths from all of them go through ----

local function intersect(a, b)
  local both = {}
  for name in pairs(a) do both[name] = b[name] end
  return both
end

local function size(set)
  local count = 0
  for _ in pairs(set) do count = count + 1 end
  return count
end

--- Nodes behind others first, as far as there are no cycles: one round is then enough.
local function backwards(def)
  local order, seen = {}, {}
  local function visit(name)
    if seen[name] or name == node.done then return end
    seen[name] = true
    for _, target in ipairs(targets(def.edges[name]) or {}) do visit(target) end
    order[#order + 1] = name
  end
  for _, name in ipairs(shape.names(def.graph)) do visit(name) end
  return order
end

--- For each node the nodes that every path from it goes through; for a function without `to`,
--- itself alone.
local function passages(def)
  local all, through, order = { [node.done] = true }, {}, backwards(def)
  for name in pairs(def.graph) do all[name] = true end
  for name in pairs(def.graph) do through[name] = all end
  through[node.done] = { [node.done] = true }
  local changed = true
  while changed do
    changed = false
    for _, name in ipairs(order) do
      local common
      for _, target in ipairs(targets(def.edges[name]) or {}) do
        common = common and intersect(common, through[target]) or intersect(through[target], all)
      end
      common = common or {}
      common[name] = true
      if size(common) < size(through[name]) then through[name], changed = common, true end
    end
  end
  return through
end

local function set_join(through, from, edge)
  local common
  for _, name in ipairs(edge.parallel) do
    common = common and intersect(common, through[name]) or through[name]
  end
  local nearest
  for _, name in ipairs(shape.names(common)) do
    if not nearest or size(through[name]) > size(through[nearest]) then nearest = name end
  end
  edge.join = edge.join or nearest
  if not edge.join then
    return ("the branches of node '%s' meet nowhere that can be seen: "
      .. "give { parallel = {…}, join = NODE }")
      :format(from)
  end
  for _, name in ipairs(edge.parallel) do
    if name == node.done then
      return ("a branch of node '%s' is flow.done, where nothing runs"):format(from)
    end
    if name == edge.join then
      return ("the branch '%s' of node '%s' is the node where its branches meet"):format(name, from)
    end
  end
end

local function set_joins(def)
  local through
  for _, from in ipairs(shape.names(def.edges)) do
    local edge = def.edges[from]
    if edge.parallel then
      through = through or passages(def)
      local problem = set_join(through, from, edge)
      if problem then return problem end
    end
  end
end

--- The problem of the graph; nil: none, and each edge with branches has its join.
---@param def table
---@return string|nil problem
function shape.problem(def)
  return check_names(def) or check_unreachable(def) or check_exits(def) or set_joins(def)
end

return shape
