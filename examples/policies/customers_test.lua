--- customers_test.lua - customers, hook by hook.
local test = require "ck.test"
local policy = test.policy "./customers.lua"

local function written(value) return policy.redact { key = "memory.x", value = value } end

return {
  test_a_name = function()
    test.equal(written "Call Ada Lovelace back.", "Call a customer back.")
  end,
  test_a_number = function() test.equal(written "of C-00042, open", "of a customer, open") end,
  test_below = function()
    test.equal(written { list = { "Grace Hopper", 7 } }, { list = { "a customer", 7 } })
  end,
  test_others_stay = function()
    test.equal(written "Adam Lovelace-King, C-1", nil)
    test.equal(written {}, nil)
  end,
}
