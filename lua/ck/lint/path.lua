--- What a name with fields and keys behind it is: at.tools[1].class, opt.tools[effect.tool].

local cursor = require "ck.lint.cursor"
local shape = require "ck.lint.shape"

local path = {}

local OPENS, CLOSES = { ["["] = 1, ["("] = 1, ["{"] = 1 }, { ["]"] = 1, [")"] = 1, ["}"] = 1 }

--- The index of the "]" that closes the "[" at a token.
local function closing(tokens, at)
  local depth = 0
  repeat
    local of = tokens[at]
    if of[2] ~= "text" then depth = depth + (OPENS[of[1]] or 0) - (CLOSES[of[1]] or 0) end
    at = at + 1
  until depth == 0 or of[2] == "end"
  return at - 1
end

--- The text between plain quotes; nil: none is.
local function text_of(token)
  return token[2] == "text" and ck.match(token[1], "^[\"']([^\\\\]*)[\"']$") or nil
end

--- The type of a key that is the tokens from `from` to `to`: "text", "number"; nil: not known.
local function type_of(self, from, to)
  local first = self.tokens[from]
  if from == to and (first[2] == "text" or first[2] == "number") then return first[2] end
  if first[2] ~= "name" then return nil end
  local of, behind = path.read(self, from, false)
  return of and behind == to + 1 and of.type or nil
end

local function words_of(tokens, from, to)
  local parts = {}
  for i = from, to do parts[#parts + 1] = tokens[i][1] end
  return table.concat(parts)
end

--- The element of `of` whose key is the tokens from `from` to `to`; nil: nothing is known of it.
local function element(self, of, from, to, tell)
  local tokens, kind = self.tokens, type_of(self, from, to)
  local text, token = from == to and text_of(tokens[from]) or nil, tokens[from]
  if of.type == "list" and kind == "text" then
    if tell then
      cursor.problem(self, token[3], "'", of.name, "' is a list: its element '",
        words_of(tokens, from, to), "' is always nil; look at each, with ipairs(", of.name, ")")
    end
    return nil
  end
  if of.type == "names" and kind == "number" and tell then
    cursor.problem(self, token[3], "'", of.name, "' has names for its elements, and no number ",
      words_of(tokens, from, to), ": pairs(", of.name, ") goes through it")
  end
  if of.keys and text then shape.key(self, of, text, token[3], tell) end
  if of.fields and text and of.type ~= "list" then
    local named = { text, "name", token[3] }
    return tell and shape.field(self, of, named) or of.fields[text] or nil
  end
  return of.type == "list" and of.element or nil
end

--- What the token `at` and the fields and keys behind it are (nil: nothing is known), and the
--- index behind them. `tell`: mistakes are problems.
---@return ck.lint.Shape|nil of, integer behind
function path.read(self, at, tell)
  local tokens = self.tokens
  local of = cursor.shape_of(self, tokens[at][1])
  at = at + 1
  while of do
    local next_token = tokens[at]
    if next_token[1] == "." then
      local name = tokens[at + 1]
      if of.keys then shape.key(self, of, name[1], name[3], tell) end
      of = tell and shape.field(self, of, name) or of.fields and of.fields[name[1]] or nil
      at = at + 2
    elseif next_token[1] == "[" then
      local behind = closing(tokens, at)
      of = element(self, of, at + 1, behind - 1, tell)
      at = behind + 1
    else
      break
    end
  end
  return of, at
end

--- What the names of a loop over `ipairs(…)` or `pairs(…)` are, of which the first token is next:
--- of the key and of the value; nil: nothing is known.
function path.of_loop(self)
  local tokens, at = self.tokens, self.index
  local by = tokens[at][1]
  if (by ~= "ipairs" and by ~= "pairs") or tokens[at + 1][1] ~= "(" then return nil end
  if cursor.level_of(self, by) or tokens[at + 2][2] ~= "name" then return nil end
  local of, behind = path.read(self, at + 2, false)
  local ends = tokens[behind][1]
  if not of or (ends ~= ")" and ends ~= "or") then return nil end
  if by == "ipairs" and of.type == "names" then
    cursor.problem(self, tokens[at][3], "'", of.name, "' has names for its elements: ipairs goes ",
      "through none of them; pairs does")
  end
  if of.keys and by == "pairs" then
    return { type = "text", name = of.name .. "'s key", forms = of.keys }
  end
  return nil, of.type == "list" and of.element or nil
end

return path
