--- Reads the lines of Claude Code's files: speakers, the lines of one reply, the agent of each
--- delegation.

local import = require "ck.import"

local lines = {}
local main = "main"

--- A call that hands work to another agent.
function lines.is_delegation(block)
  local name = import.text(block, "name")
  return import.text(block, "type") == "tool_use" and (name == "Task" or name == "Agent")
    and import.text(block, "input", "prompt") ~= nil
end

--- An agent without an id is known by the first line of its chain.
local function find_agent(run, line)
  local id, uuid = import.text(line, "agentId"), import.text(line, "uuid")
  local parent = import.text(line, "parentUuid")
  local root = parent and (run.roots[parent] or parent) or uuid
  if uuid then run.roots[uuid] = root end
  if id or import.get(line, "isSidechain") ~= true then return id or main end
  return root or main
end

local function note_reply(run, entry)
  local id = import.text(entry.line, "message", "id")
  if import.text(entry.line, "type") ~= "assistant" or not id then return end
  local key = entry.agent .. "/" .. id
  local reply = run.replies[key] or {}
  run.replies[key] = reply
  reply[#reply + 1] = entry
  entry.reply = reply
end

local function note_blocks(run, entry)
  local content = import.get(entry.line, "message", "content")
  local is_root = entry.agent ~= main and import.get(entry.line, "parentUuid") == nil
  if is_root and type(content) == "string" then
    run.prompts[content] = run.prompts[content] or {}
    table.insert(run.prompts[content], entry.agent)
  end
  for _, block in ipairs(import.list(entry.line, "message", "content")) do
    local id = import.text(block, "tool_use_id")
    if lines.is_delegation(block) then run.delegations[#run.delegations + 1] = block end
    if id then
      run.children[id] = run.children[id] or import.text(entry.line, "toolUseResult", "agentId")
    end
  end
end

--- While an agent works, the main file shows its messages: the agent's own lines when it has no
--- file of its own.
local function unwrap(run, line)
  local agent = import.text(line, "data", "agentId")
  if import.text(line, "data", "type") ~= "agent_progress" or not agent then return line end
  local call = import.text(line, "parentToolUseID")
  if call then run.children[call] = run.children[call] or agent end
  if run.has_part[agent] or not import.table(line, "data", "message", "message") then
    return line, agent
  end
  return line.data.message, agent
end

local function add(run, list, line, n, file)
  local inner, agent = unwrap(run, line)
  local entry = { line = inner, source = file and { file, n } or n,
    at = import.time(import.text(line, "timestamp")),
    agent = agent or find_agent(run, line) }
  list[#list + 1] = entry
  note_reply(run, entry)
  note_blocks(run, entry)
end

local function read_part(run, part)
  local list = { next = 1 }
  for n, line, problem in part.lines() do
    if line then
      list.agent = list.agent or import.text(line, "agentId")
      add(run, list, line, n, part.name)
    else
      list[#list + 1] = { problem = problem, source = { part.name, n } }
    end
  end
  run.parts[#run.parts + 1] = list
end

--- All lines with their agents, the lines that make up one reply, and the agent that each
--- delegation went to.
function lines.read(source)
  local run = {
    roots = {}, replies = {}, prompts = {}, children = {}, delegations = {}, parts = {},
    has_part = {}, open = {}, list = {},
  }
  for _, part in ipairs(source.parts()) do
    for _, line in part.lines() do
      local id = import.text(line, "agentId")
      if id then run.has_part[id] = true end
    end
  end
  for n, line, problem in source.lines() do
    if line then
      add(run, run.list, line, n)
    else
      run.list[#run.list + 1] = { problem = problem, source = n }
    end
  end
  for _, part in ipairs(source.parts()) do read_part(run, part) end
  for _, block in ipairs(run.delegations) do
    local id, waiting = import.text(block, "id"), run.prompts[block.input.prompt]
    if id and not run.children[id] and waiting and #waiting > 0 then
      run.children[id] = table.remove(waiting, 1)
    end
  end
  return run
end

return lines
