--- An agent that counts with a tool that leaves a mark outside: whether it ran, and how often, can
--- be seen afterwards.

local flow = require "ck.flow"

return flow.agent {
  name = "counter",
  prompt = flow.recorded,
  user = flow.ask {},
  stop = function(text) return text == "All counted." end,
  max_iterations = 100000,
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
}
