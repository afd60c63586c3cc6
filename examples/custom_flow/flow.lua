--- A kind of flow of one's own: a node runs for each item of a list, one after the other. Each item
--- ends with a boundary, whose position says where to go on, so a resume runs only what is left.
---
---   ckrun run flow.lua --input '["Ada","Grace","Mary"]'

local flow = require "ck.flow"

---@param def { name: string, node: table }
local function each(def)
  return flow.custom {
    name = def.name,
    run = function(ctx)
      local done = ctx.position and ctx.position.done or 0
      for i = done + 1, #ctx.input do
        ctx.memory.item = ctx.input[i]
        local result = def.node.run(ctx, def.node)
        ctx.memory:append("results", result.stdout)
        -- The path tells the effects of one item from those of another: it must be new each time.
        ctx.boundary("step_complete", {
          node = def.name, position = { path = "item#" .. i + 1, done = i },
        })
      end
      return ctx.memory.results
    end,
  }
end

return each { name = "greet", node = flow.exec { argv = { "./greet" }, reads = { "item" } } }
