--- The profile of sessions without one: no limits, a checkpoint at every round of tool calls.

return {
  name = "default",
  constraints = { transcript_replay_depth = 50, on_limit = "pause" },
  policies = { "tool_rounds" },
}
