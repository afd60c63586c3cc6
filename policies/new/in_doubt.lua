--- Whether a call went through is not known: models are told so, all else waits for a person.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1 }

---@param effect ck.Effect
---@return "tell"|"stop"
function policy.in_doubt(effect)
  if effect.kind == "tool" then return "tell" end
  return "stop"
end

return policy
