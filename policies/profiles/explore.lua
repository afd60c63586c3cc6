--- Long explorations that are gone back on: the model marks where it starts and comes back with a
--- report; every round can be returned to for an hour, then one an hour, then one a day.

return {
  name = "explore",
  extends = "loop",
  checkpoint_tool = { enabled = true, subagents = false },
  policies = { "tool_rounds", "before_effect", "keep_tiers" },
}
