--- An agent's tail holds the events it took part in: its own, those it is named in as the child,
--- delegations to it.

---@class ck.policy.TailInvolved : ck.Policy
local policy = {
  name = "tail_involved",
  version = 1,
  options = {
    children = true,    -- events whose body names it as childAgentId
    delegations = true, -- delegations it is a target of
  },
}

local lists = { "target", "targets", "parallel", "sequential" }
local names = { "agent", "target", "agentId" }

-- A target is a name, an object that has one, or a list of either.
local function names_agent(value, agent)
  if type(value) ~= "table" then return value == agent end
  for i = 1, #names do
    if value[names[i]] == agent then return true end
  end
  for i = 1, #value do
    if names_agent(value[i], agent) then return true end
  end
  return false
end

---@param event ck.Event
---@param agent string
---@param opt { children: boolean, delegations: boolean }
---@return boolean
function policy.tail(event, agent, opt)
  if event.agent == agent then return true end
  local is_delegation = opt.delegations and event.kind == "delegation"
  if not opt.children and not is_delegation then return false end
  local body = event.body
  if opt.children and body.childAgentId == agent then return true end
  if is_delegation then
    for i = 1, #lists do
      if names_agent(body[lists[i]], agent) then return true end
    end
  end
  return false
end

return policy
