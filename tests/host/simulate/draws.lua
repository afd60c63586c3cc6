--- draws - a policy with every hook that draws each answer from all that the hook is shown.

local policy = { name = "draws", version = 1, options = { seed = 1, permits = true } }

--- A number below `most`, which hangs on the seed and on each of the values.
local function draw(opt, most, ...)
  local number = opt.seed + 2166136261
  for i = 1, select("#", ...) do
    local text = tostring((select(i, ...)))
    for k = 1, #text do number = ((number ~ text:byte(k)) * 16777619) % 4294967296 end
    number = (number * 31 + 7) % 4294967296
  end
  return (number >> 7) % most
end

function policy.checkpoint(at, opt)
  local since = at.since
  return draw(opt, 3, at.kind, at.node, at.now, at.random, since.events, since.ms) > 0
end

function policy.prune(history, opt)
  local drop = {}
  for _, checkpoint in ipairs(history) do
    if draw(opt, 4, checkpoint.id, checkpoint.kind, history.now) == 0 then
      drop[#drop + 1] = checkpoint.id
    end
  end
  return { drop = drop }
end

function policy.redact(item, opt)
  if item.key == "memory.note" and draw(opt, 2, item.key) == 0 then return ck.mask end
  if item.kind == "outcome" then return ck.mask(item.value, "token-[0-9]+") end
end

function policy.resume(session, checkpoint, opt)
  local drawn = draw(opt, 8, session.status, session.reason, session.cost_usd, session.tokens,
    session.active_ms, session.budget.left, checkpoint and checkpoint.id)
  local from = checkpoint and checkpoint.id or "the start"
  if drawn == 0 then return ck.ask("Go on from " .. from .. "?") end
  if drawn == 1 and session.now % 2 == 0 then return ck.refuse("an even time: " .. session.now) end
  if drawn == 2 then return { budget = "reset", rounds = "reset" } end
  if drawn == 3 then return { time = "continue" } end
end

function policy.tail(event, agent, opt)
  return draw(opt, 3, event.seq, event.kind, event.at, event.scope, event.agent, agent) > 0
end

function policy.on_failure(failure, _, opt)
  local drawn = draw(opt, 6, failure.key, failure.kind, failure.tool, failure.status, failure.error,
    failure.attempt, failure.try, failure.node, failure.retry_after)
  if drawn == 0 then return "pause" end
  if drawn == 1 then return "fail" end
  if drawn == 2 then return "retry" end
  if drawn == 3 then return { "retry", wait_ms = 1 + drawn } end
end

function policy.in_doubt(effect, opt)
  local words = { "stop", "rerun", "tell" }
  return words[draw(opt, 4, effect.key, effect.kind, effect.class, effect.attempt,
    effect.reserve_usd, effect.request.argv and effect.request.argv[2], #effect.untrusted)]
end

function policy.permit(effect, at, opt)
  if not opt.permits then return nil end
  local drawn = draw(opt, 9, effect.key, effect.kind, effect.class, effect.attempt, effect.tool,
    effect.reserve_usd, effect.request.argv and effect.request.argv[2])
  if drawn == 0 then return ck.deny("no " .. effect.key) end
  if drawn == 1 then return ck.ask("May " .. effect.key .. " be done?") end
  if drawn > 2 then return nil end
  local since, budget = at.since, at.budget
  local place = ("%s %d %d %.9f %d %s %d %d %d %g"):format(at.node, at.seq, at.now, at.random,
    at.latency_ms, tostring(at.is_clean), since.events, since.ms, since.changed_keys, budget.left)
  local word = draw(opt, 4, place, at.next.tool, at.next.class, at.model, #at.tools)
  if word == 0 then return ck.deny("not at " .. place) end
  if word == 1 then return ck.ask("At " .. place .. "?") end
end

return policy
