--- Trajectories of a relay of agents: chapters, each with its agent, notes, decisions and
--- handovers.

local import = require "ck.import"

local relay = { name = "relay" }

local orchestrator = "orchestrator"

local function is_relay(document)
  return import.table(document, "chapters") ~= nil and import.table(document, "agents") ~= nil
    and import.text(document, "id") ~= nil
end

function relay.detect(head)
  return is_relay(head.document)
end

local results = { ["completion-evidence"] = true, ["completion-marker"] = true, finding = true }
local thoughts = { decision = true, reflection = true }

--- `"step": what to do` is a step that is handed to its agent.
local function is_step(event)
  local text = import.text(event, "content")
  return import.text(event, "type") == "note" and text and text:sub(1, 1) == "\""
    and text:find("\":", 2, true) ~= nil
end

local function emit_event(emit, event, agent, i)
  local type, at, text = import.text(event, "type")
    or "?", import.number(event, "ts"), import.get(event, "content")
  local message = { role = "user", content = text or "" }
  local handed = agent ~= orchestrator
  if handed and is_step(event) then
    emit {
      kind = "delegation", agent = orchestrator, target = agent, child = agent, message = message,
      at = at, source = i,
    }
  elseif handed and results[type] then
    emit {
      kind = "delegation_result", agent = orchestrator, child = agent, message = message, at = at,
      source = i,
    }
  elseif thoughts[type] then
    emit { kind = "thought", agent = agent, data = event, at = at, source = i }
  elseif type == "error" then
    emit { kind = "error", agent = agent, data = event, at = at, source = i }
  else
    emit { kind = "meta", agent = agent, name = type, data = event, at = at, source = i }
  end
end

local function emit_chapter(emit, chapter, i)
  local agent = import.text(chapter, "agentName") or orchestrator
  local at = import.time(import.text(chapter, "startedAt") or "")
  emit { kind = "state", agent = agent, name = import.text(chapter, "title"), at = at, source = i }
  for _, event in ipairs(import.list(chapter, "events")) do
    emit_event(emit, event, import.text(event, "raw", "agent") or agent, i)
  end
end

local function about(document)
  local kept = {}
  for name, value in pairs(document) do
    if name ~= "chapters" and name ~= "agents" then kept[name] = value end
  end
  return kept
end

local ends = { completed = "completed", abandoned = "failed", active = "paused" }

function relay.import(source, emit)
  local document = import.document(source)
  if not is_relay(document) then return end
  -- Two files can have the same id: two states of one run.
  emit { kind = "session", id = ("%s@%s"):format(document.id, source.digest),
    about = about(document),
    at = import.time(import.text(document, "startedAt") or "") }
  for _, agent in ipairs(import.list(document, "agents")) do
    local name = import.text(agent, "name")
    if name then
      emit {
        kind = "agent", id = name, parent = name ~= orchestrator and orchestrator or nil,
        role = import.text(agent, "role"),
      }
    end
  end
  for i, chapter in ipairs(document.chapters) do emit_chapter(emit, chapter, i) end
  emit {
    kind = "end", status = ends[import.text(document, "status") or ""] or "paused",
    reason = import.text(document, "status"),
  }
end

return relay
