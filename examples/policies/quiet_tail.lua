--- quiet_tail.lua - an agent's tail is what was said: no calls of tools and none of their results,
--- and of its own messages those that say something.

---@class QuietTail : ck.Policy
local policy = { name = "quiet_tail", version = 1 }

local function says(message)
  if not message or message.role == "tool" then return false end
  return message.content ~= nil and message.content ~= ck.null and message.content ~= ""
end

---@param event ck.Event
function policy.tail(event)
  if event.kind ~= "message" and event.kind ~= "outcome" then return true end
  return says(event.body.message)
end

return policy
