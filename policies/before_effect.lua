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
}

---@param at ck.Boundary
---@param opt table
---@return string|ck.Decision|nil
function policy.checkpoint(at, opt)
  local coming = at.next
  local class = coming.class
  if not class then return nil end
  local classes = opt.classes
  for i = 1, #classes do
    if classes[i] == class then
      local reason = "before " .. (coming.tool or coming.node or class)
      return opt.async and reason or { reason = reason, durability = "sync" }
    end
  end
end

return policy
