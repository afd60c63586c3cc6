--- A checkpoint between each answer of a model and its calls, waited for before tools, not before
--- delegations.

return {
  name = "before_call",
  extends = "default",
  policies = {
    "tool_rounds", { "before_effect", classes = { "reconcilable" } },
    { "smart", risky = { "delegate", "finish" } },
  },
}
