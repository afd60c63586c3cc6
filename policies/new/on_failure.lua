--- What may come back by itself is waited for: the session pauses, and a resume tries again.

---@class MyPolicy : ck.Policy
local policy = {
  name = "my_policy",
  version = 1,
  options = { pause_on = { "CK_E_UNAVAILABLE", "CK_E_NOT_FOUND" } },
}

---@param failure ck.Failure
---@param _at nil
---@param opt { pause_on: string[] }
---@return "pause"|nil
function policy.on_failure(failure, _at, opt)
  for i = 1, #opt.pause_on do
    if failure.status == opt.pause_on[i] then return "pause" end
  end
end

return policy
