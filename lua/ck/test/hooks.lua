--- The calls of hooks in tests of policies: arguments as in a session, fields checked.

local _, core = ...

local values = require "ck.test.values"

local shapes = core.shapes()

--- What is wrong with the subjects of a hook, in their order; nil: nothing is.
local function wrong(hook, ...)
  for i = 1, select("#", ...) do
    local text = values.wrong(select(i, ...), shapes[hook][i])
    if text then return text end
  end
end

--- A mistake is the test's.
local function check(hook, ...)
  local text = wrong(hook, ...)
  if text then error(text, 3) end
end

--- The same of an effect: that of a call of a tool alone tells of one.
local function check_effect(hook, effect, at)
  local kind, text = effect.kind or "tool", wrong(hook, effect, at)
  for _, name in ipairs { "tool", "arguments" } do
    if not text and kind ~= "tool" and kind ~= "agent_tool" and effect[name] ~= nil then
      text = "effect." .. name .. ": it is nil where effect.kind is \"" .. kind .. '"'
    end
  end
  if text then error(text, 3) end
end

--- By the name of a hook: makes its function for tests of ask(subject), which calls the hook.
local hooks = {}

function hooks.checkpoint(ask)
  return function(at)
    at = at or {}
    check("checkpoint", at)
    local answer = ask(at)
    if answer.take then return answer.reason or true, answer.sync and "sync" or "async" end
  end
end

function hooks.prune(ask)
  return function(history)
    check("prune", history)
    local list = {}
    for i, checkpoint in ipairs(history) do list[i] = checkpoint end
    local answer = ask { checkpoints = ck.array(list), now = history.now }
    return answer.drop, answer.keep
  end
end

function hooks.redact(ask)
  return function(item)
    check("redact", item)
    local answer = ask(item)
    if answer.verdict == "leave" then return nil end
    if answer.verdict == "replace" then return answer.value end
    return answer.ref or answer.verdict
  end
end

function hooks.resume(ask)
  return function(session, checkpoint)
    check("resume", session, checkpoint)
    local answer = ask { session = session, checkpoint = checkpoint }
    if answer.refusal then return nil, answer.refusal end
    return answer.rules, nil, answer.question
  end
end

function hooks.tail(ask)
  return function(event, agent)
    check("tail", event)
    return ask({ event = event, agent = agent }).truth
  end
end

function hooks.in_doubt(ask)
  return function(effect)
    effect = effect or {}
    check_effect("in_doubt", effect)
    return ask(effect).word
  end
end

function hooks.on_failure(ask)
  return function(failure)
    failure = failure or {}
    check("on_failure", failure)
    local answer = ask(failure)
    return answer.word, answer.wait_ms
  end
end

function hooks.permit(ask)
  return function(effect, at)
    effect = effect or {}
    check_effect("permit", effect, at)
    local answer = ask { effect = effect, at = at }
    return answer.word, answer.text
  end
end

function hooks.migrate(ask)
  return function(document, from, to)
    return ask({ document = document, from = from, to = to }).document
  end
end

--- Adds the functions of all hooks to `made`; ask(hook, subject) calls a hook.
local function add(made, ask)
  for hook, make in pairs(hooks) do
    made[hook] = make(function(subject) return ask(hook, subject) end)
  end
end

return { add = add }
