--- Delegations: a message to other agents, each in a scope of its own below the one that delegates,
--- and their answers.
---
--- An agent's conversation goes on at the next delegation to it. The task of its scope is { agent=,
--- delegation=, message=, depth= }; it is part of the delegating scope's position until the answer
--- is joined, so the position shows the pending delegations. Ids of delegations below it begin with
--- its own; where several agents were asked under one, also with who delegates (`below`).

local calls = require "ck.flow.agent_calls"
local pads = require "ck.flow.pads"
local reader = require "ck.flow.delegation"

local delegate = {}

--- Adds an event to the transcript; the targets as given, one or a list.
local function add_event(ctx, delegation, who)
  local body = { id = delegation.id, message = delegation.message }
  body[delegation.how] = delegation.how == "target" and #delegation.names == 1
    and delegation.names[1] or ck.array(delegation.names)
  ctx.event("delegation", body, who)
end

local function scope_of(name) return "agent." .. name end

--- The message for the agent at `at`: in a sequence it contains the answers of those before it.
local function message_for(delegation, at)
  if delegation.how ~= "sequential" or at == 1 then return delegation.message end
  local parts = { delegation.message }
  for before = 1, at - 1 do
    local name = delegation.names[before]
    parts[#parts + 1] = ("[%s]\n%s"):format(name, delegation.answers[name])
  end
  return table.concat(parts, "\n\n")
end

--- The agents that can be started now: all of a parallel delegation, the next one of a sequence.
local function wave(delegations, step)
  local children, started = {}, {}
  for _, delegation in ipairs(delegations) do
    local sequential = delegation.how == "sequential"
    for at, name in ipairs(delegation.names) do
      if (sequential and at == step) or (not sequential and step == 1) then
        started[#started + 1] = { delegation = delegation, name = name }
        children[#children + 1] = {
          name = name, delegation = delegation.id, message = message_for(delegation, at),
          below = #delegation.names > 1 and ("%s/%s"):format(delegation.id, name) or nil,
        }
      end
    end
  end
  return children, started
end

--- An error of the agent's own flow is an answer too; an error that stops every agent, such as
--- refused credentials, is not.
local function answer_of(ctx, name, ended)
  if ended.error and ended.status and ended.status ~= "CK_E_FLOW" then
    ctx.blame(scope_of(name))
    error(ended.error, 0)
  end
  if ended.error then return ("%s failed: %s"):format(name, ended.error) end
  local result = ended.result
  if type(result) == "table" and type(result.text) == "string" then return result.text end
  if type(result) == "table" and result.ended then
    return ("%s did not answer: the %s has ended"):format(name, result.ended)
  end
  return type(result) == "string" and result or ended.raw or ""
end

local function run_wave(ctx, children, started, depth)
  local forks, scopes = {}, {}
  for i, child in ipairs(children) do
    scopes[i] = scope_of(child.name)
    forks[i] = {
      scope = scopes[i], agent = child.name,
      task = {
        agent = child.name, delegation = child.delegation, message = child.message, depth = depth,
        below = child.below,
      },
    }
  end
  ctx.fork(forks)
  local ended = ctx.join(scopes)
  for i, member in ipairs(started) do
    local one = ended[scopes[i]]
    for key, text in pairs(one.writes) do pads.take(ctx, key, text) end
    member.delegation.answers[member.name] = answer_of(ctx, member.name, one)
  end
end

--- Carries out delegations side by side; their answers are in them afterwards.
---@param ctx table
---@param delegations ck.flow.Delegation[]  with ids
---@param who string     who delegates
---@param depth integer  of those who are asked
function delegate.perform(ctx, delegations, who, depth)
  for _, delegation in ipairs(delegations) do add_event(ctx, delegation, who) end
  local step = 1
  while true do
    local children, started = wave(delegations, step)
    if #children == 0 then return end
    run_wave(ctx, children, started, depth)
    step = step + 1
  end
end

--- The tool result for the delegating agent.
---@param delegation ck.flow.Delegation
---@return string
function delegate.answer(delegation)
  if #delegation.names == 1 then return delegation.answers[delegation.names[1]] end
  local parts = {}
  for i, name in ipairs(delegation.names) do
    parts[i] = ("[%s]\n%s"):format(name, delegation.answers[name])
  end
  return table.concat(parts, "\n\n")
end

local function serve(loop, items, given)
  local delegations, problems, asked = {}, {}, loop.items.asked or {}
  loop.items.asked = asked
  for at, item in ipairs(items) do
    local refused = given.refuse and given.refuse(loop)
    local delegation, problem
    if not refused then
      delegation, problem = reader.read(item.call.arguments, given.targets, asked)
    end
    problems[at] = refused or problem and "Error: " .. problem
    if delegation then
      loop.items.count = (loop.items.count or 0) + 1
      delegation.index, delegation.id = at, given.prefix(loop) .. loop.items.count
      delegations[#delegations + 1] = delegation
    end
  end
  if #delegations > 0 then delegate.perform(loop.ctx, delegations, given.who, given.depth) end
  for _, delegation in ipairs(delegations) do
    problems[delegation.index] = delegate.answer(delegation)
  end
  for at, item in ipairs(items) do calls.answer(loop, item, problems[at]) end
  loop.delegated = loop.delegated or #delegations > 0
end

--- The tool for a model. All calls of one message are carried out side by side.
---@param given { targets: table<string, any>, who: string, depth: integer,
---  prefix: (fun(loop: table): string), refuse: nil|(fun(loop: table): string|nil),
---  hidden: boolean|nil }
---@return table tool
function delegate.tool(given)
  local name = { type = "string", description = "One of: " .. reader.known(given.targets) }
  local names = { type = "array", items = name }
  return {
    name = "delegate", hidden = given.hidden,
    serve = function(loop, items) return serve(loop, items, given) end,
    description = "Ask other agents, who remember what they were asked before. "
      .. "Give one of target, parallel (at the same time) and "
      .. "sequential (each sees the answers of those before).",
    parameters = {
      type = "object", required = ck.array { "message" },
      properties = {
        target = name, parallel = names, sequential = names,
        message = { type = "string", description = "What they are asked." },
      },
    },
  }
end

return delegate
