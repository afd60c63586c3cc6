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
  local text, zeros = ("%.6f"):format(usd), 0
  while zeros < 4 and text:byte(-1 - zeros) == 48 do zeros = zeros + 1 end
  return "$" .. text:sub(1, -1 - zeros)
end

---@param session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt { usd: number }
---@return ck.Rules|nil
function policy.resume(session, _checkpoint, opt)
  local spent, most = session.cost_usd, opt.usd
  if spent <= most then return nil end
  return ck.ask("The session has spent " .. dollars(spent) .. ", more than " .. dollars(most)
    .. ". Go on?")
end

return policy
