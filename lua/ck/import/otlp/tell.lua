--- Tells what began and what ended in a conversation, each message, call and result once.

local import = require "ck.import"
local counts = require "ck.import.otlp.counts"
local messages = require "ck.import.otlp.messages"
local spans = require "ck.import.otlp.spans"

local function error_of(span)
  local kind = spans.text(span, "error.type")
  if not span.failed and not kind then return nil end
  if span.own and kind == "error" then kind = nil end
  return span.problem or kind or true
end

local function amount(span, ...)
  for _, name in ipairs { ... } do
    local found = import.amount(span.attributes, name)
    if found then return found end
  end
end

-- ---- what was said ----

--- A result that the span of its tool has told is not told again. In a trace of ckrun's it may
--- lack the id that its call has: they are as many.
local function emit_results(run, span, message)
  local told = counts.of(run, span.agent, "spoken")
  for _, result in ipairs(message.results) do
    local key = result.id or ""
    local known = not span.own and run.answered[key] or false
    if (span.own or not result.id) and counts.take(told, "") then known = true end
    if not known then
      run.answered[key] = result.id and true
      run.emit { kind = "tool_result", agent = span.agent, id = result.id, source = span.n,
        content = result.content or "", at = span.at }
    end
  end
end

local function emit_message(run, span, message)
  run.emit { kind = "message", agent = span.agent, source = span.n, at = message.at or span.at,
    message = messages.chat(message) }
end

--- Messages that were not told yet: of those alike as many as are new. ckrun gives each call only
--- what is new.
local function emit_given(run, span, given)
  local told, here = counts.of(run, span.agent, "told"), {}
  for _, message in ipairs(given) do
    local key = messages.key(message)
    counts.add(here, key)
    local new = span.own or here[key] > (told[key] or 0)
    if new then counts.add(told, key) end
    if #message.results > 0 then
      if new then emit_results(run, span, message) end
    elseif new then
      emit_message(run, span, message)
    end
  end
end

local function emit_calls(run, span, message)
  for _, call in ipairs(message.calls) do
    if not call.id then counts.add(counts.of(run, span.agent, "waiting"), call.name) end
    if not run.called[call.id or ""] then
      run.called[call.id or ""] = call.id and true
      run.emit { kind = "tool_call", agent = span.agent, id = call.id, name = call.name,
        arguments = call.arguments, source = span.n, at = span.done }
    end
  end
end

--- One answer has one message; more of them are choices, whose tokens count once.
local function emit_made(run, span, made)
  local told = counts.of(run, span.agent, "told")
  if #made == 0 then made = { messages.new("assistant") } end
  for i, message in ipairs(made) do
    local key, first = messages.key(message), i == 1 or nil
    counts.add(told, key)
    for _, thought in ipairs(message.thoughts) do
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
    if not span.own then emit_calls(run, span, message) end
  end
end

-- ---- begins and ends ----

--- By the kind of a span; run has emit and what was told.
local begins, ends = {}, {}

function begins.model(run, span) emit_given(run, span, span.given) end

--- One message that ckrun says the place of, which the call was given later.
local function say(run, span, message) emit_given(run, span, { message }) end

function ends.model(run, span) emit_made(run, span, span.made) end

--- A message that no call was given.
function begins.message(run, span)
  for _, message in ipairs(span.given) do emit_message(run, span, message) end
end
function ends.message() end

--- ckrun has a span for each call that was made, with a class where its beginning was recorded.
local function is_call(run, span)
  local attributes = span.attributes
  if span.own then
    return attributes["ckrun.effect.class"] ~= nil
      or attributes["gen_ai.tool.call.arguments"] ~= nil
  end
  return not run.called[span.call]
end

--- A tool whose call has no id is the first of its name that was called without one.
local function name_call(run, span, name)
  span.call = spans.text(span, "gen_ai.tool.call.id")
  if span.own or span.call then return is_call(run, span) end
  if counts.take(counts.of(run, span.agent, "waiting"), name) then return false end
  span.call = span.id
  return is_call(run, span)
end

--- A text is what a call was given where it says no table: a number may be one that is a text.
local function arguments_of(span)
  local text = span.attributes["gen_ai.tool.call.arguments"]
  local said = spans.said(text)
  return span.own and type(said) ~= "table" and text or said
end

function begins.tool(run, span)
  local name = spans.text(span, "gen_ai.tool.name") or span.name
  if not name_call(run, span, name) then return end
  run.called[span.call or ""] = span.call and true
  run.emit { kind = "tool_call", agent = span.agent, id = span.call, source = span.n, at = span.at,
    name = name, arguments = arguments_of(span) }
end

local function result_of(run, span)
  local content = span.attributes["gen_ai.tool.call.result"]
  if content == nil then content = run.results[span.call or ""] end
  if spans.text(span, "ckrun.tool.call.result.type") == "json" then
    return import.json(content)
  end
  return content or ""
end

function ends.tool(run, span)
  local key = span.call or ""
  if span.own and not spans.text(span, "ckrun.effect.status") then return end
  if not span.own and run.answered[key] then return end
  run.answered[key] = span.call and true
  if span.own or not span.call or span.call == span.id then
    counts.add(counts.of(run, span.agent, "spoken"), "")
  end
  run.emit { kind = "tool_result", agent = span.agent, id = span.call, source = span.n,
    name = spans.text(span, "gen_ai.tool.name"), content = result_of(run, span), at = span.done,
    error = error_of(span) }
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

return { begins = begins, ends = ends, say = say, amount = amount }
