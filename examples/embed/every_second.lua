--- every_second.lua - keeps every second step, and none of the work of more than a dollar.
return {
  name = "every_second",
  constraints = { budget_usd = 1.00 },
  policies = { { "every_n", n = 2 } },
}
