--- Checkpoint once the work at risk is expected to cost more than a checkpoint does: the rule of Young and Daly, in money.
--
-- Young (1974, doi 10.1145/361147.361115) and Daly (2006, doi 10.1016/j.future.2004.11.016): with a checkpoint of C seconds and
-- L failures a second, an interval of sqrt(2 C / L) loses least. That is where L T * T / 2, the work expected to be lost so
-- far, reaches C. Here work is worth what it cost in dollars and what its time is worth, so the same point is where
-- L (T / 2) W reaches the price of a checkpoint. Work does not come evenly (one model call can cost a dollar), and the next
-- chance is a boundary away: the time until then, taken to be as long as the last node, puts all of W at risk.

---@class ck.policy.ExpectedLoss : ck.Policy
local policy = {
  name = "expected_loss",
  version = 1,
  options = {
    failures_per_hour = 0.5, -- as observed in sessions of this kind
    unclean_factor = 10,     -- failures come in clusters: this many times as often after a retry or a failure
    usd_per_hour = 20,       -- what an hour of waiting is worth
    checkpoint_ms = 1,       -- what a checkpoint costs until one was measured
  },
}

---@param at ck.Boundary
---@param opt table
---@return string|nil reason
function policy.checkpoint(at, opt)
  local since = at.since
  local seconds = since.ms / 1000
  local usd_per_second = opt.usd_per_hour / 3600
  local lost = since.cost_usd + seconds * usd_per_second
  if lost <= 0 then return nil end
  local rate = opt.failures_per_hour / 3600
  if not at.is_clean then rate = rate * opt.unclean_factor end
  local cost_ms = at.checkpoint_cost_ms
  if cost_ms <= 0 then cost_ms = opt.checkpoint_ms end
  local price = cost_ms / 1000 * usd_per_second
  local expected = rate * (seconds / 2 + at.latency_ms / 1000) * lost
  if expected >= price then return "work worth " .. lost .. " dollars is at risk" end
end

return policy
