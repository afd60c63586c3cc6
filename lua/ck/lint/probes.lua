--- Writes a text anew with calls of a function where it can go on in more than one way: at each
--- statement, and around each condition. Lines keep their numbers.

local cursor = require "ck.lint.cursor"
local statement = require "ck.lint.statement"

local FUNCTION = "__ck_probe"

--- Before each token, and behind it: the calls that stand there. A condition ends with one of its
--- tokens; of those that begin together the longest is outermost.
local function place(marks, first)
  local before, behind = {}, {}
  for i, mark in ipairs(marks) do
    local call = FUNCTION .. "(" .. first + i - 1
    if mark.to then
      before[mark.from] = before[mark.from] or {}
      table.insert(before[mark.from], { call .. ",", mark.to })
      behind[mark.to - 1] = (behind[mark.to - 1] or "") .. ")"
    else
      before[mark.from] = before[mark.from] or {}
      table.insert(before[mark.from], { call .. ");", math.huge })
    end
  end
  for _, list in pairs(before) do
    table.sort(list, function(a, b) return a[2] > b[2] end)
  end
  return before, behind
end

local function newlines(text)
  local count = 0
  for _ in ck.gmatch(text, "\n") do count = count + 1 end
  return count
end

--- Tokens, each on its line.
local function write(tokens, before, behind)
  local parts, line = {}, 1
  for i, token in ipairs(tokens) do
    parts[#parts + 1] = string.rep("\n", token[3] - line)
    for _, call in ipairs(before[i] or {}) do parts[#parts + 1] = call[1] end
    parts[#parts + 1] = token[1]
    parts[#parts + 1] = (behind[i] or "") .. " "
    line = token[3] + newlines(token[1])
  end
  return table.concat(parts)
end

--- The text with probes numbered from `first`, and what each one is at: a statement, or a
--- condition, whose value passes through __ck_probe(number, value). For text that compiles.
---@param text string
---@param first integer
---@return string text
---@return { line: integer, condition: boolean, hook: string|nil }[] probes
return function(text, first)
  local at = cursor.open(text, {}, {}, statement.block)
  at.marks = {}
  cursor.scoped(at, statement.block)
  local probes = {}
  for i, mark in ipairs(at.marks) do
    probes[i] = { line = mark.line, condition = mark.to ~= nil, hook = mark.hook }
  end
  return write(at.tokens, place(at.marks, first)), probes
end
