--- An agent that looks up prices with a tool.
---
---   ckrun run flow.lua --profile ./profile.lua --cassette cassette.jsonl
---
--- The recording answers in the place of the model and of the person who is asked, so nothing is
--- paid. Without --cassette it needs a model in profile.lua, and waits for you: 'ckrun answer'.

local flow = require "ck.flow"

local prices = { pens = 12, paper = 30 }

return flow.agent {
  name = "shopper",
  prompt = "You look up prices, and say which offer is the best one.",
  user = flow.ask { question = "What do you need?" },
  stop = function() return true end, -- one question is answered
  tools = {
    price = flow.tool(function(_, arguments) return { usd = prices[arguments.item] } end, {
      description = "The price of an item.",
      parameters = {
        type = "object",
        properties = { item = { type = "string" } },
        required = { "item" },
      },
    }),
  },
}
