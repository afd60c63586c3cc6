--- What a model's message says, and what follows when it is no answer: a refusal, or a turn that
--- pauses.

local agent_reply = {}

-- Turns in a row that may pause: the provider's own tools take as long as that.
local MOST_PAUSES = 20

--- Its text; of blocks those that are texts, one a line.
function agent_reply.text(message)
  local said = message.content
  if type(said) == "string" then return said end
  local texts = {}
  for _, part in ipairs(type(said) == "table" and said or {}) do
    if type(part) == "table" and type(part.text) == "string" then texts[#texts + 1] = part.text end
  end
  return table.concat(texts, "\n")
end

--- What it wrote before it refused, else why it did.
function agent_reply.refusal(reply)
  local said = agent_reply.text(reply.result)
  return said ~= "" and said or reply.refusal
end

--- The turn is not at its end: what came is sent back as it is.
function agent_reply.pause(loop)
  loop.pauses = loop.pauses + 1
  if loop.pauses > MOST_PAUSES then
    error(("the model paused its turn more than %d times in a row (pause_turn), the most that it "
      .. "may"):format(MOST_PAUSES), 0)
  end
  return "blocked"
end

return agent_reply
