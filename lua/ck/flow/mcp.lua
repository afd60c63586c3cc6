--- The tools of MCP servers: listed once per opening of a coroutine, as effects, under names
--- that a model can call.

local check = require "ck.flow.check"
local process = require "ck.flow.process"

---@class ck.flow.OfferedTool
---@field name string
---@field description string|nil
---@field parameters table       JSON Schema of the arguments
---@field class ck.flow.class
---@field server string          the name of the process: a call's request is {server=, called=,
---                              name=, call_id=, index=, arguments=}
---@field called string|nil      the server's own name of it, where that is none that a model can
---                              call

local mcp = {}

-- Calls of tools are numbered by their index in the message; these stay clear of them at the same
-- position.
local FIRST_ORDINAL = 1000001

--- Splits the `tools` of an agent: plain ones, and servers, NAME = flow.mcp{…}, which may ask a
--- person in the midst of a call: the agent puts their questions.
---@param given table|nil
---@return table|nil plain
---@return table<string, table> servers
function mcp.split(given)
  if type(given) ~= "table" then return given, {} end
  local plain, servers = {}, {}
  for name, value in pairs(given) do
    local is_server = type(name) == "string" and process.is_mcp(value)
    if is_server then
      servers[name] = value
      if value.elicitation == nil then value.elicitation = true end
    else
      plain[name] = value
    end
  end
  return plain, servers
end

-- `before`: what it listed before, which holds where it does not list them now.
local function ask(ctx, server, ordinal, agent, before)
  local request = { server = server.name, list = true }
  local outcome = ctx.effect {
    kind = "tool", class = "pure", request = request, ordinal = ordinal, agent = agent,
  }
  local result = outcome.status == "ok" and type(outcome.result) == "table" and outcome.result
  local tools = result and type(result.tools) == "table" and result.tools or before
  if not tools then
    error(("the MCP server '%s' does not list its tools: %s")
      :format(server.name, outcome.error or "no reason was given"), 0)
  end
  return tools
end

local function check_listed(server, listed, name, why)
  if listed[name] then return end
  local hint = next(listed) and ("; did you mean '%s'?"):format(check.nearest(name, listed)) or ""
  error(("the MCP server '%s' has no tool '%s', %s%s"):format(server.name, name, why, hint), 0)
end

-- What the flow says of tools is about some that there are.
local function check_names(server, listed)
  local names, probes = {}, server.probes or {}
  for _, tool in ipairs(listed) do names[tool.called or tool.name] = true end
  for name in pairs(server.classes or {}) do
    check_listed(server, names, name, "whose class is declared")
  end
  for i = 2, #probes, 2 do
    check_listed(server, names, probes[i], ("which is the probe of '%s'"):format(probes[i - 1]))
  end
  for _, name in ipairs(server.hidden or {}) do
    check_listed(server, names, name, "which is left out")
  end
end

-- The tools that models are not offered: probes of others, and what is left out.
local function hidden_of(server)
  local names, probes = {}, server.probes or {}
  for i = 2, #probes, 2 do names[probes[i]] = true end
  for _, name in ipairs(server.hidden or {}) do names[name] = true end
  return names
end

-- Under the server's prefix, which makes of its own name another one.
local function prefixed(server, tool)
  if not server.prefix then return tool end
  return {
    name = (server.prefix .. tool.name):sub(1, 64), called = tool.called or tool.name,
    description = tool.description, parameters = tool.parameters, class = tool.class,
  }
end

-- A generated name must not be that of another tool of a server or the flow.
local function free_name(owners, given, tool)
  local name, n = tool.name, 1
  while tool.called and (owners[name] or given[name]) do
    n = n + 1
    name = ("%s_%d"):format(tool.name:sub(1, 60), n)
  end
  return name
end

--- The hints of a server that is not trusted are its own word for it, and not taken.
local function class_of(server, tool, own)
  local declared = server.classes and server.classes[own]
  return declared or (server.trust == "untrusted" and "once") or tool.class
end

-- `again`: a name that another has by now is not worth the session.
local function take(into, owners, server, tool, name, again)
  local own = tool.called or tool.name
  local owner = owners[name]
  if owner and again then return end
  if owner then
    error(("the tool '%s' is offered by %s and by the MCP server '%s': leave one of them out with "
      .. "tools = { ['%s'] = false }, or give a server a prefix"):format(name, owner, server.name,
      own), 0)
  end
  owners[name] = ("the MCP server '%s'"):format(server.name)
  into[#into + 1] = {
    name = name, called = tool.called, description = tool.description, parameters = tool.parameters,
    class = class_of(server, tool, own), server = server.name, sampling = server.sampling,
  }
end

-- `again`: what the flow says of some that are gone meanwhile is no mistake.
local function take_all(into, owners, server, listed, again)
  local hidden = hidden_of(server)
  if not again then check_names(server, listed) end
  local given, tools = {}, {}
  for _, tool in ipairs(listed) do
    local shown = prefixed(server, tool)
    if not shown.called then given[shown.name] = true end
    if not hidden[tool.called or tool.name] then tools[#tools + 1] = shown end
  end
  for _, tool in ipairs(tools) do
    take(into, owners, server, tool, free_name(owners, given, tool), again)
  end
end

--- Lists the tools of each server. A name of two servers, or of a server and the flow, is an error
--- that names both.
---@param ctx table
---@param servers ck.flow.Process[]    as process.declare gives them; those that are no MCP servers
---                                    are skipped
---@param own { name: string }[]|nil   the flow's own tools
---@param agent string|nil             who asks
---@param known { lists: table<string, table>, changed: table<string, true> }|nil  what they listed
---                                    before: those that have changed are asked again
---@return ck.flow.OfferedTool[] list  in the order of the servers' names and of their lists
---@return table<string, table> lists  as they gave them, by their names
function mcp.offer(ctx, servers, own, agent, known)
  local list, owners, count, lists = {}, {}, 0, {}
  for _, tool in ipairs(own or {}) do owners[tool.name] = "the flow itself" end
  for _, server in ipairs(servers) do
    if server.protocol == "mcp" then
      local listed = known and known.lists[server.name]
      if not known or known.changed[server.name] then
        listed = ask(ctx, server, FIRST_ORDINAL + count, agent, listed)
      end
      take_all(list, owners, server, listed, known ~= nil)
      lists[server.name] = listed
      count = count + 1
    end
  end
  return list, lists
end

return mcp
