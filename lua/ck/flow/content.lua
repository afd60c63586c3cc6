--- What is said to a model: a text, or a list of texts, images and files.

local content_check = require "ck.flow.content_check"

local content = {}

local FILE = "file"

--- A file as a part of what is said; it is read when that is said, in the folder of the session.
---@param path string  of an image, a PDF or a text
---@return table part
function content.file(path)
  if type(path) ~= "string" or path == "" then error("flow.file takes the path of a file", 2) end
  return { type = FILE, path = path }
end

local function is_part(value)
  return type(value) == "string" or (type(value) == "table" and type(value.type) == "string")
end

--- True of a text, of one part, and of a list of texts and parts.
---@param value any
---@return boolean
function content.is(value)
  if is_part(value) then return true end
  if type(value) ~= "table" or #value == 0 then return false end
  for _, part in ipairs(value) do
    if not is_part(part) then return false end
  end
  return true
end

--- A rule for fields: what the rule of ck.flow.check says of them.
---@param value any
---@return string|nil problem
function content.rule(value)
  if type(value) ~= "function" and not content.is(value) then
    return "must be a text, a list of texts and parts such as flow.file(path), or a function of ctx"
  end
end

local function read(ctx, part)
  if type(part) == "string" then return { type = "text", text = part } end
  return part.type == FILE and part.path and ctx.file(part.path) or part
end

--- As a message has it: the files that it names are read. A part that no model takes is an
--- error; what a process is prompted with is judged by who speaks to it.
---@param ctx table
---@param value any    content.is of it
---@param what string|nil  of a model: what it is, for the error: "the input of agent m"
---@return string|table[]
function content.read(ctx, value, what)
  if type(value) ~= "table" then return value end
  local given, parts = is_part(value) and { value } or value, {}
  for at, part in ipairs(given) do
    local problem = what and content_check.problem(part)
    if problem then error(("part %d of %s %s"):format(at, what, problem), 0) end
  end
  for at, part in ipairs(given) do parts[at] = read(ctx, part) end
  return parts
end

return content
