--- Refuse a resume, or have a person approve it, when an agent would go on with another model.

---@class ck.policy.SameModel : ck.Policy
local policy = {
  name = "same_model",
  version = 1,
  options = {
    agents = { "*" }, -- whose model must stay; "*": everyone's
    ask = false,      -- true: a person decides
  },
}

---@param opt { agents: string[] }
---@return string|nil
function policy.check(opt)
  if #opt.agents > 0 then return nil end
  return "option 'agents': empty, any model may change: list agents, or '*' for all of them"
end

local function contains(list, agent)
  for i = 1, #list do
    if list[i] == "*" or list[i] == agent then return true end
  end
  return false
end

--- The first difference, and how many more there are.
local function compare(models, agents)
  local first, more = nil, 0
  for i = 1, #models do
    local use = models[i]
    local other = use.was and use.was ~= use.now and contains(agents, use.agent)
    if other and first then more = more + 1 end
    if other and not first then first = use end
  end
  return first, more
end

---@param session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt { agents: string[], ask: boolean }
---@return ck.Rules|nil
function policy.resume(session, _checkpoint, opt)
  local use, more = compare(session.models, opt.agents)
  if not use then return nil end
  local text = "agent " .. (use.agent or "without a name") .. " had the model " .. use.was
    .. " and would have " .. (use.now or "none: the profile has no model '" .. use.name .. "'")
  if more > 0 then text = text .. "; and " .. more .. " more" end
  if opt.ask then return ck.ask(text .. ". Go on?") end
  return ck.refuse(text)
end

return policy
