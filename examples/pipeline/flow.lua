--- A pipeline of steps: each runs as soon as what it needs is there, three at once.
---
---   ckrun run flow.lua

local flow = require "ck.flow"

--- Its input is {"needs": {"fetch": …}}; what it prints is what the next ones are given.
local function measure(what)
  return flow.exec {
    argv = { "./measure", what }, class = "idempotent", retry = { times = 2, backoff_ms = 50 },
  }
end

local function number(result) return tonumber(result.stdout) end

return flow.steps {
  name = "pipeline",
  parallel = 3,
  steps = {
    { name = "fetch", run = flow.exec { argv = { "./fetch" } } },
    { name = "words", run = measure "words", needs = { "fetch" } },
    { name = "lines", run = measure "lines", needs = { "fetch" } },
    { name = "bytes", run = measure "bytes", needs = { "fetch" } },
    -- it always fails
    {
      name = "weather", run = flow.exec { argv = { "./weather" }, class = "pure" }, optional = true,
    },
    {
      name = "report", needs = { "words", "lines", "bytes", "weather" },
      run = function(_, needs)
        return {
          words = number(needs.words), lines = number(needs.lines), bytes = number(needs.bytes),
          weather = needs.weather and needs.weather.stdout or "not known",
        }
      end,
    },
  },
}
