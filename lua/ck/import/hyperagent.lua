--- HyperAgent: a text log. A planner hands work to a navigator, an editor or an executor, each of
--- which has an assistant that writes code and an interpreter that runs it. A request of an admin
--- begins a session.

local import = require "ck.import"

local hyperagent = { name = "hyperagent" }

--- "Navigator (to Navigator Manager):" -> "Navigator", "Navigator Manager"; nil for any other line.
local function header(line)
  local at = line:sub(-2) == "):" and line:find(" (to ", 1, true)
  if not at then return nil end
  local from, to = line:sub(1, at - 1), line:sub(at + 5, -3)
  if to == "repopilot" or to:sub(-8) == " Manager" then return from, to end
end

function hyperagent.detect(head)
  for _, line in ipairs(head.texts) do
    local from, to = header(line)
    if from == "Admin" and to == "repopilot" then return true end
  end
  return false
end

--- Without blank lines and rules around it.
local function trim(lines)
  local first, last = 1, #lines
  local function is_empty(line) return line == "" or line == ("-"):rep(80) end
  while first <= last and is_empty(lines[first]) do first = first + 1 end
  while last >= first and is_empty(lines[last]) do last = last - 1 end
  return table.concat(lines, "\n", first, last)
end

local function say(role, text) return { role = role, content = text } end

--- "Navigator" of "Inner-Navigator-Assistant" and "Navigator Interpreter"; nil for others.
local function role_of(from)
  if from:sub(1, 6) == "Inner-" and from:sub(-10) == "-Assistant" then
    return from:sub(7, -11), "assistant"
  end
  if from:sub(-12) == " Interpreter" then return from:sub(1, -13), "interpreter" end
end

local function emit_inner(emit, part, text, what, n)
  local assistant = ("Inner-%s-Assistant"):format(part)
  local interpreter = part .. " Interpreter"
  emit { kind = "agent", id = assistant, parent = part }
  if what == "assistant" then
    local code = import.code(text)
    emit { kind = "model", agent = assistant, message = say("assistant", text), source = n }
    if code then
      emit {
        kind = "tool_call", agent = assistant, name = interpreter, arguments = { code = code },
        source = n,
      }
    end
  else
    local failed = text:sub(1, 10) == "exitcode: " and text:sub(11, 11) ~= "0" or nil
    emit {
      kind = "tool_result", agent = assistant, name = interpreter, content = text, source = n,
      error = failed,
    }
  end
end

local function emit_said(emit, said)
  local text, n = trim(said.lines), said.n
  local part, what = role_of(said.from)
  if said.from == "Admin" then
    emit { kind = "message", agent = "Admin", message = say("user", text), source = n }
  elseif said.from == "Planner" then
    emit { kind = "agent", id = "Planner" }
    emit { kind = "model", agent = "Planner", message = say("assistant", text), source = n }
  elseif part then
    emit_inner(emit, part, text, what, n)
  elseif said.to == "repopilot" then
    emit { kind = "model", agent = said.from, message = say("assistant", text), source = n }
    emit {
      kind = "delegation_result", agent = "Planner", child = said.from, message = say("user", text),
      source = n,
    }
  else
    emit { kind = "agent", id = said.from, parent = "Planner" }
    emit {
      kind = "delegation", agent = "Planner", target = said.from, child = said.from,
      message = say("user", text), source = n,
    }
  end
end

function hyperagent.import(source, emit)
  local said, sessions = nil, 0
  for n, line in source.texts() do
    local from, to = header(line)
    if from then
      if said then emit_said(emit, said) end
      if from == "Admin" then
        sessions = sessions + 1
        emit { kind = "session", id = import.id(source, sessions) }
      end
      said = sessions > 0 and { from = from, to = to, n = n, lines = {} } or nil
    elseif said then
      said.lines[#said.lines + 1] = line
    end
  end
  if said then emit_said(emit, said) end
end

return hyperagent
