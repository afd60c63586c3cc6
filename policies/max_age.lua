--- Refuse a resume, or have a person approve it, when the session has rested for too long.

---@class ck.policy.MaxAge : ck.Policy
local policy = {
  name = "max_age",
  version = 1,
  options = {
    hours = 24,  -- since its last run, or since a person answered a question of its flow
    ask = false, -- true: a person decides
  },
  allowed = { hours = { 0 } },
}

---@param session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt { hours: number, ask: boolean }
---@return ck.Rules|nil
function policy.resume(session, _checkpoint, opt)
  local hours = (session.now - session.updated) / 3600000
  if hours <= opt.hours then return nil end
  -- An answer holds for the very question, which so has no hours that go on.
  if opt.ask then return ck.ask(("It has rested for more than %g h. Go on?"):format(opt.hours)) end
  return ck.refuse(("it has rested for %.3g h, more than %g h"):format(hours, opt.hours))
end

return policy
