--- One delegation: the agents it names, in parallel or in sequence, and the message.

---@class ck.flow.Delegation
---@field id string        unique in the session: "2.1", below it "2.1/3.1"
---@field names string[]   whom it asks
---@field how "target"|"targets"|"parallel"|"sequential"
---@field message string
---@field answers table<string, string>
---@field index integer|nil  of the call

local delegation = {}

local ways = { "target", "targets", "parallel", "sequential" }

local function list_of(value)
  if type(value) == "string" then return { value } end
  return type(value) == "table" and #value > 0 and value or nil
end

--- The agents of a delegation, and whether in parallel or in sequence.
local function read_targets(given)
  local how, names
  for _, way in ipairs(ways) do
    if given[way] ~= nil and given[way] ~= ck.null then
      if how then
        return nil, nil, ("give one of target, targets, parallel and sequential, not '%s' and '%s'")
          :format(how, way)
      end
      how, names = way, list_of(given[way])
      if not names then
        return nil, nil, ("'%s' must be the name of an agent, or a list of names"):format(way)
      end
    end
  end
  if not how then return nil, nil, "say whom: target, targets, parallel or sequential" end
  return how, names
end

--- The names of agents, for messages.
---@param of table<string, any>
---@return string
function delegation.known(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = name end
  return table.concat(names, ", ")
end

--- `asked`: the agents of delegations since the last boundary; those of this one are added.
---@param given table      { target|targets|parallel|sequential, message }
---@param targets table<string, any>  the agents that may be asked
---@param asked table<string, boolean>
---@return ck.flow.Delegation|nil
---@return string|nil problem
function delegation.read(given, targets, asked)
  local how, names, problem = read_targets(given)
  if problem then return nil, problem end
  if type(given.message) ~= "string" or given.message == "" then
    return nil, "'message' must be a text"
  end
  local seen = {}
  for _, name in ipairs(names) do
    if not targets[name] then
      return nil, ("there is no agent '%s' here, only: %s")
        :format(tostring(name), delegation.known(targets))
    end
    if seen[name] or asked[name] then
      return nil, ("the agent '%s' is asked already: ask it again when it has answered")
        :format(name)
    end
    seen[name] = true
  end
  for name in pairs(seen) do asked[name] = true end
  return { how = how, names = names, message = given.message, answers = {} }
end

return delegation
