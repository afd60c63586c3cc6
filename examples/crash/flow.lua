--- An agent books a flight and mails the ticket. The first mail kills the program that runs the
--- session; a resume goes on.
---
---   ckrun run flow.lua --cassette cassette.jsonl --session trip     (dies: "Killed")
---   ckrun resume trip

local flow = require "ck.flow"

return flow.agent {
  name = "trip",
  prompt = "You book trips.",
  user = flow.ask {},
  stop = function() return true end,
  tools = {
    book = flow.command { argv = { "./book" }, class = "once" }, -- never run blindly a second time
    -- may run again under the same key
    mail = flow.command { argv = { "./mail" }, class = "idempotent" },
  },
}
