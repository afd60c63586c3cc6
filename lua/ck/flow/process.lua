--- Child processes that a flow talks to: MCP servers, whose tools it calls, and ACP agents, which
--- it prompts.

local check = require "ck.flow.check"
local sampling = require "ck.flow.sampling"
local remote = require "ck.flow.remote"
local tools = require "ck.flow.tools"

---@class ck.flow.Process
---@field name string                    for effects: its key in `processes`
---@field protocol "mcp"|"acp"
---@field argv string[]|nil              the program and its arguments; no shell
---@field url string|nil                 of an MCP server over HTTP, in place of argv
---@field headers string[]|nil           its headers, in threes: name, "text", "secret" or "bearer",
---                                      and the text, or the name of the secret
---@field env string[]|nil               variables it may see besides the usual ones; those that are
---                                      secret are named in the profile's `secrets`, too
---@field timeout_s number|nil           seconds of silence allowed during a request; nil: 600, of
---                                      an agent 1800
---@field total_s number|nil             seconds that a request may take in all, with any progress;
---                                      nil: 3600, of an agent 10800, and timeout_s at least
---@field prefix string|nil              before the names of an MCP server's tools for models
---@field hidden string[]|nil            an MCP server's tools that models are not offered
---@field classes table<string, ck.flow.class>|nil  of an MCP server's tools, over its own claims
---@field trust "trusted"|"untrusted"|nil  whether what it gives is to be trusted; nil: it is
---@field roots boolean|nil              an MCP server is told in which folder tools run
---@field elicitation boolean|nil        an MCP server may ask a person in the midst of a call; nil:
---                                      where the tools of an agent are its
---@field sampling { model: string|nil, max_calls: integer, max_tokens: integer }|nil
---                                      an MCP server may ask that model in the midst of a call, so
---                                      often in one, for so long an answer; model nil: that of
---                                      its agent; nil: it may not
---@field probes string[]|nil            pairs: a tool of an MCP server, and its probe

local process = {}

local function env_rule(value)
  local problem = check.texts(value)
  if problem then return problem end
  for _, name in ipairs(value) do
    if name == "" or name:find("=", 1, true) then
      return ("must be a list of names of variables, not '%s'"):format(name)
    end
  end
end

local NEEDS_PROBE = "needs a probe, the server's tool that tells whether it happened: "
  .. "{ class = \"reconcilable\", probe = NAME }"

local function tool_problem(value)
  if value == false then return nil end
  if value == "reconcilable" then return NEEDS_PROBE end
  if type(value) ~= "table" then return tools.class_rule(value) end
  local problem = check.fields("its table", value, { class = tools.class_rule, probe = "string" })
  return problem or not value.probe and NEEDS_PROBE or nil
end

local function tools_rule(value)
  if type(value) ~= "table" then return "must be a table of NAME = class, not a " .. type(value) end
  for name, tool in pairs(value) do
    if type(name) ~= "string" then
      return "takes names of the server's tools as keys, not " .. tostring(name)
    end
    local problem = tool_problem(tool)
    if problem then return ("'%s' %s"):format(name, problem) end
  end
end

local function prefix_rule(value)
  if type(value) ~= "string" or not ck.find(value, "^[A-Za-z0-9_-]{1,32}\\z") then
    return "must be a text of 1 to 32 letters, digits, '_' and '-'"
  end
end

-- The classes of a server's tools by name, the pairs of a tool and its probe, ordered by the tool's
-- name, and the names of those that are left out.
local function sort_tools(given)
  local classes, names, probes, hidden = {}, {}, {}, {}
  for name, tool in pairs(given or {}) do
    local has_probe = type(tool) == "table"
    if tool then classes[name] = has_probe and (tool.class or "reconcilable") or tool end
    if has_probe then names[#names + 1] = name end
    if not tool then hidden[#hidden + 1] = name end
  end
  table.sort(names)
  table.sort(hidden)
  for _, name in ipairs(names) do
    probes[#probes + 1] = name
    probes[#probes + 1] = given[name].probe
  end
  return classes, probes, hidden
end

local rules = {
  mcp = { url = remote.url_rule, key = "string", headers = remote.headers_rule,
    roots = "boolean", elicitation = "boolean", sampling = sampling.rule,
    argv = check.texts, env = env_rule, timeout_s = check.seconds, total_s = check.seconds,
    tools = tools_rule, prefix = prefix_rule, trust = check.trust },
  acp = { argv = check.texts, env = env_rule, timeout_s = check.seconds, total_s = check.seconds,
    trust = check.trust },
}

local function make(protocol, def)
  local problem = check.fields("flow." .. protocol, def, rules[protocol])
  problem = problem or remote.place_problem(protocol, def)
  if problem then error(problem, 3) end
  local classes, probes, hidden = sort_tools(def.tools)
  return {
    protocol = protocol, argv = def.argv, url = def.url,
    headers = remote.list_headers(def.key, def.headers), roots = def.roots,
    elicitation = def.elicitation, sampling = sampling.settings(def.sampling), env = def.env,
    timeout_s = def.timeout_s,
    total_s = def.total_s, classes = classes, probes = probes, trust = def.trust,
    prefix = def.prefix, hidden = hidden,
  }
end

--- A server of tools that speaks the Model Context Protocol, on its standard input and output
--- (`argv`) or over HTTP (`url`; `key` names the secret of the profile that Authorization: Bearer
--- carries, `headers` has others). It is started when it is first needed and kept for the run.
--- `tools` has the class of tools that the server does not describe, or wrongly: NAME = class, or
--- NAME = { probe = OTHER, class = "reconcilable" }. OTHER, a tool of the same server that models
--- are not offered, is called with { key, attempt, name, arguments } of a call whose outcome was
--- lost, and answers { done = false }, or { done = true, result = … }, as JSON. NAME = false leaves
--- one out; `prefix` stands before their names as models see them.
---@param def { argv: string[]|nil, env: string[]|nil, url: string|nil, key: string|nil,
---  headers: table<string, string|{ secret: string }>|nil, roots: boolean|nil,
---  elicitation: boolean|nil, sampling: boolean|string|table|nil,
---  timeout_s: number|nil, total_s: number|nil, trust: string|nil, prefix: string|nil,
---  tools: table<string, ck.flow.class|table|false>|nil }
function process.mcp(def) return make("mcp", def) end

--- An agent that speaks the Agent Client Protocol on its standard input and output.
---@param def { argv: string[], env: string[]|nil, timeout_s: number|nil, total_s: number|nil,
---  trust: string|nil }
function process.acp(def) return make("acp", def) end

--- True for a result of flow.mcp{…}.
function process.is_mcp(value)
  return type(value) == "table" and value.protocol == "mcp"
    and (type(value.argv) == "table" or type(value.url) == "string")
end

local function is_process(value)
  return process.is_mcp(value) or (type(value) == "table" and value.protocol == "acp")
end

--- A rule for ck.flow.check: a table of NAME = flow.mcp{…} or flow.acp{…}.
function process.rule(value)
  if type(value) ~= "table" then
    return "must be a table of NAME = flow.mcp{…} or flow.acp{…}, not a " .. type(value)
  end
  for name, entry in pairs(value) do
    if type(name) ~= "string" or name == "" then
      return "takes names as keys, not " .. tostring(name)
    end
    if not is_process(entry) then
      return ("'%s' must be flow.mcp{…} or flow.acp{…}"):format(name)
    end
  end
end

-- Of flow.mcp{…} and flow.acp{…}, as `make` gives them.
local fields = {
  "protocol", "argv", "env", "url", "headers", "roots", "elicitation", "sampling", "timeout_s",
  "total_s", "classes", "probes", "trust", "prefix", "hidden",
}

--- The `processes` of a flow's table, from tables of NAME = process that passed the rule; nil ones
--- are skipped.
---@param first table|nil
---@param second table|nil
---@return ck.flow.Process[]|nil list  by name
---@return string|nil problem
function process.declare(first, second)
  local list, seen = {}, {}
  for _, given in ipairs { first or {}, second or {} } do
    for name, entry in pairs(given) do
      if seen[name] and seen[name] ~= entry then
        return nil, ("there are two processes called '%s'"):format(name)
      end
      if not seen[name] then
        local made = { name = name }
        for _, field in ipairs(fields) do made[field] = entry[field] end
        list[#list + 1] = made
      end
      seen[name] = entry
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

return process
