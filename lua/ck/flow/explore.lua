--- A model's own exploration: the tools checkpoint and rewind, and the guard against a turn that
--- ends in between.
---
--- A mark is the point to rewind to: after the batch of calls with `checkpoint`. At the end of the
--- turn that calls `rewind`, the report replaces the context after the mark; the transcript keeps
--- it.

local calls = require "ck.flow.agent_calls"

local explore = {}

explore.warning = "<system-warning>You are in an active checkpoint. You MUST call rewind with your "
  .. "investigation findings before yielding. "
  .. "Do NOT yield without completing the checkpoint.</system-warning>"

local GUARDS = 3

--- "2026-01-31T09:05:07.042Z" of milliseconds since 1970; the days of a year counted from March, so
--- that a leap day is the last.
local function iso_time(ms)
  local days, rest = ms // 86400000, ms % 86400000
  local z = days + 719468
  local era, of_era = z // 146097, z % 146097
  local year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
  local of_year = of_era - (365 * year + year // 4 - year // 100)
  local month = (5 * of_year + 2) // 153
  local day = of_year - (153 * month + 2) // 5 + 1
  local civil = month < 10 and month + 3 or month - 9
  return ("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ"):format(
    year + era * 400 + (civil <= 2 and 1 or 0), civil, day,
    rest // 3600000, rest // 60000 % 60, rest // 1000 % 60, rest % 1000)
end

local function trim(text)
  local first, last = 1, #text
  while first <= last and text:byte(first) <= 32 do first = first + 1 end
  while last >= first and text:byte(last) <= 32 do last = last - 1 end
  return text:sub(first, last)
end

local function checkpoint(loop, arguments)
  if loop.subagent and not loop.explore.subagents then
    return "Checkpoint not available in subagents."
  end
  if loop.mark then return "Checkpoint already active." end
  if type(arguments.goal) ~= "string" then
    return "Error: the argument 'goal' must be of type string"
  end
  loop.mark = { goal = arguments.goal, startedAt = iso_time(loop.ctx.now()) }
  local details = { goal = loop.mark.goal, startedAt = loop.mark.startedAt }
  loop.ctx.event("note", { tool = "checkpoint", details = details }, loop.def.name)
  return "Checkpoint created.\nGoal: " .. arguments.goal
    .. "\nRun your investigation, then call rewind with a concise report."
end

local function rewind(loop, arguments)
  if not loop.mark or loop.report then return "No active checkpoint." end
  local report = type(arguments.report) == "string" and trim(arguments.report) or ""
  if report == "" then return "Report cannot be empty." end
  loop.report = report
  return "Rewind requested.\nReport captured for context replacement."
end

local function served_by(answer)
  return function(loop, items)
    for _, item in ipairs(items) do calls.answer(loop, item, answer(loop, item.call.arguments)) end
  end
end

local function text_parameter(name, description)
  return {
    type = "object", properties = { [name] = { type = "string", description = description } },
    required = ck.array { name },
  }
end

local offered = {
  {
    name = "checkpoint", serve = served_by(checkpoint),
    schema = text_parameter("goal", "What the investigation is to find out."),
    description = "Mark this point before an investigation whose details will not be needed later. "
      .. "When you have found out, call "
      .. "rewind: everything since the checkpoint is then replaced by your report.",
  },
  {
    name = "rewind", serve = served_by(rewind),
    schema = text_parameter("report", "The findings, complete enough to go on from."),
    description = "End the active checkpoint: your context goes back to it, and the report takes "
      .. "the place of the investigation.",
  },
}

--- Adds the two tools where the profile allows them. A subagent without permission gets an error as
--- the result of its call.
function explore.offer(loop)
  local allowed = loop.ctx.options.checkpoint_tool
  if not allowed or not allowed.enabled then return end
  loop.explore = allowed
  for _, tool in ipairs(offered) do
    if loop.tools[tool.name] then
      error(("the flow's tool '%s' has the name of one that the profile's checkpoint_tool offers: "
        .. "give it another")
        :format(tool.name), 0)
    end
    loop.tools[tool.name] = tool
    if not loop.subagent or allowed.subagents then
      loop.list[#loop.list + 1] = {
        name = tool.name, description = tool.description, parameters = tool.schema,
      }
    end
  end
end

--- After all calls of a message are answered: sets the position of a new mark, applies a report.
---@param made integer    how many calls there were
---@param before integer  messages before the one that made them
function explore.settle(loop, made, before)
  local now = loop.ctx.conversation_length()
  local marked_here = loop.mark and not loop.mark.to
  if marked_here then loop.mark.to = now end
  if not loop.report then return end
  local keep = (made > 1 and not marked_here) and now - before or 0
  loop.ctx.rewind { to = loop.mark.to, report = loop.report, keep = keep, labelled = true }
  loop.mark, loop.report, loop.guards = nil, nil, 0
end

--- The conversation has become shorter by itself, when a resume put the agent's tail in its place:
--- what is kept of it now is what the exploration began with.
---@param length integer  messages before the model's answer
function explore.follow(loop, length)
  if loop.mark and loop.mark.to and loop.mark.to > length then loop.mark.to = length end
end

--- At the end of a turn. True: the turn is blocked, and the model has been warned. Behind the pause
--- it is warned once more: each further resume pays one turn, not all of them again.
function explore.guard(loop)
  if not loop.mark then return false end
  if loop.guards == GUARDS then
    loop.ctx.pause("checkpoint_not_rewound")
    loop.guards = GUARDS - 1
  end
  loop.guards = loop.guards + 1
  loop.ctx.message { role = "system", content = explore.warning, agent = loop.def.name }
  return true
end

return explore
