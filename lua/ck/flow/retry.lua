--- Trying a node: the keys it reads must exist, its writes must be declared, and it may be tried
--- again after a wait.

local check = require "ck.flow.check"
local sleep = require "ck.flow.sleep"

local retry = {}

local WAIT_MAX_MS, WAIT_MS, FACTOR = 3600000, 1000, 2

---@class ck.flow.Retry
---@field times integer            tries in all
---@field backoff_ms integer|nil   the wait before the second try; nil: a second
---@field factor number|nil        each wait is this many times the one before; nil: 2

--- A rule for ck.flow.check.
function retry.rule(value)
  local problem = check.fields("retry", value, {
    times = check.count,
    backoff_ms = check.from(0),
    factor = function(n)
      if type(n) ~= "number" or not (n >= 1 and n <= 1000) then
        return "must be a number from 1 to 1000"
      end
    end,
  })
  if problem then return "is wrong: " .. problem end
  if not value.times then return "needs 'times', how often it is tried in all" end
end

--- flow.ask writes one key alone.
local function declared_writes(self)
  if type(self.writes) == "string" then return { self.writes } end
  return self.writes
end

--- "topic" of "memory.topic", which flow.agent takes as well.
---@param key string
---@return string
function retry.key(key) return key:sub(1, 7) == "memory." and key:sub(8) or key end

local function missing_key(ctx, self)
  for _, key in ipairs(self.reads or {}) do
    key = retry.key(key)
    if ctx.memory[key] == nil then
      return ("it reads memory.%s, which is not there: "
        .. "give it with --set %s=…, --set-env or --set-file")
        :format(key, key)
    end
  end
end

local function check_writes(ctx, self, name)
  local declared = declared_writes(self)
  if not declared then return end
  local allowed = { ["outputs." .. name] = true }
  for _, key in ipairs(declared) do
    allowed["memory." .. key] = true
    if ctx.memory[key] == nil then
      error(("it writes memory.%s, as it declares, but has left it without a value"):format(key), 0)
    end
  end
  for key in pairs(ctx.written()) do
    local is_pad = key:sub(1, 8) == "scratch."
    if not allowed[key] and not is_pad then
      error(("it wrote %s, which its 'writes' does not name"):format(key), 0)
    end
  end
end

local function perform(ctx, self, name, inner, given)
  local result = self.run(inner, self, given, name)
  if result ~= nil and not ctx.written()["outputs." .. name] then ctx.outputs[name] = result end
  check_writes(ctx, self, name)
end

--- How long to wait before the next try; nil: there is none.
---@param rule ck.flow.Retry|nil
---@param tried integer
---@return integer|nil ms
function retry.wait(rule, tried)
  if not rule or tried >= rule.times then return nil end
  local ms = (rule.backoff_ms or WAIT_MS) * (rule.factor or FACTOR) ^ (tried - 1)
  return math.tointeger(math.floor(math.min(ms, WAIT_MAX_MS)))
end

--- Since it was last asked.
local function is_last(ctx)
  local unknown, refused = ctx.unknown(), ctx.refused()
  return unknown or refused
end

--- Runs it until it succeeds or has no tries left; a try with an effect that must not be repeated,
--- and whose outcome is unknown, or with one that was denied, is the last one. `again(error)` marks
--- the boundary before each further try.
---@param ctx table
---@param self ck.flow.Node
---@param name string
---@param at { try: integer }  counted up
---@param options { inner: table, given: any, again: fun(problem: string) }
---@return boolean ok
---@return string|nil problem
function retry.run(ctx, self, name, at, options)
  local missing = missing_key(ctx, self)
  if missing then return false, missing end
  is_last(ctx)
  while true do
    local ok, problem = pcall(perform, ctx, self, name, options.inner, options.given)
    if ok then return true end
    problem = tostring(problem)
    ctx.discard()
    local ms = not is_last(ctx) and retry.wait(self.retry, at.try)
    if not ms then return false, problem end
    if ms > 0 then sleep.wait(ctx, ms) end
    at.try = at.try + 1
    options.again(problem)
  end
end

return retry
