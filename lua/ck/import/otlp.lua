--- Traces of OpenTelemetry in which agents and models tell of themselves by the conventions for
--- generative AI: OTLP as JSON, one document, or one on each line, as collectors write them.
---
--- The spans of a conversation are a session, those of a trace where none is named. What a call is
--- given holds all that was said before: each message is told once. A trace without a span of
--- generative AI is none of a session.

local import = require "ck.import"
local messages = require "ck.import.otlp.messages"
local order = require "ck.import.otlp.order"
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
  if attributes["ckrun.event.kind"] == "message" then return "message" end
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

--- How it ended: as ckrun says, else as the outermost spans did.
local function emit_end(emit, list)
  local root, status, reason = list[1], "completed", nil
  for _, span in ipairs(list) do
    if span.from < root.from then root = span end
    if not span.parent and span.failed then status, reason = "failed", span.problem or "error" end
  end
  local said = spans.text(root, "ckrun.status")
  if said and status ~= "failed" then status = said == "completed" and said or "paused" end
  emit { kind = "end", status = status, reason = reason }
end

local function emit_session(emit, id, list)
  local run = { emit = emit, told = {}, called = {}, answered = {}, results = {}, waiting = {},
    spoken = {} }
  local root = list[1]
  for _, span in ipairs(list) do
    if span.from < root.from then root = span end
    span.given, span.made = messages.of(span)
    for _, message in ipairs(span.given) do
      for _, result in ipairs(message.results) do
        if result.id then run.results[result.id] = result.content end
      end
    end
  end
  emit { kind = "session", id = id, at = root.at, about = { trace = root.trace, name = root.name },
    cost = tell.amount(root, "ckrun.session.cost"),
    input_tokens = tell.amount(root, "ckrun.session.input_tokens"),
    output_tokens = tell.amount(root, "ckrun.session.output_tokens") }
  emit_agents(emit, list)
  order.set_right(list)
  order.set_in_order(list)
  for _, step in ipairs(order.steps_of(list)) do
    if step.message then
      tell.say(run, step.span, step.message)
    else
      tell[step.begins and "begins" or "ends"][step.span.kind](run, step.span)
    end
  end
  emit_end(emit, list)
end

-- ---- which spans are one ----

--- What a span is, who acts in it, and who around it. Gives the name of its conversation.
local function place(span, line)
  span.kind = kind_of(span) or "other"
  span.own = span.attributes["ckrun.event.seq"] ~= nil
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
  local sessions, ids, list = {}, {}, spans.read(source)
  local named, spoken = sort_out(source, list)
  for _, span in ipairs(list) do
    local id = named[span.trace] or span.trace
    if spoken[span.trace] and span.kind then
      if not sessions[id] then ids[#ids + 1], sessions[id] = id, {} end
      table.insert(sessions[id], span)
    end
  end
  for _, id in ipairs(ids) do
    emit_session(emit, id ~= "" and id or import.id(source), sessions[id])
  end
end

return otlp
