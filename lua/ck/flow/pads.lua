--- The pads of agents, ctx.scratch.NAME: { notes = {…} }, and what the flow itself keeps there.
---
--- An agent can work in two scopes at once. Each sees the pad as it was when its scope was forked,
--- and adds to it; where scopes are joined, the notes of both are kept.

local pads = {}

local AREA = "scratch."

local function copy(from)
  local made = {}
  for key, value in pairs(from) do made[key] = value end
  return made
end

local function list_of(pad)
  local notes = type(pad) == "table" and pad.notes
  return type(notes) == "table" and notes or {}
end

--- Adds a note; values of the flow in the pad are kept. How many notes there are now.
---@param ctx table
---@param name string  of the agent
---@param text string
---@return integer
function pads.note(ctx, name, text)
  local pad = copy(ctx.scratch[name] or {})
  local notes = copy(list_of(pad))
  notes[#notes + 1] = text
  pad.notes = ck.array(notes)
  ctx.scratch[name] = pad
  return #notes
end

--- True when `list` begins with all of `base`.
local function continues(list, base)
  for i, one in ipairs(base) do
    if list[i] ~= one then return false end
  end
  return true
end

--- What a joined scope has written becomes this scope's. Of a pad that was written here as well
--- since the last boundary, as the scope has it, and the notes are those of both.
---@param ctx table
---@param key string
---@param text string|false  JSON; false: it was removed
function pads.take(ctx, key, text)
  local base, theirs = ctx.saved(key), text and ctx.parse(text)
  local is_pad = key:sub(1, #AREA) == AREA and type(theirs) == "table"
  local name = key:sub(#AREA + 1)
  local ours = is_pad and ctx.written()[key] and ctx.scratch[name]
  local before, added = list_of(base and ctx.parse(base)), list_of(theirs)
  if type(ours) ~= "table" or not continues(added, before) then
    return ctx.put(key, text or nil)
  end
  local pad, notes = copy(theirs), copy(list_of(ours))
  for i = #before + 1, #added do notes[#notes + 1] = added[i] end
  pad.notes = ck.array(notes)
  ctx.scratch[name] = pad
end

return pads
