--- before_risky_test.lua - before_risky, hook by hook.
local test = require "ck.test"
local policy = test.policy "./before_risky.lua"

return {
  test_checkpoint = function()
    local at = { kind = "before_call", next = { tool = "deploy" } }
    local reason, durability = policy.checkpoint(at)
    test.equal({ reason, durability }, { "before deploy", "sync" })
    test.equal(policy.checkpoint { kind = "before_call", next = { tool = "search" } }, nil)
    test.equal(policy.checkpoint {}, nil)
  end,
  test_prune = function()
    local history = test.history(3, {}, { [2] = { tool = "deploy" } })
    local _, keep = policy.prune(history)
    test.equal(keep, ck.array { "c2" })
  end,
}
