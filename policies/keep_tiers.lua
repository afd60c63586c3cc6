--- Keep all checkpoints of the last hour, the last one of each hour for a day, and the last one of
--- each day after that.

---@class ck.policy.KeepTiers : ck.Policy
local policy = {
  name = "keep_tiers",
  version = 1,
  options = {
    all_s = 3600,
    hourly_s = 86400,
    protect = false, -- true: what it keeps no other policy may drop
  },
  allowed = { all_s = { 0 }, hourly_s = { 0 } },
}

local hour_ms, day_ms = 3600 * 1000, 86400 * 1000

---@param history ck.History
---@param opt { all_s: integer, hourly_s: integer, protect: boolean }
---@return ck.Plan
function policy.prune(history, opt)
  local drop, keep = {}, {}
  local now, all_ms, hourly_ms = history.now, opt.all_s * 1000, opt.hourly_s * 1000
  local hours, days = {}, {}
  for i = #history, 1, -1 do
    local checkpoint = history[i]
    local created = checkpoint.created
    local age = now - created
    local hour, day = created // hour_ms, created // day_ms
    -- The newest of an hour counts for its hour even when its age alone keeps it.
    local kept = age <= all_ms or (age <= hourly_ms and not hours[hour])
      or (age > hourly_ms and not days[day])
    hours[hour], days[day] = true, true
    if not kept then
      drop[#drop + 1] = checkpoint.id
    elseif opt.protect then
      keep[#keep + 1] = checkpoint.id
    end
  end
  return { drop = drop, keep = keep }
end

return policy
