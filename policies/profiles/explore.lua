--- Long explorations with rewinds: the model marks their begin and returns with a report.
--- Checkpoints of all rounds are kept for an hour, then one an hour, then one a day.

return {
  name = "explore",
  extends = "loop",
  checkpoint_tool = { enabled = true, subagents = false },
  policies = { "tool_rounds", "before_effect", "keep_tiers" },
}
