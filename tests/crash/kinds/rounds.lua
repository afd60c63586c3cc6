--- An orchestrator that asks two agents at once, then one after the other; each counts with a tool,
--- and one asks a third.

local flow = require "ck.flow"

local function counter() return flow.agent { prompt = "Count.", tools = { count = flow.command {
  argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
} } } end

return flow.rounds {
  name = "rounds",
  orchestrator = flow.agent { prompt = "Lead.", input = "Begin." },
  agents = { a = counter(), b = counter(), c = counter() },
  delegates = { b = { "c" } },
}
