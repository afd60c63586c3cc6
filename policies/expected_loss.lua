--- Checkpoint once the work at risk is expected to cost more than a checkpoint does: the rule of
--- Young and Daly, in money.
--
-- Young (1974, doi 10.1145/361147.361115) and Daly (2006, doi 10.1016/j.future.2004.11.016): with a
-- checkpoint of C seconds and L failures a second, an interval of sqrt(2 C / L) loses least. It
-- ends where the loss expected in it, L T * T / 2, has reached C. Here work is worth dollars: its
-- cost, the value of its time, and a little for tokens, which would all have to be produced again.
-- While W dollars of work come together at the long-run rate of R an hour, L W / R failures are
-- expected, and each loses half of W: the checkpoint is due where L W / R * W / 2 reaches its
-- price. The long-run rate, and not the time since the last checkpoint: one call can cost a dollar
-- in a second, and is no cheaper to lose for that.
--
-- Failures that come with events (a program that crashes, a service that refuses) strike the cheap
-- session as often as the dear one: N events bring F N of them, and each loses half of W, too.
-- `ckrun policy tune` finds F and the values for sessions like those recorded.
--
-- Where no price is known (`since.cost_usd` is 0: a local model, a subscription, a source that does
-- not tell) each call of a tool stands for the round of the model that asked for it.

---@class ck.policy.ExpectedLoss : ck.Policy
local policy = {
  name = "expected_loss",
  version = 3,
  options = {
    failures_per_hour = 0.5,       -- as observed in sessions of this kind
    failures_per_event = 0,        -- those besides that come with events, however quick and cheap
    -- failures come in clusters: the factor after a retry or a failure
    unclean_factor = 10,
    -- R: work of a session of this kind in an hour, time and tokens included
    work_usd_per_hour = 25,
    usd_per_hour = 5,              -- what an hour of waiting is worth
    usd_per_million_tokens = 0.5,  -- what tokens are worth beyond their price
    -- a call of a tool where nothing has a price: the median of 15 recorded sessions that have
    -- prices (tau2_bench with gpt-4.1: 0.006 to 0.009, a coding session of pi: 0.08)
    usd_per_tool_call = 0.008,
    checkpoint_ms = 1,             -- what a checkpoint costs until one was measured
  },
  ranges = {
    failures_per_hour = { 0.001, 10 },
    failures_per_event = { 0.000000001, 0.1 },
    usd_per_hour = { 0.05, 20 },
    usd_per_million_tokens = { 0.001, 5 },
    usd_per_tool_call = { 0.00001, 0.1 },
  },
  allowed = {
    failures_per_hour = { 0 }, unclean_factor = { 0 }, work_usd_per_hour = { 0.000001 },
    failures_per_event = { 0 }, usd_per_hour = { 0 }, usd_per_million_tokens = { 0 },
    usd_per_tool_call = { 0 }, checkpoint_ms = { 0 },
  },
}

---@param at ck.Boundary
---@param opt table
---@return string|nil reason
function policy.checkpoint(at, opt)
  local since = at.since
  local usd_per_ms, paid = opt.usd_per_hour / 3600000, since.cost_usd
  local work = paid + since.ms * usd_per_ms + since.tokens * opt.usd_per_million_tokens / 1000000
  if paid == 0 then work = work + since.tool_calls * opt.usd_per_tool_call end
  if work <= 0 then return nil end
  local failures = opt.failures_per_hour * work / opt.work_usd_per_hour
    + opt.failures_per_event * since.events
  if not at.is_clean then failures = failures * opt.unclean_factor end
  local cost_ms = at.checkpoint_cost_ms
  if cost_ms <= 0 then cost_ms = opt.checkpoint_ms end
  local expected = failures * work / 2
  if expected >= cost_ms * usd_per_ms then return "work worth " .. work .. " dollars is at risk" end
end

return policy
