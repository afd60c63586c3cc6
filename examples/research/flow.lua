--- Research as a graph: two searches side by side, again until there is enough, an agent that
--- writes, and a publication that needs a key. Without the key the session fails there; with it, it
--- goes on, and what was done is not done again.
---
---   ckrun run flow.lua --profile graph --cassette cassette.jsonl --set topic=tides
---   ckrun resume SESSION --set-env token=RESEARCH_TOKEN

local flow = require "ck.flow"

local ENOUGH = 3

local function gather(_, values)
  local all = {}
  for _, branch in ipairs { "web", "library" } do
    for _, found in ipairs(values[branch] or {}) do all[#all + 1] = found end
  end
  return all
end

return flow.graph {
  name = "research",
  start = "plan",
  nodes = {
    plan = flow.exec { argv = { "./plan" }, reads = { "topic" }, writes = { "questions" } },
    web = flow.exec {
      argv = { "./search", "web" }, reads = { "questions" }, writes = { "found" }, class = "pure",
    },
    library = flow.exec {
      argv = { "./search", "library" }, reads = { "questions" }, writes = { "found" },
      class = "pure",
      retry = { times = 3, backoff_ms = 20 },
    },
    collect = flow.lua {
      reads = { "found" }, writes = { "sources" },
      run = function(ctx)
        local sources = {}
        for _, source in ipairs(ctx.memory.sources or {}) do sources[#sources + 1] = source end
        for _, source in ipairs(ctx.memory.found) do sources[#sources + 1] = source end
        ctx.memory.sources = sources
      end,
    },
    write = flow.agent {
      name = "writer", prompt = "You write one sentence about what was found.",
      input = function(ctx)
        return ctx.memory.topic .. ": " .. table.concat(ctx.memory.sources, "; ")
      end,
      result = function(ctx, text) ctx.memory.report = text end,
    },
    publish = flow.exec {
      argv = { "./publish" }, reads = { "report", "token" }, writes = { "address" },
    },
  },
  edges = {
    plan = { parallel = { "web", "library" }, join = "collect", merge = { found = gather } },
    web = "collect",
    library = "collect",
    collect = flow.choose {
      to = { "plan", "write" },
      function(ctx) return #ctx.memory.sources < ENOUGH and "plan" or "write" end,
    },
    write = "publish",
    publish = flow.done,
  },
}
