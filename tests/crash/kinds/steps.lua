--- Six steps, three at once, each with a tool; two of them need others, and one fails.

local flow = require "ck.flow"

local function count(n)
  return function(ctx, needs)
    local outcome = ctx.effect {
      kind = "tool", class = "reconcilable",
      request = { name = "count", arguments = { n = n } },
    }
    local parts = { outcome.result }
    for _, name in ipairs { "a", "b", "c" } do parts[#parts + 1] = needs[name] end
    return table.concat(parts, "+")
  end
end

return flow.steps {
  name = "steps",
  parallel = 3,
  steps = {
    { name = "a", run = count(1) },
    { name = "b", run = count(2) },
    { name = "c", run = count(3), needs = { "a" } },
    { name = "d", run = count(4), needs = { "a", "b" } },
    { name = "fails", run = function() error "not today" end, optional = true },
    { name = "e", run = count(5), needs = { "c", "a" } },
  },
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
}
