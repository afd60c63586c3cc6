--- Two branches side by side that meet, a loop, and tools in every node.

local flow = require "ck.flow"

local function count(n)
  return function(ctx)
    local outcome = ctx.effect {
      kind = "tool", class = "reconcilable",
      request = { name = "count", arguments = { n = n } },
    }
    ctx.memory["node_" .. n] = outcome.result
    return outcome.result
  end
end

local function again(ctx)
  local outcome = ctx.effect {
    kind = "tool", class = "reconcilable",
    request = { name = "count", arguments = { n = 9 } },
  }
  ctx.memory.loops = (ctx.memory.loops or 0) + 1
  return outcome.result
end

return flow.graph {
  name = "graph",
  start = "first",
  nodes = {
    first = flow.lua(count(1)),
    left = flow.lua(count(2)),
    left_more = flow.lua(count(3)),
    right = flow.lua(count(4)),
    meet = flow.lua(count(5)),
    loop = flow.lua(again),
  },
  edges = {
    first = { "left", "right" },
    left = "left_more",
    left_more = "meet",
    right = "meet",
    meet = "loop",
    loop = flow.choose {
      to = { "loop", flow.done },
      function(ctx) return ctx.memory.loops < 3 and "loop" or flow.done end,
    },
  },
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
}
