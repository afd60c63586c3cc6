--- In which order the spans of a conversation began and ended, and its messages were said.

local import = require "ck.import"
local spans = require "ck.import.otlp.spans"

local order = {}

--- Clocks of programs differ: what a tool does begins behind the answer that calls it.
function order.set_right(list)
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
      span.from, span.to = answer.to, math.max(span.to, answer.to)
    end
  end
end

--- Begins and ends in the order of time; at one moment a span lies within the one around it.
local function add_steps(steps, children, among)
  local first, last
  table.sort(among, function(a, b)
    if a.from ~= b.from then return a.from < b.from end
    return a.place < b.place
  end)
  for _, span in ipairs(among) do
    for _, message in ipairs(span.early or {}) do
      steps[#steps + 1] = { at = message.seq, place = #steps, span = span, message = message }
    end
    local begin = { place = #steps, span = span, begins = true }
    steps[#steps + 1] = begin
    local low, high = add_steps(steps, children, children[span] or {})
    local seq, ends = spans.whole(span, "ckrun.event.seq"), spans.whole(span, "ckrun.outcome.seq")
    begin.at = seq or span.traced and low or span.from
    local done = ends or seq or span.traced and high or span.to
    steps[#steps + 1] = { at = done, place = #steps, span = span }
    first, last = math.min(first or begin.at, begin.at), math.max(last or done, done)
  end
  return first, last
end

function order.steps_of(list)
  local children, steps, roots = {}, {}, {}
  for _, span in ipairs(list) do
    local among = span.parent and children[span.parent] or (span.parent and {}) or roots
    if span.parent then children[span.parent] = among end
    among[#among + 1] = span
  end
  add_steps(steps, children, roots)
  table.sort(steps, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.place < b.place
  end)
  return steps
end

--- ckrun says by the seqs of its events in which order they were, which their times need not be.
function order.set_in_order(list)
  local traced = false
  for _, span in ipairs(list) do traced = traced or span.own end
  for _, span in ipairs(list) do
    span.traced = traced
    local seqs = import.list(spans.said(span.attributes["ckrun.input.seqs"]))
    local times = import.list(spans.said(span.attributes["ckrun.input.times"]))
    if #seqs > 0 and #seqs == #span.given then
      for i, message in ipairs(span.given) do
        message.seq, message.at = seqs[i], times[i] ~= 0 and times[i] or nil
      end
      span.early, span.given = span.given, {}
    end
  end
end

return order
