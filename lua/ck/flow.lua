--- What flow files are written with: kinds of flows, and the parts that they are made of.
---
--- A flow is a table with `kind`, `run = function(ctx, def)`, and what is known of it before it runs: `name`, `tools`,
--- `processes`, `reads`, `agents`, `secrets`. `run` has no way to the outside but `ctx`; each of these yields to the runtime:
---
---   ctx.effect { kind=, class=, request=, agent=?, ordinal=? } -> { status=, result=, raw=, error=, … }
---   ctx.effects { {…}, … } -> their outcomes in the order asked: they are carried out side by side
---   ctx.boundary(kind, { position = { path = "agent#4", … }, node=?, agent=?, depth=?, next=? })
---   ctx.safe_point(name, { position = … }), ctx.pause(reason)
---   ctx.fork { { scope=, task=?, agent=?, tag=? }, … }  child scopes: `run` again, each with its task as ctx.task
---   ctx.join { scope, … } -> { [scope] = { result=, raw=, error=, status=, writes = { ["memory.KEY"] = JSON text or false } } }
---   ctx.join_any { scope, … }                         the same, as soon as one of them has ended; of those that have
---   ctx.now() -> ms, ctx.random() -> [0, 1), ctx.random(first, last): recorded, so that a resume reads the same
---   ctx.facts.get(key, agent?), ctx.facts.put(key, value, agent?): what outlives sessions, of everybody or of one agent
---
--- and these do not: ctx.scope, ctx.task, ctx.input, ctx.position (where to go on; nil: from the top), ctx.recorded_prompt,
--- ctx.message(role, content), ctx.last_message(), ctx.conversation_length(), ctx.tool_calls(message), ctx.parse(json),
--- ctx.memory.KEY, ctx.memory:append(key, value), and ctx.outputs, ctx.scratch (a pad for each agent), ctx.rounds likewise;
--- ctx.options (what the profile says to flows), ctx.event("delegation" or "note", body, agent), and
--- ctx.put(key, json) (these bytes), ctx.written(), ctx.discard() (what was written since the last boundary), ctx.limit{…} (a ctx
--- that allows less; all with their types in lua/ck/flow/meta.lua),
--- ctx.rewind { to=, report=, keep=? }: behind its first `to` messages the conversation gives way to the report and its last `keep`.
---
--- A node is a table with `run = function(ctx, node)`: flow.exec, flow.sleep and flow.ask make such, and any flow can run them.
---
--- A position says where `run` goes on when the flow is resumed: it gets it back as ctx.position. Its path is part of the
--- names of the effects that follow, so each boundary needs one that was not there before: count ("step#1", "step#2").
--- A child's name lies below its parent's: "web" of "main" is "main.web", and its parent calls it "web". What a child writes
--- is its own; its parent makes of the `writes` what it wants to keep. The effects of a child are known by the place of the fork,
--- or by its tag: the same work, forked at another place after a failure, finds what it had done by then.
---
--- What is read from ctx.memory is read-only: change a key by assigning it as a whole. What a flow does between two
--- boundaries must depend on these values alone, so that it does the same again after a crash.

local agent = require "ck.flow.agent"
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
