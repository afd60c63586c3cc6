--- Three analysts deliberate over a question; an orchestrator asks them in rounds, and concludes.
---
---   ckrun run examples/deliberation/flow.lua --profile examples/deliberation/profile.lua \
---     --cassette examples/deliberation/cassette.jsonl \
---     --input '"Should the shop move to a cheaper cloud this quarter?"'
---
--- It pauses when its budget is spent, in the middle of the second round. With more it goes on
--- where it stood:
---
---   ckrun resume SESSION --limit budget_usd=2

local flow = require "ck.flow"

local function analyst(what, tools)
  return flow.agent {
    prompt = "You look at " .. what
      .. " and nothing else. Answer in a few sentences. Keep what you may need later with note.",
    tools = tools,
  }
end

--- The price list stands for a system of its own; it is a function here so that the example needs
--- nothing outside.
local price_list = flow.tool(function(_, arguments)
  local prices = { old = 1400, new = 950 }
  local price = prices[arguments.cloud]
  if not price then return "no such cloud: old or new" end
  return { cloud = arguments.cloud, usd_per_month = price }
end, {
  description = "What the shop pays for a month in a cloud.",
  parameters = {
    type = "object", properties = { cloud = { type = "string" } }, required = { "cloud" },
  },
})

return flow.rounds {
  name = "deliberation",
  orchestrator = flow.agent {
    name = "chair",
    prompt = "You lead a deliberation. Ask the analysts what you need to know, in as few rounds as "
      .. "it takes, then finish with a decision.",
  },
  agents = {
    cost = analyst("cost", { price_list = price_list }),
    risk = analyst("risk"),
    work = analyst("the work that it takes"),
  },
  delegates = { risk = { "work" } }, -- the risk analyst may ask the one who knows the work
  rounds = 4,
}
