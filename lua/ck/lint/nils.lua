--- Fields that can be nil: an operator that fails of nil, before anything has looked at the field.

local cursor = require "ck.lint.cursor"

local nils = {}

local function set(text)
  local made = {}
  for word in ck.gmatch(text, "\\S+") do made[word] = true end
  return made
end

local FAILS = set "+ - * / // % ^ < <= > >= & | << >>"

--- What can be nil together, such as a limit and what is left of it: one of them tells of both.
local function key_of(path) return ck.match(path, "^(.*)\\.\\w+$") or path end

--- A new hook: nothing was looked at.
function nils.begin(self) self.looked_at = {} end

--- A name was given another value.
function nils.forget(self, name)
  if self.looked_at then self.looked_at[name] = true end
end

--- A number of a view, or a local that holds it; `first`: the index of its first token; what is
--- behind it is so far `ahead`.
---@param of ck.lint.Shape|nil
function nils.check(self, of, first, ahead)
  if not of or not of.absent_when or not self.looked_at then return end
  local tokens, parts = self.tokens, {}
  for i = first, self.index + ahead - 1 do parts[#parts + 1] = tokens[i][1] end
  local path = table.concat(parts)
  local key, behind = key_of(path), tokens[self.index + ahead]
  local before = first > 1 and tokens[first - 1] or behind
  local op = (FAILS[behind[1]] and behind) or (FAILS[before[1]] and before)
  local known = self.looked_at[key]
  self.looked_at[key] = true
  if known or not op or op[2] == "text" then return end
  cursor.problem(self, tokens[first][3], "'", path, "' can be nil (", of.absent_when, "), and '",
    op[1], "' fails of nil: look first whether it is there")
end

return nils
