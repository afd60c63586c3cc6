--- Branches of a graph: each runs in a child scope up to the join, where their writes are merged.

local branch = {}

local function scope_of(from, name) return from .. "." .. name end

--- Which branches wrote each key, in the order of the edge.
local function writers(edge, from, ended)
  local by_key = {}
  for _, name in ipairs(edge.parallel) do
    for key in pairs(ended[scope_of(from, name)].writes) do
      by_key[key] = by_key[key] or {}
      by_key[key][#by_key[key] + 1] = name
    end
  end
  return by_key
end

--- "memory", "topic" of "memory.topic".
local function split(key)
  local dot = key:find(".", 1, true)
  return key:sub(1, dot - 1), key:sub(dot + 1)
end

local function merge_one(ctx, edge, from, key, names, ended)
  local merge = edge.merge[key]
  if not merge and #names == 1 then
    return ctx.put(key, ended[scope_of(from, names[1])].writes[key] or nil)
  end
  if not merge then
    error(("the branches '%s' and '%s' of node '%s' both wrote %s: "
      .. "say in the edge's merge what becomes of it")
      :format(
      names[1], names[2], from, key), 0)
  end
  local values = {}
  for _, name in ipairs(names) do
    local text = ended[scope_of(from, name)].writes[key]
    if text then values[name] = ctx.parse(text) end
  end
  local area, field = split(key)
  ctx[area][field] = merge(ctx[area][field], values)
end

--- Runs the branches of the edge and makes their writes the flow's.
---@param ctx table
---@param edge ck.flow.Edge
---@param from string  the node that the edge leaves
---@param visits table<string, integer>  counted up by what the branches visited
function branch.run(ctx, edge, from, visits)
  local children, scopes = {}, {}
  for i, name in ipairs(edge.parallel) do
    scopes[i] = scope_of(from, name)
    children[i] = { scope = scopes[i], task = { branch = name, join = edge.join, visits = visits } }
  end
  ctx.fork(children)
  local ended = ctx.join(scopes)
  for i, name in ipairs(edge.parallel) do
    local problem = ended[scopes[i]].error
    if problem then
      ctx.blame(scopes[i])
      error(("branch '%s' of node '%s': %s"):format(name, from, problem), 0)
    end
  end
  for key, names in pairs(writers(edge, from, ended)) do
    merge_one(ctx, edge, from, key, names, ended)
  end
  for i in ipairs(scopes) do
    for name, count in pairs(ended[scopes[i]].result) do
      visits[name] = (visits[name] or 0) + count
    end
  end
end

return branch
