--- An agent that explores twice: what it counts on the way is gone from its context, and was
--- counted all the same.

local flow = require "ck.flow"

return flow.agent {
  name = "explore",
  prompt = "Find out.",
  input = "Begin.",
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
  result = function(ctx, text) return { text = text, messages = ctx.conversation_length() } end,
}
