--- Traces of OpenTelemetry in which agents and models tell of themselves by the conventions for
--- generative AI: OTLP as JSON, one document, or one on each line, as collectors write them.
---
--- The spans of a conversation are a session, those of a trace where none is named. What a call is
--- given holds all that was said before: each message is told once. A trace without a span of
--- generative AI is none of a session.

local import = require "ck.import"
local messages = require "ck.import.otlp.messages"
local spans = require "ck.import.otlp.spans"
local tell = require "ck.import.otlp.tell"

local otlp = { name = "otlp" }

function otlp.detect(head)
  return spans.is_document(head.document) or spans.is_document(head.lines[1])
end

-- ---- what a span is ----

local operations = {
  chat = "model", text_completion = "model", generate_content = "model", execute_tool = "tool",
  invoke_agent = "agent", create_agent = "other", embeddings = "other", retrieval = "other",
  invoke_workflow = "other",
}

local function kind_of(span)
  local attributes = span.attributes
  local known = operations[spans.text(span, "gen_ai.operation.name") or ""]
  if known then return known end
  if attributes["gen_ai.request.model"] or attributes["gen_ai.response.model"] then
    return "model"
  end
  return attributes["gen_ai.tool.name"] and "tool" or nil
end

--- The nearest name of an agent around it; nil where nobody has one.
local function agent_of(line, from)
  for i = from, #line do
    local name = spans.text(line[i], "gen_ai.agent.name") or spans.text(line[i], "gen_ai.agent.id")
    if name and name ~= "" then return name end
  end
end

-- ---- a session ----

--- Clocks of programs differ: what a tool does begins behind the answer that calls it.
local function set_right(list)
  local answers = {}
  for _, span in ipairs(list) do
    for _, message in ipairs(span.kind == "model" and span.made or {}) do
      for _, call in ipairs(message.calls) do answers[call.id or ""] = span end
    end
  end
  for _, span in ipairs(list) do
    local answer = span.kind == "tool" and answers[spans.text(span, "gen_ai.tool.call.id") or "-"]
    local after = answer and answer.done
    if after and (span.at or 0) < after then
      span.at, span.done = after, math.max(span.done or 0, after)
    end
  end
end

--- Begins and ends in the order of time; at one millisecond a span lies within the one around it.
local function steps_of(list)
  local children, steps, roots = {}, {}, {}
  for _, span in ipairs(list) do
    local among = span.parent and children[span.parent] or (span.parent and {}) or roots
    if span.parent then children[span.parent] = among end
    among[#among + 1] = span
  end
  local function walk(among)
    table.sort(among, function(a, b)
      if a.from ~= b.from then return a.from < b.from end
      return a.place < b.place
    end)
    for _, span in ipairs(among) do
      steps[#steps + 1] = { at = span.at or 0, place = #steps, span = span, acts = tell.begins }
      walk(children[span] or {})
      local done = span.done or span.at or 0
      steps[#steps + 1] = { at = done, place = #steps, span = span, acts = tell.ends }
    end
  end
  walk(roots)
  table.sort(steps, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.place < b.place
  end)
  return steps
end

local function emit_agents(emit, list)
  local known = {}
  for _, span in ipairs(list) do
    if not known[span.agent] and span.kind ~= "other" then
      known[span.agent] = true
      local parent = span.outer ~= span.agent and span.outer or nil
      emit { kind = "agent", id = span.agent, parent = parent }
    end
  end
end

local function emit_session(emit, id, list)
  local run = { emit = emit, told = {}, called = {}, answered = {}, results = {} }
  local root, failed = list[1], nil
  for _, span in ipairs(list) do
    if span.from < root.from then root = span end
    span.given, span.made = messages.of(span)
    for _, message in ipairs(span.given) do
      for _, result in ipairs(message.results) do run.results[result.id or ""] = result.content end
    end
  end
  emit { kind = "session", id = id, at = root.at, about = { trace = root.trace, name = root.name } }
  emit_agents(emit, list)
  set_right(list)
  for _, step in ipairs(steps_of(list)) do
    local span = step.span
    step.acts[span.kind](run, span)
    if not span.parent and step.acts == tell.ends then
      failed = span.failed and (span.problem or "error") or nil
    end
  end
  emit { kind = "end", status = failed and "failed" or "completed", reason = failed }
end

-- ---- which spans are one ----

--- What a span is, who acts in it, and who around it. Gives the name of its conversation.
local function place(span, line)
  span.kind = kind_of(span) or "other"
  span.agent = agent_of(line, 1) or "agent"
  span.outer = span.kind == "agent" and agent_of(line, 2) or span.agent
  if span.kind == "model" or span.kind == "tool" then
    for i = 2, #line do line[i].busy = true end
  end
  for i = 1, #line do
    local id = spans.text(line[i], "gen_ai.conversation.id")
    if id and id ~= "" then return id end
  end
end

local function sort_out(source, list)
  local named, spoken, lost = {}, {}, nil
  for i, span in ipairs(list) do
    local line, problem = spans.line_of(span)
    span.place = i
    if line then
      local name = place(span, line)
      named[span.trace] = named[span.trace] or name
      spoken[span.trace] = spoken[span.trace] or kind_of(span) ~= nil
    else
      lost = lost or ("%d: %s"):format(span.n, problem)
      source.skip(span.n, problem)
    end
  end
  if lost and next(spoken) == nil then error(lost, 0) end
  return named, spoken
end

function otlp.import(source, emit)
  local sessions, order, list = {}, {}, spans.read(source)
  local named, spoken = sort_out(source, list)
  for _, span in ipairs(list) do
    local id = named[span.trace] or span.trace
    if spoken[span.trace] and span.kind then
      if not sessions[id] then order[#order + 1], sessions[id] = id, {} end
      table.insert(sessions[id], span)
    end
  end
  for _, id in ipairs(order) do
    emit_session(emit, id ~= "" and id or import.id(source), sessions[id])
  end
end

return otlp
