--- A flow that fails behind its first boundary. Never to be changed.

local flow = require "ck.flow"

return flow.custom {
  name = "fail",
  run = function(ctx)
    ctx.memory.reached = true
    ctx.boundary("tool_round", { position = { path = "fail#1" } })
    error("nothing more can be done")
  end,
}
