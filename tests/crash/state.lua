--- The same conversation as agent.lua, in a loop of its own that keeps what it counted in memory
--- and outputs.

local flow = require "ck.flow"

local function run(ctx)
  local at = ctx.position or { round = 0 }
  if at.round == 0 then
    ctx.message("system", ctx.recorded_prompt)
    ctx.effect { kind = "ask", class = "idempotent", request = {} }
  end
  for round = at.round + 1, math.maxinteger do
    local reply = ctx.effect { kind = "model", class = "pure", request = { model = "recorded" } }
    local calls = ctx.tool_calls(reply.raw)
    if #calls == 0 then return { text = reply.result.content, rounds = round } end
    for index, call in ipairs(calls) do
      local counted = ctx.effect {
        kind = "tool", class = "reconcilable", request = call.request, ordinal = index,
      }
      ctx.memory:append("counted", counted.result)
      ctx.memory.last = { round = round, text = counted.result }
      ctx.outputs["round_" .. round % 3] = ("%d "):format(round):rep(200)
    end
    ctx.boundary("tool_round", { position = { path = "count#" .. round, round = round } })
  end
end

return flow.custom {
  name = "state",
  run = run,
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
}
