--- Rounds of agents that deliberate: a checkpoint at each round and tool round, tails of 50 events,
--- fresh time after a pause.

return {
  name = "deliberation",
  extends = "default",
  constraints = { transcript_replay_depth = 50, on_limit = "pause" },
  policies = {
    { "every_boundary", on_node_start = false, on_node_complete = false },
    "tail_involved",
    "resume_limits",
  },
  resume = {
    time = "reset", budget = "continue", rounds = "continue", tokens = "continue",
    tool_calls = "continue",
  },
}
