--- An agent as a node: it runs in a child scope of its own name, with a conversation that goes on
--- at each visit.

local agent = require "ck.flow.agent"
local content = require "ck.flow.content"

local actor = {}

---@param self table  a node
---@return boolean
function actor.is(self) return self.kind == "agent" end

local function input_of(ctx, self, given)
  local input = self.input
  if type(input) == "function" then input = input(ctx, given) end
  if input ~= nil and not content.is(input) then
    error("its input must be a text or a list of texts and parts, not a " .. type(input), 0)
  end
  return input
end

--- The side of the flow: opens the scope and waits for it. The agent's writes become the flow's.
---@param ctx table  with fork and join
---@param self table
---@param name string  of the node
---@param inner table  the ctx that its `input` is given
---@param given any
function actor.run(ctx, self, name, inner, given)
  local scope = self.name or name
  ctx.fork {
    { scope = scope, agent = scope, task = { actor = name, input = input_of(inner, self, given) } },
  }
  local ended = ctx.join { scope }[scope]
  if ended.error then
    ctx.blame(scope)
    error(ended.error, 0)
  end
  for key, text in pairs(ended.writes) do ctx.put(key, text or nil) end
  if ended.raw then ctx.put("outputs." .. name, ended.raw) end
end

--- The side of the agent, in its scope.
---@param ctx table
---@param self table
---@return any result
function actor.serve(ctx, self)
  local input = ctx.task.input
  if input == nil and not self.input then input = ctx.input end
  return agent.converse(ctx, self, input)
end

return actor
