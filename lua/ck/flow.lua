--- The library of flow files: kinds of flows, nodes, tools and processes.
---
--- A flow is a table with `kind`, `run = function(ctx, def)`, and what is known before it runs:
--- `name`, `tools`, `processes`, `reads`, `agents`, `secrets`. `run` reaches the outside only
--- through `ctx`, whose fields are in lua/ck/flow/meta.lua, with their types and with those marked
--- that yield to the runtime.
---
--- A node is a table with `run = function(ctx, node)`: flow.exec, flow.sleep and flow.ask make
--- such, and any flow can run them.
---
--- A position says where `run` goes on after a resume, which passes it as ctx.position. Its path
--- is part of the keys of the effects that follow, so each boundary needs a new one: "step#1",
--- "step#2".
---
--- A child scope's name lies below its parent's: "web" of "main" is "main.web", and the parent
--- calls it "web". Its writes are its own; the parent merges the `writes` that it keeps. The
--- effects of a child are keyed by the position of the fork, or by its tag: with a tag the same
--- work, forked at another position after a failure, finds its completed effects.
---
--- Values read from ctx.memory are read-only: change a key by assigning the whole value. The code
--- between two boundaries must depend on ctx alone, so that it does the same again after a crash.

local agent = require "ck.flow.agent"
local content = require "ck.flow.content"
local custom = require "ck.flow.custom"
local edge = require "ck.flow.graph.edge"
local exec = require "ck.flow.exec"
local graph = require "ck.flow.graph"
local node = require "ck.flow.node"
local process = require "ck.flow.process"
local rounds = require "ck.flow.rounds"
local sleep = require "ck.flow.sleep"
local steps = require "ck.flow.steps"
local tools = require "ck.flow.tools"

---@class ck.flow
local flow = {
  agent = agent.define,
  ask = sleep.define_ask,
  exec = exec.define,
  file = content.file,
  sleep = sleep.define,
  recorded = agent.recorded,
  command = tools.command,
  tool = tools.tool,
  custom = custom.define,
  graph = graph.define,
  steps = steps.define,
  rounds = rounds.define,
  choose = edge.choose,
  done = node.done,
  lua = node.lua,
  node = node.with,
  prompt = node.prompt,
  safe_point = node.safe_point,
  mcp = process.mcp,
  acp = process.acp,
}

return flow
