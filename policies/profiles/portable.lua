--- Runs that move elsewhere as a document: a durable checkpoint after every iteration; usage begins
--- anew in the new run.

return {
  name = "portable",
  extends = "default",
  policies = {
    { "every_boundary", every_n_iterations = 1, async = false }, { "keep_recent", count = 1 },
  },
  resume = {
    time = "reset", budget = "reset", rounds = "reset", tokens = "reset", tool_calls = "reset",
  },
}
