--- One model and its tools: a checkpoint between rounds of tools, before anything that cannot be
--- repeated, and usage carried forward.

return {
  name = "loop",
  extends = "default",
  policies = { "tool_rounds", "before_effect", { "keep_recent", count = 100 } },
  resume = {
    time = "continue", budget = "continue", rounds = "continue", tokens = "continue",
    tool_calls = "continue",
  },
}
