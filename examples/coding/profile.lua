--- What the agent may do: read and edit files here; whatever else it wants, a person is asked for.
return {
  name = "coding",
  extends = "graph",
  permissions = { ["*"] = "ask", read = "allow", edit = "allow" },
  agent_files = true,
}
