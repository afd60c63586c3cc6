--- agent.lua with a tool that must never run again blindly. Never to be changed.

local flow = require "ck.flow"

return flow.agent {
  name = "counter",
  prompt = flow.recorded,
  user = flow.ask {},
  stop = function(text) return text == "All counted." end,
  tools = { count = flow.command { argv = { "./count_kill" }, class = "once" } },
}
