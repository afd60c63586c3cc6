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

-- At least cents, and as many digits as there are.
local function dollars(usd)
  return "$" .. ck.gsub(("%.6f"):format(usd), "(\\.\\d\\d\\d*?)0+$", "$1")
end

---@param session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt { usd: number }
---@return ck.Rules|nil
function policy.resume(session, _checkpoint, opt)
  if session.cost_usd <= opt.usd then return nil end
  return ck.ask(("The session has spent %s, more than %s. Go on?"):format(
    dollars(session.cost_usd), dollars(opt.usd)))
end

return policy
