--- The tools of models in rounds beside delegate: finish for the orchestrator, note for its agents.

local calls = require "ck.flow.agent_calls"
local pads = require "ck.flow.pads"

local rounds_tools = {}

local function finish_all(loop, items)
  for _, item in ipairs(items) do
    local first = loop.finished == nil
    if first then loop.finished = item.call.arguments.result end
    calls.answer(loop, item, first and "Finished." or "Already finished.")
  end
end

rounds_tools.finish = {
  name = "finish", serve = finish_all, description = "End the deliberation with its result.",
  parameters = {
    type = "object", properties = { result = { description = "The conclusion." } },
    required = ck.array { "result" },
  },
}

local function note_all(loop, items)
  for _, item in ipairs(items) do
    local count = pads.note(loop.ctx, loop.def.name, item.call.arguments.text)
    calls.answer(loop, item, ("Noted (%d)."):format(count))
  end
end

rounds_tools.note = {
  name = "note", serve = note_all,
  description = "Keep a note on your pad, which is still there when the session goes on "
    .. "after a pause.",
  parameters = {
    type = "object", properties = { text = { type = "string" } }, required = ck.array { "text" },
  },
}

return rounds_tools
