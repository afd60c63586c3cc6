--- The calls of hooks in tests of policies: arguments as in a session, fields checked.

local _, core = ...

local function check_fields(value, class, extra)
  local known = core.fields(class)
  for name in pairs(value) do
    if not known[name] and not (extra and extra[name]) then
      error(class .. " has no field '" .. tostring(name) .. "'", 4)
    end
  end
end

local function check_boundary(at)
  check_fields(at, "ck.Boundary")
  check_fields(at.since or {}, "ck.Since")
  check_fields(at.next or {}, "ck.Next")
  check_fields(at.budget or {}, "ck.Budget")
end

local function check_session(session)
  check_fields(session, "ck.Session")
  check_fields(session.budget or {}, "ck.SessionBudget")
  check_fields(session.host or {}, "ck.Host")
end

--- By the name of a hook: makes its function for tests of ask(subject), which calls the hook.
local hooks = {}

function hooks.checkpoint(ask)
  return function(at)
    at = at or {}
    check_boundary(at)
    local answer = ask(at)
    if answer.take then return answer.reason or true, answer.sync and "sync" or "async" end
  end
end

function hooks.prune(ask)
  return function(history)
    for _, checkpoint in ipairs(history) do check_fields(checkpoint, "ck.Checkpoint") end
    local list = {}
    for i, checkpoint in ipairs(history) do list[i] = checkpoint end
    local answer = ask { checkpoints = ck.array(list), now = history.now }
    return answer.drop, answer.keep
  end
end

function hooks.redact(ask)
  return function(item)
    check_fields(item, "ck.Item")
    local answer = ask(item)
    if answer.verdict == "leave" then return nil end
    if answer.verdict == "replace" then return answer.value end
    return answer.ref or answer.verdict
  end
end

function hooks.resume(ask)
  return function(session, checkpoint)
    check_session(session or {})
    check_fields(checkpoint or {}, "ck.Checkpoint")
    local answer = ask { session = session, checkpoint = checkpoint }
    if answer.refusal then return nil, answer.refusal end
    return answer.rules, nil, answer.question
  end
end

function hooks.tail(ask)
  return function(event, agent)
    check_fields(event, "ck.Event")
    return ask({ event = event, agent = agent }).truth
  end
end

local function word_of(class)
  return function(ask)
    return function(subject)
      check_fields(subject or {}, class)
      return ask(subject or {}).word
    end
  end
end
hooks.in_doubt = word_of "ck.Effect"

function hooks.on_failure(ask)
  return function(failure)
    check_fields(failure or {}, "ck.Failure")
    local answer = ask(failure or {})
    return answer.word, answer.wait_ms
  end
end

function hooks.permit(ask)
  return function(effect, at)
    check_fields(effect or {}, "ck.Effect")
    check_boundary(at or {})
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
