--- Runs rounds: the orchestrator, a model or a function, and the agents it delegates to, each in
--- its scope.

local agent = require "ck.flow.agent"
local agent_loop = require "ck.flow.agent_loop"
local delegate = require "ck.flow.delegate"
local reader = require "ck.flow.delegation"
local explore = require "ck.flow.explore"
local rounds_tools = require "ck.flow.rounds_tools"

local rounds_run = {}

local LAST = "That was the last of %d rounds. Call finish with your conclusion."
local NO_ROUNDS = "No rounds are left: call finish with your conclusion."
local FINISHING = "Not run: finish was called in the same message."
local TOO_DEEP = "Delegation refused: depth %d is the deepest that max_depth allows."

-- ---- an agent that was asked ----

local function pick(from, names)
  local picked = {}
  for _, name in ipairs(names or {}) do picked[name] = from[name] end
  return picked
end

local function tools_of(def, task)
  local targets = pick(def.members, def.delegates[task.agent])
  if next(targets) == nil then return { rounds_tools.note } end
  local too_deep = task.depth >= def.max_depth
  return {
    rounds_tools.note,
    delegate.tool {
      targets = targets, who = task.agent, depth = task.depth + 1, hidden = too_deep,
      prefix = function(loop)
        return ("%s/%d."):format(task.below or task.delegation, loop.turn)
      end,
      refuse = function() return too_deep and TOO_DEEP:format(def.max_depth) or nil end,
    },
  }
end

local function serve(ctx, def)
  local task = ctx.task
  local self = def.members[task.agent]
  if not self then
    error(("the flow has no agent '%s' any more"):format(tostring(task.agent)), 0)
  end
  return agent.converse(ctx, self, task.message, {
    depth = task.depth, tools = tools_of(def, task),
    subagent = type(def.orchestrator) == "table", -- else those at depth 0 are asked by no agent
  })
end

-- ---- between rounds ----

--- A boundary at the end of a round is where the next one begins: { path = "round#N", round = N, …
--- }.
local function path_of(round) return "round#" .. round end

--- The flow's gate is called at the begin of each round but the first: it may pause the flow there,
--- and is called again by each resume until it has no reason any more.
local function pass_gate(ctx, def, round)
  local resumed = false
  while def.gate and round > 1 do
    local reason = def.gate(ctx, round - 1, resumed)
    if not reason then return end
    ctx.pause(tostring(reason))
    resumed = true
  end
end

-- ---- a model that orchestrates ----

local function orchestrator_tools(def, at)
  local function refuse(loop)
    for _, item in ipairs(loop.items) do
      if item.tool and item.tool.name == "finish" then return FINISHING end
    end
    return at.round > def.rounds and NO_ROUNDS or nil
  end
  return {
    delegate.tool {
      targets = def.members, who = def.orchestrator.name, depth = 0, refuse = refuse,
      prefix = function() return at.round .. "." end,
    },
    rounds_tools.finish,
  }
end

--- One turn; the flow's result, or nil.
local function take_turn(loop, at)
  local how, text = agent_loop.turn(loop)
  if how == "ended" then return { ended = "recording", rounds = at.round - 1 } end
  if how == "said" then
    return { result = text, rounds = at.round - 1, refusal = loop.refusal }
  end
  if loop.finished == nil then return nil end
  local finished = loop.finished
  loop.finished = nil
  if explore.guard(loop) then return nil end
  return { result = finished, rounds = at.round - 1 }
end

--- The turn ends a round when the model has delegated in it.
local function end_turn(ctx, loop, def, at)
  loop.turn, loop.next = loop.turn + 1, "model"
  if not loop.delegated then
    agent_loop.boundary(loop, "tool_round", ("%s/agent#%d"):format(path_of(at.round), loop.turn),
      { round = at.round })
    return
  end
  loop.delegated = false
  ctx.rounds.completed = at.round
  if at.round == def.rounds then agent_loop.say(loop, "user", LAST:format(def.rounds)) end
  at.round = at.round + 1
  agent_loop.boundary(loop, "round_complete", path_of(at.round), { round = at.round },
    { number = at.round - 1, of = def.rounds })
  pass_gate(ctx, def, at.round)
end

local function orchestrate(ctx, def)
  local at = { round = ctx.position and ctx.position.round or 1 }
  local input = def.orchestrator.input == nil and ctx.input or nil
  local loop = agent_loop.open(ctx, def.orchestrator, input, {
    tools = orchestrator_tools(def, at),
  })
  local here = ctx.position
  local begins = here and here.path == path_of(at.round) and here.next ~= "calls"
  if begins then pass_gate(ctx, def, at.round) end
  while true do
    local result = take_turn(loop, at)
    if result then return result end
    end_turn(ctx, loop, def, at)
  end
end

-- ---- a function that orchestrates ----

--- The third argument of an orchestrator function: ask { target|targets|parallel|sequential =,
--- message = } gives the answers by agent.
local function asker(ctx, def, round)
  local asked, count = {}, 0
  return function(given)
    local delegation, problem = reader.read(given, def.members, asked)
    if not delegation then error("a delegation: " .. problem, 2) end
    count = count + 1
    delegation.id = ("%d.%d"):format(round, count)
    delegate.perform(ctx, { delegation }, def.name, 0)
    return delegation.answers
  end
end

local function call_rounds(ctx, def)
  local round = ctx.position and ctx.position.round or 1
  while round <= def.rounds do
    pass_gate(ctx, def, round)
    local result = def.orchestrator(ctx, round, asker(ctx, def, round))
    if result ~= nil then return { result = result, rounds = round } end
    ctx.rounds.completed = round
    round = round + 1
    ctx.boundary("round_complete", {
      agent = def.name, position = { path = path_of(round), round = round },
      number = round - 1, of = def.rounds,
    })
  end
  return { rounds = def.rounds }
end

--- The `run` of flow.rounds, for the flow's own scope and for those of its agents.
function rounds_run.run(ctx, def)
  if ctx.task then return serve(ctx, def) end
  local run = type(def.orchestrator) == "function" and call_rounds or orchestrate
  return run(ctx, def)
end

return rounds_run
