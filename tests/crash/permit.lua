--- Counts with a tool of its own, then a program counts, too: each is asked about before it begins.

local flow = require "ck.flow"

return flow.custom {
  name = "permitted",
  tools = { count = flow.command { argv = { "./count" }, class = "once" } },
  run = function(ctx)
    local at = ctx.position and ctx.position.turn or 0
    for turn = at + 1, 2 do
      ctx.effects {
        { kind = "tool", class = "once", ordinal = 1,
          request = { name = "count", arguments = { n = turn } } },
        { kind = "tool", class = "once", ordinal = 2,
          request = { name = "count", arguments = { n = 10 * turn } } },
      }
      ctx.boundary("tool_round", { position = { path = "turn#" .. turn, turn = turn } })
    end
    local made = ctx.effect { kind = "exec", class = "once", request = { argv = { "./count" } } }
    return made.status
  end,
}
