--- The usage after a resume: time begins anew, all other usage is kept.

---@class ck.policy.ResumeLimits : ck.Policy
local policy = {
  name = "resume_limits",
  version = 1,
  options = {
    time = "reset",
    budget = "continue",
    rounds = "continue",
    tokens = "continue",
    tool_calls = "continue",
    model_calls = "continue",
  },
}

local rules = { "continue", "reset", "refuse" }
policy.allowed = {
  time = rules, budget = rules, rounds = rules, tokens = rules, tool_calls = rules,
  model_calls = rules,
}

---@param _session ck.Session
---@param _checkpoint ck.Checkpoint|nil
---@param opt table<string, ck.Rule>
---@return ck.Rules
function policy.resume(_session, _checkpoint, opt)
  return {
    time = opt.time, budget = opt.budget, rounds = opt.rounds, tokens = opt.tokens,
    tool_calls = opt.tool_calls, model_calls = opt.model_calls,
  }
end

return policy
