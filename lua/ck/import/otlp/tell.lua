--- Tells what began and what ended in a conversation, each message, call and result once.

local import = require "ck.import"
local messages = require "ck.import.otlp.messages"
local spans = require "ck.import.otlp.spans"

local function error_of(span)
  local kind = spans.text(span, "error.type")
  if not span.failed and not kind then return nil end
  return span.problem or kind or true
end

local function amount(span, ...)
  for _, name in ipairs { ... } do
    local found = import.amount(span.attributes, name)
    if found then return found end
  end
end

-- ---- what was said ----

local function emit_results(run, span, message)
  for _, result in ipairs(message.results) do
    local key = result.id or ""
    if not run.answered[key] then
      run.answered[key] = result.id and true
      run.emit { kind = "tool_result", agent = span.agent, id = result.id, source = span.n,
        content = result.content or "", at = span.at }
    end
  end
end

--- Messages that were not told yet: of those alike as many as are new. ckrun gives each call only
--- those, and says how many there were before.
local function emit_given(run, span, given)
  local told, here = run.told[span.agent] or {}, {}
  local new = span.attributes["ckrun.input.earlier"] ~= nil
  run.told[span.agent] = told
  for _, message in ipairs(given) do
    local key = messages.key(message)
    here[key] = (here[key] or new and told[key] or 0) + 1
    if #message.results > 0 then
      emit_results(run, span, message)
    elseif here[key] > (told[key] or 0) then
      told[key] = here[key]
      run.emit { kind = "message", agent = span.agent, source = span.n, at = span.at,
        message = messages.chat(message) }
    end
  end
end

local function emit_calls(run, span, message)
  for _, call in ipairs(message.calls) do
    if not run.called[call.id or ""] then
      run.called[call.id or ""] = call.id and true
      run.emit { kind = "tool_call", agent = span.agent, id = call.id, name = call.name,
        arguments = call.arguments, source = span.n, at = span.done }
    end
  end
end

--- One answer has one message; more of them are choices, whose tokens count once.
local function emit_made(run, span, made)
  local told = run.told[span.agent]
  if #made == 0 then made = { { role = "assistant", texts = {}, parts = {}, calls = {} } } end
  for i, message in ipairs(made) do
    local key, first = messages.key(message), i == 1 or nil
    told[key] = (told[key] or 0) + 1
    for _, thought in ipairs(message.thoughts or {}) do
      run.emit { kind = "thought", agent = span.agent, data = thought, source = span.n,
        at = span.done }
    end
    run.emit { kind = "model", agent = span.agent, source = span.n, at = span.done,
      error = error_of(span), message = messages.chat(message),
      cost = first and amount(span, "gen_ai.usage.cost"),
      input_tokens = first and amount(span, "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens"),
      output_tokens = first and amount(span, "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens") }
    emit_calls(run, span, message)
  end
end

-- ---- begins and ends ----

--- By the kind of a span; run has emit and what was told.
local begins, ends = {}, {}

function begins.model(run, span) emit_given(run, span, span.given) end
function ends.model(run, span) emit_made(run, span, span.made) end

local function id_of(span)
  return spans.text(span, "gen_ai.tool.call.id") or span.id
end

function begins.tool(run, span)
  local id = id_of(span)
  if run.called[id] then return end
  run.called[id] = true
  run.emit { kind = "tool_call", agent = span.agent, id = id, source = span.n, at = span.at,
    name = spans.text(span, "gen_ai.tool.name") or span.name,
    arguments = spans.said(span.attributes["gen_ai.tool.call.arguments"]) }
end

function ends.tool(run, span)
  local id = id_of(span)
  if run.answered[id] then return end
  local content = span.attributes["gen_ai.tool.call.result"]
  if content == nil then content = run.results[id] end
  run.answered[id] = true
  run.emit { kind = "tool_result", agent = span.agent, id = id, source = span.n, at = span.done,
    name = spans.text(span, "gen_ai.tool.name"), content = content or "", error = error_of(span) }
end

--- An agent whose calls are not in the trace is told by what it was given and what it made.
function begins.agent(run, span)
  if span.outer ~= span.agent then
    run.emit { kind = "delegation", agent = span.outer, target = span.agent, child = span.agent,
      id = span.id, source = span.n, at = span.at }
  end
  emit_given(run, span, span.given)
end

function ends.agent(run, span)
  if not span.busy and (#span.made > 0 or amount(span, "gen_ai.usage.output_tokens")) then
    emit_made(run, span, span.made)
  else
    emit_given(run, span, span.made)
  end
  if span.outer ~= span.agent then
    run.emit { kind = "delegation_result", agent = span.outer, child = span.agent, id = span.id,
      source = span.n, at = span.done, error = error_of(span) }
  end
end

function begins.other(run, span)
  run.emit { kind = "meta", agent = span.agent, name = span.name, data = span.raw, source = span.n,
    at = span.at }
end
function ends.other() end

return { begins = begins, ends = ends }
