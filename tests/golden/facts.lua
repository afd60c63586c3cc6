-- facts.lua - a fact, and a question that waits.
local flow = require "ck.flow"
return flow.graph {
  name = "facts",
  start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.facts.put("capital", "Paris") end),
    b = flow.ask { question = "Go on?" },
  },
  edges = { a = "b", b = flow.done },
}
