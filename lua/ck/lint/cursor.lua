--- A position in the tokens of a text, with the scopes that are open there and the problems so far.

local scan = require "ck.lint.scan"

local cursor = {}

---@class ck.lint.Token  { text, kind, line }: see scan.lua
---@class ck.lint.Cursor
---@field tokens ck.lint.Token[]
---@field index integer                      of the next token
---@field depth integer                      of functions; 0: the file itself
---@field scopes table<string, integer>[]    name -> depth of its declaration, innermost last
---@field known table                        names of the environment
---@field hooks table<string, table>         the shapes of the parameters of each hook
---@field shapes table<string, ck.lint.Shape>[]  of the names in `scopes` that are views
---@field block fun(self: ck.lint.Cursor)    reads a block: statements hold expressions, which hold
---                                          functions, which hold blocks
---@field policy string|nil                  the name of the table that the file returns
---@field tables integer                     constructors that are open
---@field given string|nil                   the hook that the function ahead is
---@field in_policy boolean                  the value ahead is the table that the file returns
---@field hook string|nil                    the hook whose function is being read
---@field parameters table<table, table>    of scopes: the parameters of hooks that they declare
---@field facts ck.lint.Fact[]               what holds here, see facts.lua
---@field looked_at table<string, true>|nil  in this hook, of what can be nil: see nils.lua
---@field returned boolean|nil               the statement before was a return
---@field marks ck.lint.Mark[]|nil           statements and conditions, when they are asked for
---@field problems { line: integer, text: string, state: true|nil, needs: string|nil }[]
---@class ck.lint.Mark  a condition: the tokens `from` up to `to`; or, without `to`, a statement
---@field from integer
---@field to integer|nil
---@field line integer
---@field hook string|nil

--- "policy" of a text that ends with "return policy".
local function returned_name(tokens)
  local last = #tokens - 1
  if last > 0 and tokens[last][1] == ";" then last = last - 1 end
  local is_name = last > 1 and tokens[last - 1][1] == "return" and tokens[last][2] == "name"
  return is_name and tokens[last][1] or nil
end

---@return ck.lint.Cursor
function cursor.open(text, known, hooks, block)
  local tokens = scan(text)
  return {
    tokens = tokens, index = 1, depth = 0, scopes = {}, shapes = {}, known = known, hooks = hooks,
    block = block, policy = returned_name(tokens), tables = 0, in_policy = false, problems = {},
    parameters = {}, facts = {},
  }
end

function cursor.problem(self, line, ...)
  local problem = { line = line, text = table.concat { ... } }
  self.problems[#self.problems + 1] = problem
  return problem
end

--- Notes a statement that begins at a token, or a condition that ends before the next one.
function cursor.mark(self, from, is_condition)
  if not self.marks then return end
  self.marks[#self.marks + 1] = {
    from = from, to = is_condition and self.index or nil, line = self.tokens[from][3],
    hook = self.hook,
  }
end

--- The next token, or the one `ahead` of it.
function cursor.token(self, ahead) return self.tokens[self.index + (ahead or 0)] end

--- The text of the next token.
function cursor.peek(self) return self.tokens[self.index][1] end

function cursor.skip(self, count) self.index = self.index + count end

function cursor.take(self)
  self.index = self.index + 1
  return self.tokens[self.index - 1]
end

--- Takes the next token when it is `word`; a text token that reads like it is none.
function cursor.accept(self, word)
  local token = self.tokens[self.index]
  if token[1] ~= word or token[2] == "text" then return false end
  self.index = self.index + 1
  return true
end

local OPENS = { ["if"] = 1, ["do"] = 1, ["function"] = 1, ["repeat"] = 1 }
local CLOSES = { ["end"] = 1, ["until"] = 1 }

--- Whether a name that is declared here gets another value further on in its block.
local function is_given_later(self, name)
  local tokens, depth = self.tokens, 0
  for i = self.index, #tokens - 1 do
    local token = tokens[i]
    if token[2] == "word" then depth = depth + (OPENS[token[1]] or 0) - (CLOSES[token[1]] or 0) end
    if depth < 0 then return false end
    local is_it = token[1] == name and token[2] == "name" and tokens[i + 1][1] == "="
    local before = tokens[i - 1][1]
    if is_it and before ~= "." and before ~= "local" then return true end
  end
  return false
end

---@param shape? ck.lint.Shape|false  of what it is, when that is known
function cursor.declare(self, name, shape)
  self.scopes[#self.scopes][name] = self.depth
  if shape and is_given_later(self, name) then shape = nil end
  self.shapes[#self.shapes][name] = shape or nil
end

--- What a name is; nil: nothing is known of it.
function cursor.shape_of(self, name)
  for i = #self.scopes, 1, -1 do
    if self.scopes[i][name] then return self.shapes[i][name] end
  end
end

--- The depth of functions at which `name` was declared; nil: no local of that name.
function cursor.level_of(self, name)
  for i = #self.scopes, 1, -1 do
    if self.scopes[i][name] then return self.scopes[i][name] end
  end
end

--- The innermost scope, of hooks' parameters that are never given another value.
function cursor.declare_parameter(self, name)
  local scope = self.scopes[#self.scopes]
  self.parameters[scope] = self.parameters[scope] or {}
  self.parameters[scope][name] = true
end

--- The scope that declares such a parameter; nil: the name is another one.
function cursor.parameter(self, name)
  for i = #self.scopes, 1, -1 do
    local scope = self.scopes[i]
    if scope[name] then
      return self.parameters[scope] and self.parameters[scope][name] and scope or nil
    end
  end
end

--- Runs body(self) in a scope of its own.
function cursor.scoped(self, body)
  self.scopes[#self.scopes + 1], self.shapes[#self.shapes + 1] = {}, {}
  body(self)
  self.scopes[#self.scopes], self.shapes[#self.shapes] = nil, nil
end

--- A name that is changed: a problem when the file's own local is changed in a function. Its level.
function cursor.changed(self, token)
  local parameter = cursor.parameter(self, token[1])
  if parameter then self.parameters[parameter][token[1]] = nil end
  local level = cursor.level_of(self, token[1])
  if level == 0 and self.depth > 0 then
    local problem = cursor.problem(self, token[3], "'", token[1], "' belongs to the file and is "
      .. "changed inside a function: what is kept between calls is lost on resume")
    problem.state = true
  end
  return level
end

--- A name that is assigned to: a problem when it is a global.
function cursor.assigned(self, token)
  if cursor.changed(self, token) then return end
  cursor.problem(self, token[3], "'", token[1], "' is a global: write 'local' in front")
end

--- A name that is read: a problem when neither the text nor the environment has it.
function cursor.used(self, token)
  local name = token[1]
  if cursor.level_of(self, name) or name == "_ENV" then return end
  local library = self.known[name]
  if not library then
    cursor.problem(self, token[3], "the sandbox has no '", name, "'")
  elseif type(library) == "table" and cursor.peek(self) == "." then
    local field = cursor.token(self, 1)[1]
    if not library[field] then
      cursor.problem(self, token[3], "the sandbox has no '", name, ".", field, "'")
    end
  end
end

return cursor
