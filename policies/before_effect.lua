--- Checkpoint before a step that touches the outside world, so that a crash never repeats what the
--- agent can no longer see.

---@class ck.policy.BeforeEffect : ck.Policy
local policy = {
  name = "before_effect",
  version = 1,
  options = {
    classes = { "once" },
    async = false, -- true: the effect may begin before the checkpoint is durable
  },
  allowed = { classes = { "pure", "idempotent", "reconcilable", "once" } },
}

local function has(list, name)
  for i = 1, #list do
    if list[i] == name then return true end
  end
  return false
end

-- The first of what comes next that is of these classes.
local function find(at, classes)
  local coming = at.next
  local class = coming.class
  if class and has(classes, class) then return coming.tool or coming.node or class end
  local calls = at.calls
  for i = 1, calls and #calls or 0 do
    local call = calls[i]
    if call.class and has(classes, call.class) then return call.tool end
  end
end

---@param at ck.Boundary
---@param opt table
---@return string|ck.Decision|nil
function policy.checkpoint(at, opt)
  local found = find(at, opt.classes)
  if not found then return nil end
  local reason = "before " .. found
  return opt.async and reason or { reason = reason, durability = "sync" }
end

return policy
