--- A coding agent writes a program, a check runs it, and the agent repairs what the check found, in
--- the same conversation.
---
---   cp -r examples/coding /tmp && cd /tmp/coding
---   ckrun run flow.lua --profile ./profile.lua
---
--- What it does, step by step, is in expected.txt; `ckrun sessions log SESSION` shows what was
--- said.
---
--- agent.pl stands in for a real agent, offline. Any program that speaks the Agent Client Protocol
--- on its standard input and output can take its place: give its command as argv.

local flow = require "ck.flow"

return flow.graph {
  name = "coding",
  start = "write",
  processes = { coder = flow.acp { argv = { "./agent.pl" } } },
  nodes = {
    -- A turn whose end nobody saw is not made again by itself: it may have changed files ("once" is
    -- the default).
    write = flow.prompt {
      process = "coder", session = "conversation",
      prompt = "Write fizzbuzz.sh: it prints 1 to 15, Fizz for multiples of 3, "
        .. "Buzz for those of 5, FizzBuzz for both.",
    },
    check = flow.exec { argv = { "./check.sh" }, class = "pure", on_error = "repair" },
    repair = flow.prompt {
      process = "coder", session = "conversation",
      prompt = function(ctx) return "The check fails: " .. ctx.outputs.check.error end,
    },
  },
  edges = { write = "check", check = flow.done, repair = "check" },
}
