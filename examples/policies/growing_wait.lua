--- growing_wait.lua - what fails is tried twice more, each time after a longer wait, or after what
--- the service asks for; then the session pauses, and a person looks.

---@class GrowingWait : ck.Policy
local policy = { name = "growing_wait", version = 1, options = { wait_ms = 2000, factor = 4 } }

---@param failure ck.Failure
---@param opt { wait_ms: integer, factor: integer }
function policy.on_failure(failure, _, opt)
  if failure.try > 2 then return "pause" end
  local wait = opt.wait_ms * opt.factor ^ (failure.try - 1)
  return { "retry", wait_ms = failure.retry_after or math.floor(wait) }
end

return policy
