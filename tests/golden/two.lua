--- The profile of the golden sessions that are pruned while they run. Never to be changed.
return { name = "two", extends = "default", policies = { "every_boundary", { "keep_recent", count = 2 } }, prune_every_n_nodes = 2 }
