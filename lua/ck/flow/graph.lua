--- Nodes that run one after the other along edges: conditions, loops, retries, branches that run
--- side by side.

local check = require "ck.flow.check"
local edge = require "ck.flow.graph.edge"
local keys = require "ck.flow.graph.keys"
local node = require "ck.flow.node"
local declarations = require "ck.flow.declarations"
local shape = require "ck.flow.graph.shape"
local walk = require "ck.flow.graph.walk"

local graph = {}

local VISITS_MAX = 100

local rules = check.with(declarations.rules, {
  start = "string", nodes = "table", edges = "table", max_visits = check.count,
})

local function take_nodes(def)
  local nodes = {}
  for name, value in pairs(def.nodes) do
    local problem = node.name_problem("node", name)
    local taken, of_node = node.take(value)
    if problem or not taken then return nil, problem or ("node '%s' %s"):format(name, of_node) end
    nodes[name] = taken
  end
  if next(nodes) == nil then return nil, "a graph needs at least one node" end
  return nodes
end

local function nearest(name, nodes)
  return ("; did you mean '%s'?"):format(check.nearest(tostring(name), nodes))
end

local function take_edges(def, nodes)
  local edges = {}
  for name, value in pairs(def.edges) do
    if not nodes[name] then
      return nil, ("there is an edge from '%s', which is no node"):format(tostring(name))
        .. nearest(name, nodes)
    end
    local taken, problem = edge.take(value)
    if not taken then return nil, ("the edge of node '%s': %s"):format(name, problem) end
    edges[name] = taken
  end
  return edges
end

local function start_problem(def, nodes)
  if not def.start then return "start is missing: which node the flow begins with" end
  if not nodes[def.start] then
    return ("start = '%s' is no node"):format(def.start) .. nearest(def.start, nodes)
  end
end

local function take(def)
  local nodes, problem = take_nodes(def)
  if not nodes then return nil, problem end
  local edges
  edges, problem = take_edges(def, nodes)
  if not edges then return nil, problem end
  problem = start_problem(def, nodes)
  if problem then return nil, problem end
  local made = {
    kind = "graph", run = walk.run, name = def.name, version = def.version, start = def.start,
    graph = nodes, edges = edges,
  }
  made.max_visits = def.max_visits or VISITS_MAX
  problem = shape.problem(made)
  if problem then return nil, problem end
  local found
  found, problem = declarations.gather(def, nodes)
  if not found then return nil, problem end
  made.tools, made.processes = found.tools, found.processes
  made.secrets, made.agents = found.secrets, found.agents
  made.models, made.programs = found.models, found.programs
  made.function_names = found.function_names
  made.nodes, made.reads = declarations.entries(nodes, keys.unwritten(made)), def.reads
  return made
end

--- Edges lead from each node to the next: a node's name, flow.done, a list of names (branches that
--- run side by side until they meet), { parallel = {…}, join = NODE, merge = { KEY = function(base,
--- values) } }, flow.choose{…}, or function(ctx).
---@param def { name: string|nil, start: string, nodes: table<string, table|function>,
---  edges: table<string, any>, max_visits: integer|nil, tools: table|nil, processes: table|nil,
---  reads: string[]|nil, secrets: string[]|nil }
---@return table flow
function graph.define(def)
  local problem = check.fields("flow.graph", def, rules)
  if not problem then
    for _, field in ipairs { "nodes", "edges" } do
      if not def[field] then problem = ("flow.graph needs '%s'"):format(field) end
    end
  end
  if problem then error(problem, 2) end
  local made, of_graph = take(def)
  if not made then error("flow.graph: " .. of_graph, 2) end
  return made
end

return graph
