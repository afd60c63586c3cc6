--- Reads the text of a policy for names that the sandbox does not have, for fields that a view does
--- not have, for words that a field never is, for numbers that may be nil, and for state that would
--- outlive a call. For text that compiles: it follows the grammar of Lua 5.4 and does not check it.

local cursor = require "ck.lint.cursor"
local statement = require "ck.lint.statement"

--- The problems of a text, in its order.
---@param text string
---@param known table<string, true|table<string, true>>  the environment: libraries have names, too
---@param hooks table<string, (ck.lint.Shape|false)[]>  what the parameters of hooks are
---@return { line: integer, text: string, state: true|nil, needs: string|nil }[]  state: what
--- outlives a call; needs: no mistake under a profile that has this setting
return function(text, known, hooks)
  local at = cursor.open(text, known, hooks, statement.block)
  cursor.scoped(at, statement.block)
  return at.problems
end
