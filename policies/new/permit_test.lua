--- my_policy_test.lua - what my_policy answers, and when; run by "ckrun policy test my_policy.lua".

local test = require "ck.test"
local policy = test.policy("./my_policy.lua")

local function answer(effect)
  local word, text = policy.permit(effect)
  return (word or "allow") .. ": " .. (text or "")
end

return {
  test_program = function()
    local effect = { kind = "exec", request = { argv = { "rm", "all" } } }
    test.equal(answer(effect), "deny: 'rm' is never run")
  end,
  test_tool = function()
    test.equal(answer { tool = "send", class = "once" }, "ask: Call send?")
    test.equal(answer { tool = "look", class = "pure" }, "allow: ")
  end,
}
