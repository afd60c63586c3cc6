--- What an OTLP document in JSON holds: spans with their attributes as plain values, and the log
--- records that belong to them as their events.

local import = require "ck.import"

local spans = {}

-- ---- values ----

local plain

local function list_of(values)
  local made = ck.array {}
  for i, value in ipairs(values) do made[i] = plain(value) or ck.null end
  return made
end

local function fields_of(values)
  local made = {}
  for _, pair in ipairs(values) do
    local key = import.text(pair, "key")
    if key then made[key] = plain(import.get(pair, "value")) end
  end
  return made
end

--- An AnyValue. Whole numbers may be texts, for JSON has only doubles.
function plain(value)
  local whole = import.get(value, "intValue")
  if whole ~= nil then return math.tointeger(tonumber(whole)) end
  for _, name in ipairs { "stringValue", "boolValue", "doubleValue", "bytesValue" } do
    local found = import.get(value, name)
    if found ~= nil then return found end
  end
  local list, fields = import.table(value, "arrayValue"), import.table(value, "kvlistValue")
  if list then return list_of(import.list(list, "values")) end
  if fields then return fields_of(import.list(fields, "values")) end
end

--- Milliseconds of nanoseconds, which are a text or a number; nil when there are none.
local function time_of(value, name)
  local nanos = math.tointeger(tonumber(import.get(value, name)))
  return nanos and nanos > 0 and nanos // 1000000 or nil, nanos or 0
end

--- A text that is JSON as what it says, anything else as it is.
function spans.said(value)
  if type(value) ~= "string" then return value end
  local found = import.json(value)
  if found == nil then return value end
  return found
end

--- An attribute that is a text; nil for another.
function spans.text(span, name)
  return import.text(span.attributes, name)
end

--- An attribute that is a whole number; nil for another.
function spans.whole(span, name)
  local number = import.number(span.attributes, name)
  return number and math.tointeger(number)
end

-- ---- spans and records ----

local function event_of(record)
  local attributes = fields_of(import.list(record, "attributes"))
  return {
    name = import.text(record, "eventName") or import.text(record, "name")
      or import.text(attributes, "event.name") or "",
    attributes = attributes,
    body = plain(import.get(record, "body")) or spans.said(attributes["gen_ai.event.content"]),
  }
end

local function span_of(raw, n)
  local at, from = time_of(raw, "startTimeUnixNano")
  local done, to = time_of(raw, "endTimeUnixNano")
  local span = {
    n = n, raw = raw, name = import.text(raw, "name") or "?",
    trace = import.text(raw, "traceId") or "", id = import.text(raw, "spanId") or "",
    parent_id = import.text(raw, "parentSpanId"), at = at, from = from,
    done = done, to = math.max(from, to), events = {},
    attributes = fields_of(import.list(raw, "attributes")),
    failed = import.get(raw, "status", "code") == 2
      or import.text(raw, "status", "code") == "STATUS_CODE_ERROR",
    problem = import.text(raw, "status", "message"),
  }
  for i, record in ipairs(import.list(raw, "events")) do span.events[i] = event_of(record) end
  return span
end

local function take_spans(found, document, place)
  for _, resource in ipairs(import.list(document, "resourceSpans")) do
    for _, scope in ipairs(import.list(resource, "scopeSpans")) do
      for _, raw in ipairs(import.list(scope, "spans")) do
        local span = span_of(raw, place or #found.list + 1)
        found.list[#found.list + 1] = span
        if span.id ~= "" then found.by_id[span.trace .. "/" .. span.id] = span end
      end
    end
  end
end

local function take_records(found, document)
  for _, resource in ipairs(import.list(document, "resourceLogs")) do
    for _, scope in ipairs(import.list(resource, "scopeLogs")) do
      for _, record in ipairs(import.list(scope, "logRecords")) do
        found.records[#found.records + 1] = record
      end
    end
  end
end

local function join(found)
  for _, record in ipairs(found.records) do
    local key = (import.text(record, "traceId") or "") .. "/"
      .. (import.text(record, "spanId") or "")
    local span = found.by_id[key]
    if span then span.events[#span.events + 1] = event_of(record) end
  end
  for _, span in ipairs(found.list) do
    span.parent = span.parent_id and found.by_id[span.trace .. "/" .. span.parent_id] or nil
  end
end

--- Whether it is a document of spans or of log records.
function spans.is_document(value)
  return import.table(value, "resourceSpans") ~= nil or import.table(value, "resourceLogs") ~= nil
end

--- All spans of a source: of one document, in its order, n counts them; of lines, n is the line.
function spans.read(source)
  local found = { list = {}, by_id = {}, records = {} }
  local document = source.document()
  if document then
    take_spans(found, document)
    take_records(found, document)
  else
    for n, line, problem in source.lines() do
      if spans.is_document(line) then
        take_spans(found, line, n)
        take_records(found, line)
      else
        source.skip(n, problem or "no spans and no log records")
      end
    end
  end
  join(found)
  return found.list
end

local AROUND_MAX = 1000

--- The span itself and those that it is within, the nearest first; nil and the reason where that
--- has no end.
function spans.line_of(span)
  local line, seen = {}, {}
  while span do
    if seen[span] then return nil, "the spans around it are a circle" end
    if #line == AROUND_MAX then return nil, "it lies within more than 1000 spans" end
    seen[span], line[#line + 1] = true, span
    span = span.parent
  end
  return line
end

return spans
