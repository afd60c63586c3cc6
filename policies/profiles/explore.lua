--- Long explorations that are gone back on: every round can be returned to for an hour, then one an hour, then one a day.

return {
  name = "explore",
  extends = "loop",
  policies = { "tool_rounds", "before_effect", "keep_tiers" },
}
