--- Checkpoint where losing the work would hurt: after a slow node, many changes or much money, and
--- before something risky.

---@class ck.policy.Smart : ck.Policy
local policy = {
  name = "smart",
  version = 1,
  options = {
    slow_ms = 30000,        -- a node or turn that took longer
    changed_keys = 10,      -- more keys than this since the last checkpoint
    usd = 0.25,             -- this much spent since then
    classes = { "once" },   -- effects of these classes come next
    risky = {},             -- so do these tools or nodes
  },
  allowed = {
    slow_ms = { 0 }, changed_keys = { 0 }, usd = { 0 },
    classes = { "pure", "idempotent", "reconcilable", "once" },
  },
}

local function has(list, name)
  for i = 1, #list do
    if list[i] == name then return true end
  end
  return false
end

-- The first call of a model's answer that is risky.
local function find(calls, opt)
  for _, call in ipairs(calls) do
    if has(opt.risky, call.tool) or call.class and has(opt.classes, call.class) then
      return call.tool
    end
  end
end

---@param at ck.Boundary
---@param opt table
---@return string|nil reason
function policy.checkpoint(at, opt)
  local latency = at.latency_ms
  if latency > opt.slow_ms then return "slow: " .. latency .. " ms" end
  local since = at.since
  local keys = since.changed_keys
  if keys > opt.changed_keys then return keys .. " changed keys" end
  local usd = since.cost_usd
  if usd >= opt.usd and usd > 0 then return usd .. " dollars at stake" end
  local coming = at.next
  local class, tool, node = coming.class, coming.tool, coming.node
  if class and has(opt.classes, class) then return "before " .. (tool or node or class) end
  local calls = at.calls
  local call = calls and find(calls, opt)
  if call then return "before " .. call end
  if not tool and not node then return nil end
  local risky = opt.risky
  if tool and has(risky, tool) then return "before " .. tool end
  if node and has(risky, node) then return "before " .. node end
end

return policy
