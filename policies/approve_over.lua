--- Have a person approve each resume of a session that has spent more than `usd`.

---@class ck.policy.ApproveOver : ck.Policy
local policy = {
  name = "approve_over",
  version = 1,
  options = {
    usd = 3, -- in all, whatever was reset since
  },
  allowed = { usd = { 0 } },
}

---@param session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt { usd: number }
---@return ck.Rules|nil
function policy.resume(session, _checkpoint, opt)
  if session.cost_usd <= opt.usd then return nil end
  return ck.ask(("The session has spent $%.2f, more than $%.2f. Go on?"):format(session.cost_usd,
    opt.usd))
end

return policy
