--- A program as a node: the keys it reads are JSON on its standard input, those it writes JSON on
--- its output.

local check = require "ck.flow.check"
local retry = require "ck.flow.retry"

local exec = {}

---@class ck.flow.Exec
---@field argv string[]                     the program and its arguments; no shell
---@field reads string[]|nil                keys of ctx.memory: {"memory": {KEY: value}} is its
---                                         input
---@field writes string[]|nil               keys that it gives: {KEY: value} is its output
---@field env table<string, string|table>|nil  NAME = text, or NAME = { ref = "env:NAME" }: read
---                                            when it starts, never stored
---@field cwd string|nil                    where it runs, from the session's folder
---@field class ck.flow.class|nil           what may be done when its outcome is not known; "once"
---                                         unless it says otherwise
---@field timeout_s number|nil              it is ended after so long
---@field trust "trusted"|"untrusted"|nil   whether what it prints is to be trusted; nil: it is
---@field retry ck.flow.Retry|nil           how often it is tried
---@field on_error string|nil               in a graph: the node to go on with when it has failed
---@field output_max integer|nil            bytes of each output that are kept in the result

local classes = { pure = true, idempotent = true, once = true }

local function class_rule(value)
  if classes[value] then return nil end
  return ("must be pure, idempotent or once, not '%s'"):format(tostring(value))
end

local function variable_problem(name, value)
  if type(name) ~= "string" or name == "" or name:find("=", 1, true) then
    return ("takes names of variables as keys, not '%s'"):format(tostring(name))
  end
  if type(value) == "string" then return nil end
  local is_ref = type(value) == "table" and type(value.ref) == "string"
    and next(value, "ref") == nil
  return not is_ref and ("%s must be a string or { ref = \"env:NAME\" }"):format(name) or nil
end

local function env_rule(value)
  if type(value) ~= "table" then return "must be a table, not a " .. type(value) end
  for name, text in pairs(value) do
    local problem = variable_problem(name, text)
    if problem then return problem end
  end
end

local rules = {
  argv = check.texts, reads = check.texts, writes = check.texts, env = env_rule, cwd = "string",
  class = class_rule,
  timeout_s = check.seconds, trust = check.trust, output_max = check.count, retry = retry.rule,
  on_error = "string",
}

local function input_of(ctx, def, needs)
  if needs and next(needs) == nil then needs = nil end
  if not def.reads and not needs then return nil end
  local memory
  if def.reads then memory = {} end
  for _, key in ipairs(def.reads or {}) do memory[key] = ctx.memory[key] end
  return { memory = memory, needs = needs }
end

local function request_of(ctx, def, needs)
  return {
    argv = def.argv, env = def.env, cwd = def.cwd, input = input_of(ctx, def, needs),
    output_max = def.output_max,
    timeout_ms = def.timeout_s and math.ceil(def.timeout_s * 1000),
  }
end

--- All keys are written or none: a missing one is an error.
local function assign(ctx, def, result)
  local program = def.argv[1]
  local given, problem = ctx.parse(result.stdout)
  if result.stdout_bytes > #result.stdout and problem then
    problem = "it is longer than output_max"
  end
  if type(given) ~= "table" or #given > 0 then
    error(("%s writes %s, but its output is no JSON object: %s"):format(
      program, table.concat(def.writes, ", "),
      problem or "it is another value"), 0)
  end
  for _, key in ipairs(def.writes) do
    if given[key] == nil then
      error(("%s writes '%s', but its output has no such key"):format(program, key), 0)
    end
  end
  for _, key in ipairs(def.writes) do ctx.memory[key] = given[key] end
end

--- Runs the program. Raises the error of the outcome.
---@param ctx table
---@param def ck.flow.Exec
---@param needs table|nil  as a step: what it needs is in its input as well, {"needs": {STEP:
---                        result}}
---@param name string|nil  of its node
---@return table result  { exit, stdout, stderr, stdout_bytes, stderr_bytes, spill?, lossy? }
function exec.run(ctx, def, needs, name)
  local outcome = ctx.effect {
    kind = "exec", class = def.class or "once", request = request_of(ctx, def, needs),
    source = def.trust == "untrusted" and (name or def.argv[1]) or nil,
  }
  if outcome.status ~= "ok" then error(outcome.error or def.argv[1] .. " failed", 0) end
  if def.writes then assign(ctx, def, outcome.result) end
  return outcome.result
end

--- What must be there before it runs: for the manifest. Its PATH is its own where it sets one; by
--- reference that is not known, and no program is named.
---@param def ck.flow.Exec
---@param name string|nil  of its node
---@return { name: string|nil, program: string|nil, cwd: string|nil, path: string|nil,
---  secrets: string[] }
function exec.program(def, name)
  local made = { name = name, program = def.argv[1], cwd = def.cwd, secrets = {} }
  for variable, value in pairs(def.env or {}) do
    if type(value) == "table" then made.secrets[#made.secrets + 1] = value.ref end
    if variable == "PATH" and type(value) == "string" and value ~= "" then made.path = value end
    if variable == "PATH" and type(value) == "table" then made.program = nil end
  end
  table.sort(made.secrets)
  return made
end

--- A node that runs a program.
---@param def ck.flow.Exec
function exec.define(def)
  local problem = check.fields("flow.exec", def, rules)
  if not problem and not def.argv then
    problem = "flow.exec needs 'argv', the program and its arguments"
  end
  if problem then error(problem, 2) end
  local node = { kind = "exec", run = exec.run }
  for field, value in pairs(def) do node[field] = value end
  node.programs, node.unwritten = { exec.program(def) }, def.reads
  return node
end

return exec
