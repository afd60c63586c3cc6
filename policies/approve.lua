--- Has a person approve what cannot be taken back, by default only once something untrusted was
--- read, such as a page of the web.

---@class ck.policy.Approve : ck.Policy
local policy = {
  name = "approve",
  version = 1,
  options = {
    classes = { "once" }, -- of effects that a person approves
    untrusted = true,     -- false: also where nothing untrusted is in the agent's context
  },
  allowed = { classes = { "pure", "idempotent", "reconcilable", "once" } },
}

local function has(list, name)
  for i = 1, #list do
    if list[i] == name then return true end
  end
  return false
end

---@param effect ck.Effect
---@param _at ck.Boundary
---@param opt { classes: string[], untrusted: boolean }
---@return ck.Permission|nil
function policy.permit(effect, _at, opt)
  local class = effect.class
  if not has(opt.classes, class) then return nil end
  local sources = effect.untrusted
  if opt.untrusted and #sources == 0 then return nil end
  local what = effect.tool or effect.kind
  local after = #sources > 0 and (" after reading " .. table.concat(sources, ", ")) or ""
  return ck.ask(("May %s (%s) be done%s?"):format(what, class, after))
end

return policy
