--- A call of an MCP server's tool that wants something before it goes on: a person is asked, and
--- the call is made again with the answers. Each call and each question is an effect of its own, so
--- that a person may take their time, also beyond this process.

local elicitation = require "ck.flow.elicitation"

local mcp_input = {}

local ROUNDS, TRIES = 10, 5
-- Clear of the ordinals of calls and of lists of tools.
local FIRST_ORDINAL = 2000000

local function ordinal_of(item, round, number)
  return FIRST_ORDINAL + item.index * 10000 + round * 1000 + (number or 0)
end

local function cancelled() return '{"action":"cancel"}' end

--- A person is asked until the answer can be sent. Nil: the recording has no more.
local function ask(loop, item, params, number)
  local problem
  for try = 1, TRIES do
    local outcome = loop.ctx.effect {
      kind = "ask", class = "idempotent", agent = loop.def.name,
      request = elicitation.question(item.tool.server, params, problem),
      ordinal = number + try,
    }
    if outcome.status == "ended" then return nil end
    if outcome.status ~= "ok" then return cancelled() end
    local response
    response, problem = elicitation.read(loop.ctx, params, outcome.result)
    if response then return response end
  end
  return cancelled()
end

--- The members of inputs' responses, by name; nil: the recording has no more.
local function responses_to(loop, item, requests, round)
  local names, members = {}, {}
  for name in pairs(type(requests) == "table" and requests or {}) do names[#names + 1] = name end
  table.sort(names)
  for at, name in ipairs(names) do
    local request = requests[name]
    if request.method == "elicitation/create" then
      local response = ask(loop, item, request.params, ordinal_of(item, round, at * 10))
      if not response then return nil end
      members[#members + 1] = elicitation.quote(name) .. ":" .. response
    end
  end
  return "{" .. table.concat(members, ",") .. "}"
end

--- Goes on with the call whose outcome wants something, until it does not. `ask_of` makes the
--- effect of a call. False: the recording has no more.
---@param loop table
---@param item table
---@param outcome table
---@param ask_of fun(loop: table, item: table): table
---@return boolean
function mcp_input.settle(loop, item, outcome, ask_of)
  for round = 1, ROUNDS do
    if not outcome.wants then return true end
    local responses = responses_to(loop, item, outcome.result.requests, round)
    if not responses then return false end
    local asked = ask_of(loop, item)
    local input = ('{"input":{"of":%s,"responses":%s},'):format(outcome.raw, responses)
    asked.request = input .. asked.request:sub(2)
    asked.ordinal = ordinal_of(item, round)
    outcome = loop.ctx.effect(asked)
    if outcome.status == "ended" then return false end
  end
  if outcome.wants then
    loop.ctx.message {
      role = "tool", call_id = item.call.call_id, name = item.call.name, agent = loop.def.name,
      content = ("Error: the server asked %d times, and did not go on"):format(ROUNDS),
    }
  end
  return true
end

return mcp_input
