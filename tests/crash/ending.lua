--- Ends with a piece of work behind its last boundary: one that is done twice is seen in memory.

local flow = require "ck.flow"

local function run(ctx)
  local at = ctx.position or { round = 0 }
  for round = at.round + 1, 4 do
    ctx.memory.rounds = (ctx.memory.rounds or 0) + 1
    ctx.boundary("tool_round", { position = { path = "round#" .. round, round = round } })
  end
  ctx.memory.ends = (ctx.memory.ends or 0) + 1
  ctx.memory:append("told", "the end")
  ctx.message("assistant", "The end.")
  return { ends = ctx.memory.ends }
end

return flow.custom { name = "ending", run = run }
