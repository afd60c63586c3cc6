--- A person is asked before what cannot be taken back; programs that delete are denied.

---@class MyPolicy : ck.Policy
local policy = { name = "my_policy", version = 1, options = { never = { "rm" } } }

---@param effect ck.Effect
---@param _at ck.Boundary
---@param opt { never: string[] }
---@return ck.Permission|nil
function policy.permit(effect, _at, opt)
  local program = effect.kind == "exec" and effect.request.argv[1]
  for i = 1, #opt.never do
    if program == opt.never[i] then return ck.deny("'" .. program .. "' is never run") end
  end
  if effect.kind == "tool" and effect.class == "once" then
    return ck.ask("Call " .. effect.tool .. "?")
  end
end

return policy
