--- An agent whose messages call several tools at once.

local flow = require "ck.flow"

return flow.agent {
  name = "agent",
  prompt = "Count.",
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
}
