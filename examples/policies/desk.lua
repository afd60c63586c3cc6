--- desk.lua - the researcher may lose work and goes on by itself; what the writer does is kept at
--- once, and each failure is looked at.

return {
  name = "desk",
  extends = "default",
  resume_context = "tail",
  policies = { "./customers.lua" },
  agents = {
    researcher = {
      policies = {
        { "tool_rounds" },
        { "./growing_wait.lua", wait_ms = 10 },
        { "./doubt_by_tool.lua", rerun = { "search" } },
        "./quiet_tail.lua",
        { "redact_keys", keys = { source = "drop" } },
      },
    },
    writer = {
      extend = false,
      policies = {
        { "before_effect", classes = { "once" } },
        { "./doubt_by_tool.lua", rerun = {}, tell = { "publish" } },
        "tail_involved",
        { "redact_keys", keys = { price = "mask" } },
      },
    },
  },
}
