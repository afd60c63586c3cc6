--- house.lua - no resume after a day of rest, none over three dollars without a person, and what
--- cannot be taken back is approved once the agent has read what nobody vouches for.

return {
  name = "house",
  extends = "default",
  policies = {
    "tool_rounds", { "max_age", hours = 24 }, { "approve_over", usd = 3 }, "approve",
  },
}
