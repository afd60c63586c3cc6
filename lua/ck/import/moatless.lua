--- Trajectories of moatless-tools: the transitions of a loop of states, or the nodes of a search
--- tree.

local import = require "ck.import"

local moatless = { name = "moatless" }
local agent = "moatless"

local function is_loop(value)
  return import.table(import.list(value, "transitions")[1], "actions") ~= nil
end

local function is_tree(value)
  local first = import.list(value, "nodes")[1]
  return import.number(first, "node_id") ~= nil and import.get(first, "completions") ~= nil
end

function moatless.detect(head) return is_loop(head.document) or is_tree(head.document) end

local function emit_session(emit, source, document, about)
  local id = import.text(about, "instance_id")
  local run = import.text(about, "evaluation_name")
  emit { kind = "session", id = id and (run and id .. "/" .. run or id)
    or import.id(source),
    cost = import.amount(about, "total_cost"), about = about }
  emit { kind = "agent", id = agent }
  local system, task = import.text(document, "agent", "system_prompt"),
    import.text(document, "initial_message")
  if system then
    emit { kind = "message", agent = agent, message = { role = "system", content = system } }
  end
  if task then
    emit { kind = "message", agent = agent, message = { role = "user", content = task } }
  end
end

-- ---- a loop ----

--- An action is what the model answered in its state; what came of it, or why it was refused.
local function emit_action(emit, state, step, n)
  local action = import.table(step, "action") or {}
  local thoughts = import.text(action, "thoughts") or import.text(action, "scratch_pad")
  emit { kind = "model", agent = agent, source = n, cost = import.amount(step, "completion_cost"),
    message = { role = "assistant", content = thoughts or ck.null } }
  emit { kind = "tool_call", agent = agent, source = n, name = state, arguments = action }
  local refused, output = import.text(step, "retry_message"), import.get(step, "output")
  if refused or output ~= nil then
    emit { kind = "tool_result", agent = agent, source = n, name = state,
      content = refused or output, error = refused and true or nil }
  end
end

local ends = { finished = "completed", rejected = "failed", error = "failed" }

local function emit_loop(emit, source, document)
  local about = import.table(document, "info") or {}
  emit_session(emit, source, document, about)
  for n, transition in ipairs(document.transitions) do
    local state = import.text(transition, "name") or "?"
    emit { kind = "state", agent = agent, name = state, source = n,
      data = import.get(transition, "state") or transition }
    for _, step in ipairs(import.list(transition, "actions")) do
      emit_action(emit, state, step, n)
    end
  end
  local last = import.text(document.transitions[#document.transitions], "name") or ""
  local status, why = import.text(about, "status") or last:lower(), import.text(about, "error")
  emit { kind = "end", status = why and "failed" or ends[status] or "paused",
    reason = why or ends[status] and status or "it is cut off" }
end

-- ---- a tree ----

--- Anthropic's counts leave out what was read from the cache; others have it in the prompt's.
local function emit_completion(emit, completion, n)
  local response, used = import.table(completion, "response"), import.table(completion, "usage")
  local choice = import.answer(response)
  local content = import.get(response, "content")
  local input = import.amount(used, "prompt_tokens")
  if input and content then input = input + (import.amount(used, "cached_tokens") or 0) end
  emit { kind = "model", agent = agent, source = n,
    message = choice or { role = "assistant", content = content or ck.null },
    cost = import.amount(used, "completion_cost"), input_tokens = input,
    output_tokens = import.amount(used, "completion_tokens") }
  for _, block in ipairs(type(content) == "table" and content or {}) do
    if import.text(block, "type") == "tool_use" then return import.text(block, "id") end
  end
  return import.text(import.list(choice, "tool_calls")[1], "id")
end

--- "moatless.actions.view_code.ViewCodeArgs" is ViewCode.
local function name_of(class)
  local dot
  for at = 1, #class do
    if class:sub(at, at) == "." then dot = at end
  end
  local last = class:sub((dot or 0) + 1)
  return last:sub(-4) == "Args" and #last > 4 and last:sub(1, -5) or last
end

local function emit_node(emit, node, n)
  local completions = import.table(node, "completions") or {}
  local built, carried = import.table(completions, "build_action"),
    import.table(completions, "execute_action")
  local text = import.text(node, "message") or import.text(node, "user_message")
  if text then
    emit { kind = "message", agent = agent, source = n,
      message = { role = "user", content = text } }
  end
  local id = built and emit_completion(emit, built, n)
  local class = import.text(node, "action_args_class")
  local name = class and name_of(class)
  if import.table(node, "action") then
    emit { kind = "tool_call", agent = agent, id = id, source = n, name = name or "?",
      arguments = node.action }
  end
  if carried then emit_completion(emit, carried, n) end
  local seen = import.table(node, "observation")
  if import.table(node, "action") and seen then
    emit { kind = "tool_result", agent = agent, id = id, source = n, name = name,
      content = import.get(seen, "message") or "",
      error = import.get(seen, "expect_correction") == true or nil }
  end
  return import.get(seen, "terminal") == true
end

local function emit_tree(emit, source, document)
  local about = {}
  for name, value in pairs(import.table(document, "metadata") or {}) do about[name] = value end
  about.max_iterations = import.get(document, "max_iterations")
  about.max_cost = import.get(document, "max_cost")
  emit_session(emit, source, document, about)
  local before, finished
  for n, node in ipairs(document.nodes) do
    local id, parent = import.number(node, "node_id"), import.number(node, "parent_id")
    if before and parent and parent ~= before then
      emit { kind = "state", agent = agent, name = "back", source = n,
        data = { node_id = id, parent_id = parent } }
    end
    finished = emit_node(emit, node, n) or finished
    before = id
  end
  emit { kind = "end", status = finished and "completed" or "paused",
    reason = not finished and "no node of it is the last" or nil }
end

function moatless.import(source, emit)
  local document = import.document(source)
  if is_loop(document) then emit_loop(emit, source, document) end
  if is_tree(document) then emit_tree(emit, source, document) end
end

return moatless
