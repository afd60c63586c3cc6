--- The keys of memory that a node reads and that nothing before it can write: only the person who
--- starts the session can give them.
---
--- What a function writes is not known before it runs, unless its node declares `writes`.

local targets = require("ck.flow.graph.edge").targets
local node = require "ck.flow.node"
local retry = require "ck.flow.retry"

local keys = {}

--- What has been written where a node begins: keys, and `any` behind something that may have
--- written any key.
---@class ck.flow.Written
---@field any boolean|nil
---@field keys table<string, boolean>

local function says_it_all(self)
  local kind = self.kind
  if kind == "exec" or kind == "ask" or kind == "sleep" or kind == "safe_point" then return true end
  if kind == "prompt" then return type(self.prompt) ~= "function" end
  return kind == "agent" and #self.functions == 0 and type(self.result) ~= "function"
    and type(self.prompt) ~= "function" and type(self.input) ~= "function"
end

--- The keys that a node writes; nil: they are not known.
---@param self ck.flow.Node
---@return string[]|nil
function keys.written(self)
  local list = {}
  local declared = type(self.writes) == "string" and { self.writes } or self.writes
  if not declared and not says_it_all(self) then return nil end
  for i, key in ipairs(declared or {}) do list[i] = retry.key(key) end
  list[#list + 1] = self.kind == "prompt" and self.session or nil
  return list
end

--- Adds what is written when `from` is left to what is written where `to` begins. True: it is more
--- than was known.
local function flow_into(to, from, own)
  local more = (from.any or not own) and not to.any
  to.any = to.any or from.any or not own
  for key in pairs(from.keys) do
    more, to.keys[key] = more or not to.keys[key], true
  end
  for _, key in ipairs(own or {}) do
    more, to.keys[key] = more or not to.keys[key], true
  end
  return more
end

--- The nodes that can follow `name`, those of an error and of the join of its branches included.
local function followers(def, name)
  local list = {}
  local edge = def.edges[name]
  for _, target in ipairs(targets(edge) or {}) do list[#list + 1] = target end
  if not targets(edge) then
    for other in pairs(def.graph) do list[#list + 1] = other end
  end
  list[#list + 1] = edge.join
  list[#list + 1] = def.graph[name].on_error
  return list
end

local function written_before(def)
  local before, queue = { [def.start] = { keys = {} } }, { def.start }
  while #queue > 0 do
    local name = table.remove(queue)
    for _, target in ipairs(followers(def, name)) do
      local new = target ~= node.done and not before[target]
      if new then before[target] = { keys = {} } end
      if target ~= node.done then
        local more = flow_into(before[target], before[name], keys.written(def.graph[name]))
        if more or new then queue[#queue + 1] = target end
      end
    end
  end
  return before
end

--- Of a graph, the keys by node.
---@param def table
---@return table<string, string[]>
function keys.unwritten(def)
  local before, missing = written_before(def), {}
  for name, one in pairs(def.graph) do
    local there, list = before[name] or { any = true, keys = {} }, {}
    for _, key in ipairs(one.reads or {}) do
      key = retry.key(key)
      if not there.any and not there.keys[key] then list[#list + 1] = key end
    end
    missing[name] = list
  end
  return missing
end

--- Of nodes before which nothing is written: all that they read.
---@param nodes table<string, ck.flow.Node>
---@return table<string, string[]>
function keys.all(nodes)
  local missing = {}
  for name, one in pairs(nodes) do
    local list = {}
    for i, key in ipairs(one.reads or {}) do list[i] = retry.key(key) end
    missing[name] = list
  end
  return missing
end

return keys
