return { name = "p", policies = { "every_boundary" }, exclude_memory_keys = { "diagnosis" } }
