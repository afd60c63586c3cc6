--- Reads statements and blocks of them.

local cursor = require "ck.lint.cursor"
local expression = require "ck.lint.expression"
local facts = require "ck.lint.facts"
local nils = require "ck.lint.nils"
local path = require "ck.lint.path"

local accept, declare, peek, skip = cursor.accept, cursor.declare, cursor.peek, cursor.skip
local take, token, scoped = cursor.take, cursor.token, cursor.scoped

local statement = {}

local CLOSERS = { ["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true }
local EMPTY = { ["::"] = true, [";"] = true }

local function read_condition(self)
  local from = self.index
  local chain = expression.read(self)
  cursor.mark(self, from, true)
  return chain
end

--- A block that is run where the condition is true.
local function conditional(self, chain)
  local held = #self.facts
  facts.add(self, chain)
  scoped(self, statement.block)
  facts.cut(self, held)
end

--- Readers by keyword, which is taken already.
local readers = {}

readers["do"] = function(self)
  scoped(self, statement.block)
  take(self)
end

readers["while"] = function(self)
  local chain = read_condition(self)
  take(self)
  conditional(self, chain)
  take(self)
end

readers["repeat"] = function(self)
  scoped(self, function()
    statement.block(self)
    take(self)
    read_condition(self)
  end)
end

readers["if"] = function(self)
  local held, returned, is_last = #self.facts, true
  repeat
    is_last = token(self, -1)[1] == "else"
    local chain = {}
    if not is_last then
      chain = read_condition(self)
      take(self)
    end
    conditional(self, chain)
    facts.add_contrary(self, chain)
    returned = returned and self.returned
  until take(self)[1] == "end"
  if not returned or is_last then facts.cut(self, held) end
end

readers["for"] = function(self)
  local names = {}
  repeat names[#names + 1] = take(self)[1] until not accept(self, ",")
  take(self)
  local key, value = path.of_loop(self)
  expression.list(self)
  take(self)
  scoped(self, function()
    for i, name in ipairs(names) do declare(self, name, (i == 1 and key) or (i == 2 and value)) end
    statement.block(self)
  end)
  take(self)
end

readers["function"] = function(self)
  local base, is_method, field = take(self), false, nil
  while peek(self) ~= "(" do
    is_method = take(self)[1] == ":"
    field = take(self)[1]
  end
  if field then
    cursor.used(self, base)
    cursor.changed(self, base)
  else
    cursor.assigned(self, base)
  end
  local is_hook = field and not is_method and base[1] == self.policy and self.depth == 0
  expression.body(self, is_method, is_hook and field or nil)
end

readers["local"] = function(self)
  if accept(self, "function") then
    declare(self, take(self)[1])
    return expression.body(self)
  end
  local names = {}
  repeat
    names[#names + 1] = take(self)[1]
    if accept(self, "<") then skip(self, 2) end
  until not accept(self, ",")
  local is_policy, of = self.depth == 0 and names[1] == self.policy, nil
  if accept(self, "=") then
    of = expression.shape_ahead(self)
    expression.policy_list(self, is_policy)
  end
  for i, name in ipairs(names) do declare(self, name, i == 1 and of) end
end

readers["return"] = function(self)
  local is_empty = CLOSERS[peek(self)] or peek(self) == ";" or token(self)[2] == "end"
  if not is_empty then expression.policy_list(self, self.depth == 0) end
end

readers["goto"] = take
readers["::"] = function(self)
  facts.cut(self, 0) -- whatever was jumped over
  skip(self, 2)
end
readers["break"] = function() end
readers[";"] = readers["break"]

--- A target of an assignment, or a call: { base token, has suffixes }. A plain name is not read: it
--- may be a target.
local function read_target(self)
  local first, after = token(self), token(self, 1)[1]
  if first[2] == "name" and (after == "=" or after == ",") then
    skip(self, 1)
    return { first, false }
  end
  return { expression.suffixed(self) }
end

--- What these give is all that they do.
local ANSWERS = { ask = true, deny = true, refuse = true, ref = true, mask = true,
  mask_personal = true, gsub = true }

--- A statement that is a call, begun at the token `from`.
local function check_call(self, from)
  local tokens = self.tokens
  local name = tokens[from][1] == "ck" and tokens[from + 1][1] == "." and tokens[from + 2][1]
  if not ANSWERS[name] or cursor.level_of(self, "ck") then return end
  cursor.problem(self, tokens[from][3], "what ck.", name,
    " gives is thrown away: it does nothing by itself; return it, or keep it in a local")
end

--- A call, or an assignment: its targets are known to be such only once '=' is seen.
local function read_assignment(self)
  local targets, from = {}, self.index
  repeat targets[#targets + 1] = read_target(self) until not accept(self, ",")
  if not accept(self, "=") then return check_call(self, from) end
  for _, target in ipairs(targets) do
    local base, more = target[1], target[2]
    if base[2] == "name" then
      nils.forget(self, base[1])
      if more then cursor.changed(self, base) else cursor.assigned(self, base) end
    end
  end
  local is_field = #targets == 1 and token(self, -3)[1] == "." and peek(self) == "function"
  self.given = is_field and token(self, -4)[1] == self.policy and token(self, -2)[1] or nil
  expression.list(self)
end

--- Statements up to the word that closes the block, which is not taken.
function statement.block(self)
  local held, returned = #self.facts, false
  while token(self)[2] ~= "end" and not CLOSERS[peek(self)] do
    local reader = token(self)[2] ~= "name" and readers[peek(self)]
    if not EMPTY[peek(self)] then cursor.mark(self, self.index) end
    returned = reader == readers["return"] or (returned and peek(self) == ";")
    if reader then
      skip(self, 1)
      reader(self)
    else
      read_assignment(self)
    end
  end
  facts.cut(self, held)
  self.returned = returned
end

return statement
