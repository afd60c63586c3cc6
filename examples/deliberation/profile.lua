--- The deliberation's profile with a small budget, of which no analyst may spend more than a part.

return {
  name = "small-deliberation",
  extends = "deliberation",
  constraints = { budget_usd = 0.75, on_limit = "pause" },
  agents = { cost = { constraints = { budget_usd = 0.50, transcript_replay_depth = 20 } } },
}
