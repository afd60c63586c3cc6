--- Graphs of nodes: a checkpoint around every node without waiting for it, the newest hundred kept
--- (also while it runs), credentials never written.

return {
  name = "graph",
  extends = "default",
  policies = {
    {
      "every_boundary", on_node_start = true, on_node_complete = true, on_edge = false,
      every_n_iterations = 0, async = true,
    },
    { "keep_recent", count = 100 },
    "resume_limits",
  },
  prune_every_n_nodes = 10,
  exclude_memory_keys = { "api_key", "credentials", "access_token" },
}
