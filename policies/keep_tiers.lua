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

local hour_ms, hours_of_day = 3600 * 1000, 24

---@param history ck.History
---@param opt { all_s: integer, hourly_s: integer, protect: boolean }
---@return ck.Plan|nil
function policy.prune(history, opt)
  local count, protect, drop, keep = #history, opt.protect, nil, nil
  if count == 0 then return nil end
  local now, all_ms, hourly_ms = history.now, opt.all_s * 1000, opt.hourly_s * 1000
  local hours, days, last = {}, {}, nil
  for i = count, 1, -1 do
    local checkpoint = history[i]
    local created = checkpoint.created
    local age, hour = now - created, created // hour_ms
    local day = hour // hours_of_day
    -- The newest of an hour counts for its hour even when its age alone keeps it.
    local kept = age <= all_ms or hour ~= last
      and not (age <= hourly_ms and hours[hour] or age > hourly_ms and days[day])
    if hour ~= last then hours[hour], days[day], last = true, true, hour end
    if not kept then
      drop = drop or {}
      drop[#drop + 1] = checkpoint.id
    elseif protect then
      keep = keep or {}
      keep[#keep + 1] = checkpoint.id
    end
  end
  return (drop or keep) and { drop = drop, keep = keep }
end

return policy
