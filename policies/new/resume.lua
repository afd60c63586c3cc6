--- Active time begins anew at a resume; a session that spent `usd` is not resumed.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1, options = { usd = 3 } }

---@param session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt { usd: number }
---@return ck.Rules|nil
function policy.resume(session, _checkpoint, opt)
  if session.cost_usd >= opt.usd then return ck.refuse("it spent $" .. session.cost_usd) end
  return { time = "reset", budget = "continue" }
end

return policy
