--- The boundary between a model's answer and the tools that it calls: once for each answer that
--- calls one of class once, or one that a policy names by its options `classes` or `risky`.
---
--- It stays at the path of the turn, so the keys of the calls are the same with it and without it.
--- Its position has `calls`, what the answer calls, and next = "calls": a resume from it makes
--- them, and does not ask the model again.

local before_call = {}

---@class ck.flow.Pending
---@field tool string
---@field class ck.flow.class|nil  nil: it is no effect, or no such tool
---@field id string|nil            as the model gave it

local function add(to, list)
  for _, name in ipairs(list or {}) do to[name] = true end
end

--- What policies name for an agent.
---@param options table  ctx.options
---@param agent string|nil
---@return { classes: table<string, boolean>, tools: table<string, boolean> }
function before_call.named(options, agent)
  local named = { classes = { once = true }, tools = {} }
  for _, policy in ipairs(options.before_call or {}) do
    if policy.agent == nil or policy.agent == agent then
      add(named.classes, policy.classes)
      add(named.tools, policy.risky)
    end
  end
  return named
end

--- The first call of class once, else the first that a policy names; nil: there is none.
local function find(named, items)
  local found
  for _, item in ipairs(items) do
    local tool = item.tool
    if tool and tool.class == "once" then return item end
    if tool and (named.classes[tool.class or ""] or named.tools[tool.name]) then
      found = found or item
    end
  end
  return found
end

local function list_of(items)
  local list = {}
  for at, item in ipairs(items) do
    list[at] = {
      tool = item.call.name or "?", class = item.tool and item.tool.class, id = item.call.call_id,
    }
  end
  return list
end

--- `place` gives the position of the turn.
---@param loop table
---@param items table[]  of ck.flow.agent_calls
---@param place fun(loop: table, position: table): table
function before_call.mark(loop, items, place)
  local item = find(loop.named, items)
  if not item then return end
  local position = {}
  for name, value in pairs(loop.position or {}) do position[name] = value end
  position = place(loop, position)
  position.next, position.calls, position.imported = "calls", list_of(items), nil
  loop.ctx.boundary("before_call", {
    agent = loop.def.name, depth = loop.depth, position = position, number = loop.turn,
    next = { tool = item.tool.name, class = item.tool.class },
  })
end

return before_call
