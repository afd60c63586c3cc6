--- What a session of this project may spend, and which policies decide for it.

return {
  name = "project",
  extends = "default",
  constraints = { budget_usd = 1.00, rounds = 20 },
  policies = { { "./policy.lua", usd = 0.01 } },

  -- A model, once the environment has its key:
  -- secrets = { openai = "env:OPENAI_API_KEY" },
  -- models = {
  --   default = { api = "openai", model = "gpt-4o-mini", key = "openai",
  --     price = { input = 0.15, output = 0.60 } }, -- dollars for a million tokens
  -- },
}
