--- growing_wait_test.lua - growing_wait, hook by hook.
local test = require "ck.test"
local policy = test.policy("./growing_wait.lua", { wait_ms = 10 })

return {
  test_grows = function()
    test.equal({ policy.on_failure { try = 1 } }, { "retry", 10 })
    test.equal({ policy.on_failure { try = 2 } }, { "retry", 40 })
  end,
  test_asked = function()
    test.equal({ policy.on_failure { try = 1, retry_after = 700 } }, { "retry", 700 })
  end,
  test_a_person = function() test.equal(policy.on_failure { try = 3 }, "pause") end,
}
