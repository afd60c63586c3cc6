--- The tools that an agent's model is offered: those of the flow, of its MCP servers as they list
--- them, and of ckrun.

local calls = require "ck.flow.agent_calls"
local explore = require "ck.flow.explore"
local mcp = require "ck.flow.mcp"

local agent_tools = {}

--- A tool without description and parameters is offered by its name alone.
local function shown(tool)
  if not tool.description and not tool.parameters then return tool.name end
  return { name = tool.name, description = tool.description, parameters = tool.parameters }
end

local function add_tools(loop, list, serve)
  for _, tool in ipairs(list) do
    if loop.tools[tool.name] then
      error(("the tool '%s' of agent %s has the name of one that it is given: give it another")
        :format(tool.name, loop.def.name), 0)
    end
    if not tool.hidden then loop.list[#loop.list + 1] = shown(tool) end
    loop.tools[tool.name] = {
      name = tool.name, class = tool.class, server = tool.server, called = tool.called,
      parameters = tool.parameters, run = tool.run, serve = tool.serve or serve,
      source = tool.source, sampling = tool.sampling,
    }
  end
end

local function own_tools(loop)
  local list = {}
  for _, tool in pairs(loop.tools) do list[#list + 1] = tool end
  return list
end

--- The tools of servers and of ckrun, behind those of the flow. `changed`: servers by name, that
--- are asked again; nil: all are asked.
local function add_offered(loop, changed)
  if loop.def.has_servers then
    local known = changed and { lists = loop.listed, changed = changed }
    local offered
    offered, loop.listed = mcp.offer(loop.ctx, loop.def.processes, own_tools(loop), loop.def.name,
      known)
    add_tools(loop, offered, calls.by_effect)
  end
  explore.offer(loop)
end

local function copy(of)
  local made = {}
  for key, value in pairs(of) do made[key] = value end
  return made
end

--- `more`: of the kind of flow.
---@param loop table
---@param more table[]
function agent_tools.open(loop, more)
  loop.tools, loop.list, loop.changed = {}, {}, {}
  add_tools(loop, loop.def.tools, calls.by_effect)
  add_tools(loop, loop.def.functions, calls.by_function)
  add_tools(loop, more)
  loop.fixed = { tools = copy(loop.tools), list = copy(loop.list) }
  add_offered(loop)
end

--- What servers have said of their tools since the last turn counts from here on.
---@param loop table
function agent_tools.refresh(loop)
  if not next(loop.changed) then return end
  loop.tools, loop.list = copy(loop.fixed.tools), copy(loop.fixed.list)
  add_offered(loop, loop.changed)
  loop.changed = {}
end

return agent_tools
