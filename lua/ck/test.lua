--- The library of policy tests. `ckrun policy test mine.lua` runs the functions test_* of
--- mine_test.lua:
---
---   local test = require "ck.test"
---   local mine = test.policy("./mine.lua", { slow_ms = 1000 })
---   return {
---     test_slow_nodes = function()
---       test.equal(mine.checkpoint { latency_ms = 2000 }, "slow: 2000 ms")
---       test.equal(mine.checkpoint { latency_ms = 10 }, nil)
---       test.equal(test.walk(mine, { { ms = 1500 }, {}, { ms = 9000 } }), { 1, 3 })
---     end,
---   }
---
--- The hooks are called as in a session: in the policy's own sandbox, through the same views, with
--- the answers checked; errors of a hook are raised here. Fields are those of its subject; absent
--- ones have usual values: a tool round, clean, nothing spent, one event since the last checkpoint.
---   checkpoint(at) -> nil, or the reason (true when it gives none), "sync" | "async"
---   prune(history) -> ids that go, ids that no other policy may drop; history: see test.history
---   redact(item) -> nil, "drop", "mask", "env:NAME" or the value with other texts; item:
---     { key =, value = } or { kind =, value = }
---   resume(session, checkpoint) -> rules by dimension, or nil and why it is refused; as the third
---     value the question
---   tail(event, agent) -> boolean
---   on_failure(failure) -> word or nil, ms to wait before a retry or nil
---   in_doubt(effect) -> word or nil
---   permit(effect, at) -> nil; or "deny" and why, "ask" and the question
---   migrate(document, from, to) -> document or nil

local _, core = ...
if not core or not core.ask then error("ck.test is for files that 'ckrun policy test' runs", 2) end

local hooks = require "ck.test.hooks"

local test = {}

local function show(value)
  if value == nil then return "nil" end
  local done, text = pcall(core.json, value)
  return done and text or tostring(value)
end

--- Fails unless both are equal, tables by what is in them.
---@param got any
---@param want any
---@param what? string
function test.equal(got, want, what)
  local a, b = show(got), show(want)
  if a ~= b then error((what and what .. ": " or "") .. "got " .. a .. ", not " .. b, 2) end
end

--- Fails unless `value` is true, or anything but false and nil.
---@param what? string
function test.ok(value, what)
  if not value then error(what or "it does not hold", 2) end
end

--- Fails unless the function raises a message that contains `text`; returns the message.
---@param text string
---@param run function
---@return string message
function test.fails(text, run, ...)
  local done, message = pcall(run, ...)
  if done then error("it did not fail: " .. text .. " was expected", 2) end
  message = tostring(message)
  if not string.find(message, text, 1, true) then
    error("it failed with '" .. message .. "', not " .. text, 2)
  end
  return message
end

--- A policy as a session loads it: a shipped name, or a path from the test's own file; options
--- override its defaults.
---@param name string
---@param options? table
---@return table hooks  see above; name, version, has
function test.policy(name, options)
  local number, own_name, version, has = core.load(name, options or {})
  local made = { name = own_name, version = version, has = has }
  hooks.add(made, function(hook, subject) return core.ask(number, hook, subject) end)
  return made
end

local function copy(from, into)
  for name, value in pairs(from or {}) do into[name] = value end
  return into
end

--- `count` checkpoints, oldest first, `every_ms` apart (a minute), the last one now; ids c1, c2, …;
--- more fields for all of them, and for single ones by number: test.history(5, { every_ms =
--- 3600000, bytes = 10 }, { [2] = { is_clean = false } }).
---@param count integer
---@return table history
function test.history(count, usual, single)
  usual, single = copy(usual, {}), single or {}
  local every, now = usual.every_ms or 60000, usual.now or 1767225600000
  usual.every_ms, usual.now = nil, nil
  local history = { now = now }
  for i = 1, count do
    local made = copy(usual, { id = "c" .. i, seq = i * 10, created = now - (count - i) * every })
    history[i] = copy(single[i], made)
  end
  return history
end

--- The boundaries of a recorded session, as a policy was shown them, in their order; with "#SEQ"
--- behind the session's id the one whose event that is. They are read from the store that the
--- command names (--store), else the usual one. `since` is counted from the checkpoints that were
--- taken then.
---@param session string
---@return ck.Boundary[]|ck.Boundary
function test.session(session)
  local boundaries = core.session(session)
  if string.find(session, "#", 1, true) then return boundaries[1] end
  return boundaries
end

local summed =
  { "ms", "events", "cost_usd", "tokens", "tool_calls", "changed_keys", "changed_bytes" }

local function start()
  return { boundaries = 0, iterations = 0, changed = {} }
end

-- Keys that change in several steps are counted once.
local function add(since, step)
  local new = 0
  for _, key in ipairs(step.changed or {}) do
    if not since.changed[key] then new = new + 1 end
    since.changed[key] = true
  end
  for _, name in ipairs(summed) do
    local usual = name == "events" and 1 or name == "changed_keys" and new or 0
    since[name] = (since[name] or 0) + (step[name] or usual)
  end
  local boundary, iteration = core.counted(step.kind)
  since.boundaries = since.boundaries + (boundary and 1 or 0)
  since.iterations = since.iterations + (iteration and 1 or 0)
end

--- Calls a policy at a row of boundaries and returns the numbers of those where it takes a
--- checkpoint. A step has the changes since the step before (ms, events, cost_usd, tokens,
--- tool_calls, changed: a list of keys, or changed_keys alone, changed_bytes) and the fields of its
--- boundary that differ from the usual; `since` and `budget.spent` are summed up.
---@param policy table
---@param steps table[]
---@return integer[] taken
function test.walk(policy, steps)
  local since, taken, spent, seq = start(), {}, 0, 1
  for i, step in ipairs(steps) do
    local at = copy(step, {})
    for _, name in ipairs(summed) do at[name] = nil end
    add(since, step)
    spent, seq = spent + (step.cost_usd or 0), seq + (step.events or 1)
    at.changed, at.seq = nil, seq
    at.since = copy(since, {})
    at.budget = { spent = spent, limit = step.budget and step.budget.limit }
    if policy.checkpoint(at) then
      taken[#taken + 1] = i
      since = start()
    end
  end
  return ck.array(taken)
end

return test
