--- Who&When: transcripts of several agents, either an orchestrator that hands work out, or a flat
--- group chat.

local import = require "ck.import"

local who_and_when = { name = "who_and_when" }

function who_and_when.detect(head)
  local first = import.list(head.document, "history")[1]
  return import.text(head.document, "question_ID") ~= nil and import.text(first, "role") ~= nil
end

local orchestrator = "Orchestrator"

--- "Orchestrator (-> WebSurfer)": the speaker, and the text in brackets.
local function split(role)
  local at = role:find(" (", 1, true)
  if not at then return role end
  return role:sub(1, at - 1), role:sub(at + 2, -2)
end

local function chat(role, entry, name)
  return { role = role, content = import.get(entry, "content") or "", name = name }
end

local function emit_answer(emit, speaker, entry, i)
  emit { kind = "agent", id = speaker, parent = orchestrator }
  emit { kind = "model", agent = speaker, message = chat("assistant", entry, speaker), source = i }
  emit { kind = "delegation_result", agent = orchestrator, child = speaker, message = chat("user",
    entry, speaker),
    source = i }
end

local function emit_crafted(emit, entry, i)
  local speaker, what = split(import.text(entry, "role") or "?")
  local target = what and what:sub(1, 3) == "-> " and what:sub(4)
  if target then
    emit { kind = "agent", id = target, parent = speaker }
    emit { kind = "delegation", agent = speaker, target = target, child = target,
      message = chat("user", entry, speaker),
      source = i }
  elseif what == "thought" then
    emit { kind = "thought", agent = speaker, data = import.get(entry, "content"), source = i }
  elseif what then
    emit {
      kind = "meta", agent = speaker, name = what, data = import.get(entry, "content"), source = i,
    }
  elseif speaker == "human" then
    emit { kind = "message", agent = speaker, message = chat("user", entry), source = i }
  elseif speaker == orchestrator then
    emit { kind = "model", agent = speaker, message = chat("assistant", entry), source = i }
  else
    emit_answer(emit, speaker, entry, i)
  end
end

--- The terminal answers the code in the entry before it.
local function emit_terminal(emit, entry, before, i)
  local agent = import.text(before, "name") or "Computer_terminal"
  local content = import.text(entry, "content")
  local failed = content and content:find("exitcode: 0", 1, true) == nil
    and content:find("exitcode: ", 1, true) == 1 or nil
  local code = import.code(import.text(before, "content") or "")
  if code then
    emit {
      kind = "tool_call", agent = agent, name = "Computer_terminal", arguments = { code = code },
      source = i - 1,
    }
  end
  emit { kind = "tool_result", agent = agent, name = "Computer_terminal",
    content = import.get(entry, "content"), source = i,
    error = failed }
end

local function emit_generated(emit, entry, before, i)
  local name = import.text(entry, "name")
  if name == "Computer_terminal" then
    emit_terminal(emit, entry, before, i)
  elseif name then
    emit { kind = "model", agent = name, message = entry, source = i }
  else
    emit {
      kind = "message", agent = import.text(entry, "role"), message = chat("user", entry),
      source = i,
    }
  end
end

local function about(document)
  local kept = {}
  for name, value in pairs(document) do
    if name ~= "history" and name ~= "system_prompt" then kept[name] = value end
  end
  return kept
end

function who_and_when.import(source, emit)
  local document = import.document(source)
  local history = import.list(document, "history")
  local generated = import.text(history[1], "name") ~= nil
  local is_known = import.get(document, "question_ID") ~= nil
    or import.get(document, "question") ~= nil
  if not is_known or not import.text(history[1], "role") then return end
  local id = import.text(document, "question_ID") or import.id(source)
  emit {
    kind = "session", id = (generated and "algorithm_generated/" or "hand_crafted/") .. id,
    about = about(document),
  }
  if import.get(document, "system_prompt") then
    emit { kind = "meta", name = "system_prompt", data = document.system_prompt }
  end
  local before
  for i, entry in ipairs(history) do
    if generated then emit_generated(emit, entry, before, i) else emit_crafted(emit, entry, i) end
    if import.text(entry, "name") ~= "Computer_terminal" then before = entry end
  end
end

return who_and_when
