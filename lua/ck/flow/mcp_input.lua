--- A call of an MCP server's tool that wants something before it goes on: a person or a model is
--- asked, and the call is made again with the answers. Each call and each question is an effect of
--- its own, so that a person may take their time, also beyond this process, and no model is paid
--- twice.

local elicitation = require "ck.flow.elicitation"
local quote = require "ck.flow.quote"
local sampling = require "ck.flow.sampling"

local mcp_input = {}

local ROUNDS, TRIES, WISHES = 10, 5, 20
-- Clear of the ordinals of calls and of lists of tools; rounds behind the tenth have theirs further
-- on.
local FIRST_ORDINAL, FAR_ORDINAL = 2000000, 1000000000

local function ordinal_of(item, round, number)
  if round > 10 then
    return FAR_ORDINAL + item.index * 100000 + round * 1000 + (number or 0)
  end
  return FIRST_ORDINAL + item.index * 10000 + round * 1000 + (number or 0)
end

local function rounds_of(tool)
  return ROUNDS + (tool.sampling and tool.sampling.max_calls or 0)
end

local function cancelled() return '{"action":"cancel"}' end

---@class ck.flow.Asking
---@field loop table
---@field item table
---@field sampled integer     how often a model was asked in this call
---@field refused string|nil  what the server does not get
---@field hint string|nil     for whom it asks

--- A person is asked until the answer can be sent. Nil: the recording has no more.
local function ask(self, params, ordinal)
  local loop, problem = self.loop, nil
  for try = 1, TRIES do
    local outcome = loop.ctx.effect {
      kind = "ask", class = "idempotent", agent = loop.def.name,
      request = elicitation.question(self.item.tool.server, params, problem, self.hint),
      ordinal = ordinal + try,
    }
    if outcome.status == "ended" then return nil end
    if outcome.status ~= "ok" then return cancelled() end
    local response
    response, problem = elicitation.read(loop.ctx, params, outcome.result)
    if response then return response end
  end
  return cancelled()
end

local function refuse(self, problem)
  self.refused = problem
  return ('{"refused":%s}'):format(quote("sampling was refused: " .. problem))
end

--- Nil: the recording has no more.
local function sample(self, params, ordinal)
  local loop, tool = self.loop, self.item.tool
  if self.sampled >= tool.sampling.max_calls then
    return refuse(self, ("it asked a model %d times in one call, the most that max_calls allows")
      :format(self.sampled))
  end
  local request, problem = sampling.request(tool, loop.def.model, params)
  if not request then return refuse(self, problem) end
  self.sampled = self.sampled + 1
  local outcome = loop.ctx.effect {
    kind = "model", class = "pure", agent = loop.def.name, source = loop.source, request = request,
    ordinal = ordinal,
  }
  if outcome.status == "ended" then return nil end
  if outcome.status ~= "ok" then return refuse(self, outcome.error or "no reason was given") end
  return sampling.response(request, params, outcome)
end

local answers = { ["elicitation/create"] = ask, ["sampling/createMessage"] = sample }

--- The members of inputs' responses, by name; nil: the recording has no more.
local function responses_to(self, requests, round)
  local names, members = {}, {}
  for name in pairs(type(requests) == "table" and requests or {}) do names[#names + 1] = name end
  table.sort(names)
  if #names > WISHES then
    self.refused = ("it wants %d things at once, more than %d"):format(#names, WISHES)
    return "{}"
  end
  for at, name in ipairs(names) do
    local answer = answers[requests[name].method]
    local response = answer
      and answer(self, requests[name].params, ordinal_of(self.item, round, at * 10))
    if answer and not response then return nil end
    if response then members[#members + 1] = quote(name) .. ":" .. response end
    if self.refused then break end
  end
  return "{" .. table.concat(members, ",") .. "}"
end

local function give_up(self, why)
  local loop, call = self.loop, self.item.call
  loop.ctx.message {
    role = "tool", call_id = call.call_id, name = call.name, agent = loop.def.name,
    content = ("Error: the MCP server '%s' did not go on: %s"):format(self.item.tool.server, why),
  }
end

-- A call that may not be repeated ends with the process that waits in it.
local function hint_for(tool, waits)
  if not waits or tool.class == "pure" or tool.class == "idempotent" then return nil end
  return "(The call waits in its server for as long as this run: an answer that comes later finds "
    .. "it in doubt, and is told to it when a person has it made anew.)"
end

--- The outcome of a call may say that the tools of its server are others now; a recording's may say
--- so of a tool that is no server's.
---@param loop table
---@param item table
---@param outcome table
function mcp_input.note_changes(loop, item, outcome)
  local server = item.tool.server
  if outcome.tools_changed and server then loop.changed[server] = true end
end

--- Goes on with the call whose outcome wants something, until it does not. `ask_of` makes the
--- effect of a call. False: the recording has no more.
---@param loop table
---@param item table
---@param outcome table
---@param ask_of fun(loop: table, item: table): table
---@return boolean
function mcp_input.settle(loop, item, outcome, ask_of)
  local self = { loop = loop, item = item, sampled = 0 }
  local rounds = rounds_of(item.tool)
  for round = 1, rounds do
    if not outcome.wants then return true end
    self.hint = hint_for(item.tool, outcome.result.waits)
    local responses = responses_to(self, outcome.result.requests, round)
    if not responses then return false end
    local waits = outcome.result.waits -- an older server is told of a refusal
    if self.refused and not waits then break end
    local asked = ask_of(loop, item)
    local input = ('{"input":{"of":%s,"responses":%s},'):format(outcome.raw, responses)
    asked.request = input .. asked.request:sub(2)
    asked.ordinal = ordinal_of(item, round)
    outcome = loop.ctx.effect(asked)
    mcp_input.note_changes(loop, item, outcome)
    self.refused = nil
    if outcome.status == "ended" then return false end
  end
  if outcome.wants then
    give_up(self, self.refused or ("it asked %d times"):format(rounds))
  end
  return true
end

return mcp_input
