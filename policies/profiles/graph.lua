--- Graphs of nodes: a checkpoint around every node without waiting for it, the newest hundred kept, credentials never written.

return {
  name = "graph",
  extends = "default",
  policies = {
    { "every_boundary", on_node_start = true, on_node_complete = true, on_edge = false, every_n_iterations = 0, async = true },
    { "keep_recent", count = 100 },
    "resume_limits",
  },
  exclude_memory_keys = { "api_key", "credentials", "access_token" },
}
