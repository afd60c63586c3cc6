--- Run states of the OpenAI Agents SDK, as `RunState.to_json` (Python) and `toString` (JavaScript)
--- write them: what the run was given, the answers of the models with their tokens, and the items
--- that they and the tools made.

local import = require "ck.import"
local items = require "ck.import.openai_agents.items"

local agents = { name = "openai_agents" }

--- Python spells members with underscores, JavaScript in camelCase.
local either = items.either

local function responses_of(state)
  return import.list(either(state, "model_responses", "modelResponses"))
end

--- All that happened; a handoff may have left some of it out of what the next model is told.
local function items_of(state)
  local all = import.list(state, "session_items")
  local told = import.list(either(state, "generated_items", "generatedItems"))
  return #all >= #told and all or told
end

function agents.detect(head)
  local state = head.document
  return import.text(state, "$schemaVersion") ~= nil
    and import.table(either(state, "model_responses", "modelResponses")) ~= nil
    and import.text(either(state, "current_agent", "currentAgent"), "name") ~= nil
end

-- ---- which answer an item is of ----

--- What tells an item of an answer from others: the id of a call, its own, or its text.
local function key_of(raw)
  local kind = import.text(raw, "type") or "?"
  local id = items.call_id(raw) or import.text(raw, "id")
  return kind .. "\0" .. (id or items.text_of(raw) or "")
end

--- Items by their keys, those of one key in order.
local function index_of(list)
  local index = {}
  for n, item in ipairs(list) do
    local raw = either(item, "raw_item", "rawItem")
    if not items.is_result(raw) then
      local key = key_of(raw)
      index[key] = index[key] or {}
      table.insert(index[key], n)
    end
  end
  return index
end

--- claims[n]: the answer that item n is of; answers[i].items: its items.
local function claims_of(list, responses)
  local index, claims, answers = index_of(list), {}, {}
  for i, response in ipairs(responses) do
    local answer = { items = {}, response = response }
    for _, raw in ipairs(import.list(response, "output")) do
      local waiting = index[key_of(raw)]
      local n = waiting and table.remove(waiting, 1)
      if n then
        claims[n] = i
        answer.items[#answer.items + 1] = n
      end
    end
    answers[i] = answer
  end
  return claims, answers
end

-- ---- answers and results ----

local function agent_of(item)
  return import.text(item, "agent", "name")
    or import.text(either(item, "source_agent", "sourceAgent"), "name")
end

--- The agent of an answer whose items are gone is the one that goes on.
local function emit_answer(emit, run, answer)
  local first = run.list[answer.items[1]]
  local agent = agent_of(first) or run.agent
  local used = import.table(answer.response, "usage")
  run.agent = agent
  items.emit_reply(emit, import.list(answer.response, "output"), {
    agent = agent, source = #answer.items > 0 and answer.items or nil,
    input_tokens = import.amount(either(used, "input_tokens", "inputTokens")),
    output_tokens = import.amount(either(used, "output_tokens", "outputTokens")),
  })
end

local function emit_item(emit, run, n)
  local item = run.list[n]
  local raw, kind = either(item, "raw_item", "rawItem"), import.text(item, "type")
  local agent = agent_of(item) or run.agent
  local target = import.text(either(item, "target_agent", "targetAgent"), "name")
  if items.is_result(raw) then
    items.emit_result(emit, raw, { agent = agent, source = n, output = import.get(item, "output") })
  elseif kind == "tool_approval_item" or not items.emit_reply(emit, { raw },
      { agent = agent, source = n }) then
    emit { kind = "meta", agent = agent, name = kind, data = item, source = n }
  end
  run.agent = target or run.agent
end

local function emit_run(emit, run)
  local claims, answers = claims_of(run.list, run.responses)
  local told = 0
  local function tell(until_answer)
    for i = told + 1, until_answer do emit_answer(emit, run, answers[i]) end
    told = math.max(told, until_answer)
  end
  for n in ipairs(run.list) do
    if claims[n] then tell(claims[n]) else emit_item(emit, run, n) end
  end
  tell(#answers)
end

-- ---- the run ----

--- What it was given: a text, or items.
local function emit_input(emit, input, agent)
  if type(input) == "string" then
    emit { kind = "message", agent = agent, message = { role = "user", content = input } }
  end
  for _, raw in ipairs(import.list(input)) do
    local of = { agent = agent }
    if items.is_result(raw) then
      items.emit_result(emit, raw, of)
    elseif not items.emit_message(emit, raw, of) and not items.emit_reply(emit, { raw }, of) then
      emit { kind = "meta", agent = agent, name = import.text(raw, "type"), data = raw }
    end
  end
end

local function end_of(state, list)
  local step = import.text(either(state, "current_step", "currentStep"), "type")
  if step == "next_step_final_output" then return "completed" end
  if step then return "paused", step end
  local last = list[#list]
  return import.text(last, "type") == "message_output_item" and "completed" or "paused"
end

--- Apart from what becomes events; the key that traces are sent with is not kept.
local left_out = {
  model_responses = true, modelResponses = true, session_items = true, generated_items = true,
  generatedItems = true, original_input = true, originalInput = true, trace = true,
  last_model_response = true, lastModelResponse = true, last_processed_response = true,
  lastProcessedResponse = true,
}

local function about(state)
  local kept = {}
  for name, value in pairs(state) do
    if not left_out[name] then kept[name] = value end
  end
  return kept
end

function agents.import(source, emit)
  local state = import.document(source)
  if type(state) ~= "table" then return end
  local list, known = items_of(state), {}
  local current = import.text(either(state, "current_agent", "currentAgent"), "name") or "agent"
  local run = { list = list, responses = responses_of(state), agent = agent_of(list[1]) or current }
  emit { kind = "session", id = import.id(source), about = about(state) }
  local function tell(agent)
    if agent and not known[agent] then emit { kind = "agent", id = agent } end
    known[agent or ""] = true
  end
  tell(run.agent)
  for _, item in ipairs(list) do tell(agent_of(item)) end
  tell(current)
  emit_input(emit, either(state, "original_input", "originalInput"), run.agent)
  emit_run(emit, run)
  local status, reason = end_of(state, list)
  emit { kind = "end", status = status, reason = reason }
end

return agents
