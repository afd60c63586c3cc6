--- Four scopes side by side, two tools at once in each, taken in as they end; one of them forks
--- again.

local flow = require "ck.flow"

local function count(ctx, from)
  local asks = {}
  for i = 1, 2 do
    asks[i] = {
      kind = "tool", class = "reconcilable", ordinal = i,
      request = { name = "count", arguments = { n = from + i } },
    }
  end
  local outcomes = ctx.effects(asks)
  return outcomes[1].result .. outcomes[2].result
end

local function take_in(ctx, ended)
  for _, how in pairs(ended) do
    if how.error then error(how.error, 0) end
    for key, text in pairs(how.writes) do ctx.put(key, text or nil) end
  end
end

local function branch(ctx, task)
  if not ctx.position then
    ctx.memory["first_" .. task.n] = count(ctx, 10 * task.n)
    ctx.boundary("step_complete", { position = { path = "second" } })
  end
  if task.n == 2 then
    ctx.fork { { scope = "leaf", task = { n = 7 }, agent = "leaf" } }
    take_in(ctx, ctx.join { "leaf" })
  end
  ctx.memory["second_" .. task.n] = count(ctx, 10 * task.n + 5)
  return task.n
end

local function run(ctx)
  if ctx.task then return branch(ctx, ctx.task) end
  local left = {}
  for n = 1, 4 do left[n] = "s" .. n end
  if not ctx.position then
    local children = {}
    for n = 1, 4 do children[n] = { scope = left[n], task = { n = n }, agent = "agent" .. n } end
    ctx.fork(children)
  else
    left = ctx.position.left
  end
  for round = ctx.position and ctx.position.round + 1 or 1, 4 do
    if #left == 0 then break end
    local ended, rest = ctx.join_any(left), {}
    take_in(ctx, ended)
    for _, scope in ipairs(left) do
      if not ended[scope] then rest[#rest + 1] = scope end
    end
    left = rest
    ctx.boundary("step_complete", {
      position = { path = "round#" .. round, round = round, left = left },
    })
  end
  return { done = true }
end

return flow.custom {
  name = "fork",
  run = run,
  tools = { count = flow.command {
    argv = { "./count" }, probe = { "./count_probe" }, class = "reconcilable",
  } },
}
