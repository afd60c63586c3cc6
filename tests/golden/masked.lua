--- The flow of the golden session whose requests are masked. Never to be changed.

local flow = require "ck.flow"

return flow.agent {
  name = "trip",
  prompt = "You book trips. The password=hunter2-7391 opens the desk.",
  user = flow.ask {},
  stop = function() return true end,
  tools = {
    book = flow.command { argv = { "./book" }, class = "once" },
    mail = flow.command { argv = { "./mail", "--password=hunter2-7391" }, class = "idempotent" },
  },
}
