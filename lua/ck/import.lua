--- The library of importers. An importer turns a file of another program into facts; `--format
--- ./mine.lua` names one.
---
---   local import = require "ck.import"
---   return {
---     name = "mine",
---     detect = function(head, path) return import.text(head.document, "my_version") ~= nil end,
---     import = function(source, emit)
---       emit { kind = "session", id = source.stem }
---       for n, line, problem in source.lines() do
---         if line then emit { kind = "message", agent = "bot", message = line, source = n }
---         else import.lost(emit, n, problem) end
---       end
---     end,
---   }
---
--- `head` has document (the whole value of a JSON file, or nil), lines (the first lines that are
--- JSON) and texts (the first lines unchanged, cut at 256 bytes).
---
--- A source has:
---   path, name, stem      stem: the name without its ending
---   digest                8 hex digits, of its bytes
---   document()            value, or nil and the reason
---   lines()               iterator: number, value, or number, nil and the problem
---   texts()               iterator: number, line unchanged
---   skip(n, why)          reports a line or element that is left out: as one that is no JSON, it
---                         makes the whole file refused, unless --partial was given
---   parts()               the sources of the files in the folder of the same stem
--- Values of a source are read-only; null is ck.null. A value passed to emit whole keeps its bytes.
---
--- emit takes { kind =, … }; fields that the source does not have are left out, never made up:
---   session             id, at, about; cost, input_tokens, output_tokens: of the whole, where the
---                       source has none for each model
---   end                 status ("completed", "failed", "paused"), reason
---   agent               id, parent, role
---   message             agent, message
---   model               agent, message, cost, input_tokens, output_tokens, error
---   tool_call           agent, id, name, arguments
---   tool_result         agent, id, name, content or message, error
---   delegation          agent, id, target, child, message
---   delegation_result   agent, id, child, content or message, error
---   thought, state, compaction, error, meta     agent, name, data
--- and all of them: at (milliseconds since 1970, see import.time) and source (line or element in
--- the file, or a list). Costs are dollars. `error` is true or a text. A second session may follow
--- the first.

local _, core = ...

local import = {}

--- Milliseconds since 1970 of an ISO 8601 text, taken as UTC when it names no zone; nil for
--- anything else.
import.time = core.time

--- The value of a text that is JSON, read-only as those of a source; nil and the reason for
--- another.
import.json = core.json

--- The value under keys, one inside the other; nil when one is missing or null.
function import.get(value, ...)
  for i = 1, select("#", ...) do
    if type(value) ~= "table" then return nil end
    value = value[(select(i, ...))]
  end
  if value == ck.null then return nil end
  return value
end

--- The same, for one type; nil for others.
local function typed(wanted)
  return function(...)
    local value = import.get(...)
    if type(value) == wanted then return value end
  end
end
import.text, import.number, import.table = typed "string", typed "number", typed "table"

--- A number that is not negative: prices and counts of tokens.
function import.amount(...)
  local value = import.number(...)
  if value and value >= 0 and value < math.huge then return value end
end

--- The elements of an array; an empty list for anything else.
function import.list(...)
  return import.table(...) or {}
end

--- The sum of those of these amounts that are there; nil when none is.
function import.sum(value, ...)
  local total
  for _, name in ipairs { ... } do
    local amount = import.amount(value, name)
    if amount then total = (total or 0) + amount end
  end
  return total
end

--- What names a session whose source does not: of its element or line `n`.
function import.id(source, n)
  return ("%s@%s"):format(source.stem, source.digest) .. (n and ("#%d"):format(n) or "")
end

--- The whole document, which a format of one document must be.
function import.document(source)
  local document, why = source.document()
  if document == nil then error(why, 0) end
  return document
end

--- The document, or where that is none of the format each line, is given to `take` (a line with its
--- number), which says whether it was one. A line that is none is left out: `why`.
function import.each(source, take, why)
  local document = source.document()
  if document ~= nil and take(document) then return end
  for n, line in source.lines() do
    if line ~= nil and not take(line, n) then source.skip(n, why) end
  end
end

--- Whether one of its lines is such that `is` says so.
function import.some(source, is)
  for _, line in source.lines() do
    if line ~= nil and is(line) then return true end
  end
  return false
end

--- Emits a fact in place of a line that cannot be read.
function import.lost(emit, n, problem)
  emit { kind = "error", source = n, data = { problem = problem } }
end

--- A call in any of the spellings of OpenAI's and its imitators: function is a table or the name
--- itself.
function import.call(call)
  local body = import.table(call, "function") or call
  local name = import.text(body, "name") or import.text(call, "function")
  local arguments = import.get(body, "arguments")
  if arguments == nil then arguments = import.get(body, "args") end
  return name, arguments, import.text(call, "id")
end

--- Emits the tool calls of a message.
function import.calls(emit, message, agent, source, at)
  local calls = import.list(message, "tool_calls")
  if #calls == 0 and import.table(message, "function_call") then
    calls = { message.function_call }
  end
  for _, call in ipairs(calls) do
    local name, arguments, id = import.call(call)
    emit {
      kind = "tool_call", agent = agent, id = id, name = name or "?", arguments = arguments,
      source = source, at = at,
    }
  end
end

local function error_of(message)
  local failed = import.get(message, "error")
  if type(failed) == "string" then return failed ~= "" and failed or nil end
  return failed and true or nil
end

--- What a message, a response or a conversation says that it cost, in the spellings of OpenAI's two
--- APIs, of Anthropic's, and of those who add a price: { cost =, input =, output = }. Anthropic's
--- input leaves out what the cache had or was given.
function import.spent(value)
  local used = import.table(value, "usage")
  local spent = {
    input = import.amount(used, "prompt_tokens") or import.amount(used, "input_tokens"),
    output = import.amount(used, "completion_tokens") or import.amount(used, "output_tokens"),
  }
  for _, name in ipairs { "cost", "cost_usd", "response_cost", "total_cost" } do
    spent.cost = spent.cost or import.amount(value, name)
  end
  spent.cost = spent.cost or import.amount(used, "cost")
  for _, name in ipairs { "cache_creation_input_tokens", "cache_read_input_tokens" } do
    local more = not import.get(used, "prompt_tokens") and import.amount(used, name)
    if more then spent.input = (spent.input or 0) + more end
  end
  return spent
end

local function emit_model(emit, message, agent, source, spent, at)
  emit { kind = "model", agent = agent, message = message, source = source, at = at,
    cost = spent.cost, input_tokens = spent.input, output_tokens = spent.output }
  import.calls(emit, message, agent, source, at)
end

--- The message in a response of chat completions.
function import.answer(response)
  return import.table(import.list(response, "choices")[1], "message")
end

--- Emits the answer in a response of chat completions, which `value` is, or has as `response`,
--- beside a price.
function import.reply(emit, value, agent, source, at)
  local response = import.table(value, "response") or value
  local message = import.answer(response)
  if not message then return end
  local spent = import.spent(response)
  spent.cost = spent.cost or import.spent(value).cost
  emit_model(emit, message, agent, source, spent, at)
end

--- Emits a list of messages in OpenAI's format. `user` is the agent of user messages.
function import.chat(emit, messages, agent, user)
  for i, message in ipairs(messages) do
    local role = import.text(message, "role")
    if role == "assistant" then
      emit_model(emit, message, agent, i, import.spent(message))
    elseif role == "tool" or role == "function" then
      emit { kind = "tool_result", agent = agent, id = import.text(message, "tool_call_id"),
        message = message, source = i,
        error = error_of(message) }
    elseif role then
      emit {
        kind = "message", agent = role == "user" and user or agent, message = message, source = i,
      }
    else
      emit { kind = "error", data = message, source = i }
    end
  end
end

--- The code blocks of a text, one behind the other; nil when there is none.
function import.code(text)
  local blocks, from = {}, 1
  while true do
    local open = text:find("```", from, true)
    local line = open and text:find("\n", open, true)
    local close = line and text:find("```", line, true)
    if not close then break end
    blocks[#blocks + 1] = text:sub(line + 1, close - 1)
    from = close + 3
  end
  return #blocks > 0 and table.concat(blocks) or nil
end

--- True when the value is a list of messages that have roles.
function import.is_chat(value)
  local first = import.list(value)[1]
  local role = import.text(first, "role")
  local roles = { system = true, developer = true, user = true, assistant = true, tool = true }
  return roles[role] == true and import.get(first, "content") ~= nil or role == "assistant"
end

return import
