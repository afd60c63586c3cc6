--- Version 2 of the flow calls `memory.name` `memory.title`.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1 }

---@param document table the keys of the session's state
---@param from integer the version of the flow that it has
---@param to integer that of the flow that goes on
---@return table document
function policy.migrate(document, from, to)
  if from < 2 and to >= 2 then
    document["memory.title"], document["memory.name"] = document["memory.name"], nil
  end
  return document
end

return policy
