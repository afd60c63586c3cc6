--- Reads the text of a policy for names that the sandbox does not have, and for state that would outlive a call. For text
--- that compiles: it follows the grammar of Lua 5.4 and does not check it.

local scan = require "ck.lint.scan"

local function set(text)
  local made = {}
  for word in ck.gmatch(text, "\\S+") do made[word] = true end
  return made
end

local BINARY = set "+ - * / // % ^ & ~ | << >> .. == ~= < <= > >= and or"
local UNARY = set "not - # ~"
local VALUES = set "nil true false ..."
local CLOSERS = set "end else elseif until"
local CHANGERS = set "insert remove sort"

--- problems: a list of { line =, text = } for text; known: names of the environment, libraries with a set of their own.
return function(text, known)
  local tokens, at, depth = scan(text), 1, 0
  local scopes, problems = {}, {}
  local block, expression

  local function problem(line, ...) problems[#problems + 1] = { line = line, text = table.concat { ... } } end
  local function peek() return tokens[at][1] end
  local function take()
    at = at + 1
    return tokens[at - 1]
  end
  local function accept(word)
    if tokens[at][1] ~= word or tokens[at][2] == "text" then return false end
    at = at + 1
    return true
  end
  local function declare(name) scopes[#scopes][name] = depth end
  local function level_of(name)
    for i = #scopes, 1, -1 do
      if scopes[i][name] then return scopes[i][name] end
    end
  end
  local function kept(token)
    local level = level_of(token[1])
    if level == 0 and depth > 0 then
      problem(token[3], "'", token[1], "' belongs to the file and is changed inside a function: what is kept between calls is lost on resume")
    end
    return level
  end
  local function scoped(body)
    scopes[#scopes + 1] = {}
    body()
    scopes[#scopes] = nil
  end
  local function use(token)
    local name = token[1]
    if level_of(name) or name == "_ENV" then return end
    local library = known[name]
    if not library then
      problem(token[3], "the sandbox has no '", name, "'")
    elseif type(library) == "table" and peek() == "." and not library[tokens[at + 1][1]] then
      problem(token[3], "the sandbox has no '", name, ".", tokens[at + 1][1], "'")
    end
  end
  local function list()
    repeat expression() until not accept(",")
  end
  local function body(method)
    depth = depth + 1
    scoped(function()
      if method then declare "self" end
      take()
      while not accept(")") do
        local token = take()
        if token[2] == "name" then declare(token[1]) end
      end
      block()
    end)
    take()
    depth = depth - 1
  end
  local function constructor()
    while not accept("}") do
      if accept("[") then
        expression()
        take()
        take()
      elseif tokens[at][2] == "name" and tokens[at + 1][1] == "=" then
        at = at + 2
      end
      expression()
      if not accept(",") then accept(";") end
    end
  end
  local function arguments()
    if tokens[at][2] == "text" then at = at + 1
    elseif accept("{") then constructor()
    elseif accept("(") and not accept(")") then
      list()
      take()
    end
  end

  --- A name or (expression) with what follows it; the base token, and whether it is more than a name.
  local function suffixed()
    local base, more, field = take(), false, nil
    if base[1] == "(" then
      expression()
      take()
    end
    if base[2] == "name" then use(base) end
    while true do
      local token = tokens[at]
      if token[2] == "text" or token[1] == "{" or token[1] == "(" then
        local target = tokens[at + 1]
        if token[1] == "(" and base[1] == "table" and not level_of "table" and CHANGERS[field] and target[2] == "name" then kept(target) end
        arguments()
        base, more = token, true
      elseif accept(".") then
        field, more = take()[1], true
      elseif accept(":") then
        take()
        arguments()
        base, more = token, true
      elseif accept("[") then
        expression()
        take()
        more = true
      else
        return base, more
      end
    end
  end

  function expression()
    while UNARY[peek()] and tokens[at][2] ~= "text" do at = at + 1 end
    local token = tokens[at]
    if token[2] == "text" or token[2] == "number" or VALUES[token[1]] then at = at + 1
    elseif accept("{") then constructor()
    elseif accept("function") then body()
    else suffixed() end
    if tokens[at][2] ~= "text" and BINARY[peek()] then
      at = at + 1
      return expression()
    end
  end

  local statements = {}
  statements["do"] = function()
    scoped(block)
    take()
  end
  statements["while"] = function()
    expression()
    take()
    statements["do"]()
  end
  statements["repeat"] = function()
    scoped(function()
      block()
      take()
      expression()
    end)
  end
  statements["if"] = function()
    repeat
      if tokens[at - 1][1] ~= "else" then
        expression()
        take()
      end
      scoped(block)
    until take()[1] == "end"
  end
  statements["for"] = function()
    local names = {}
    repeat names[#names + 1] = take()[1] until not accept(",")
    take()
    list()
    take()
    scoped(function()
      for _, name in ipairs(names) do declare(name) end
      block()
    end)
    take()
  end
  statements["function"] = function()
    local base, method, more = take(), false, false
    while peek() ~= "(" do
      method, more = take()[1] == ":", true
      take()
    end
    if more then use(base) end
    if not kept(base) and not more then problem(base[3], "'", base[1], "' is a global: write 'local' in front") end
    body(method)
  end
  statements["local"] = function()
    if accept("function") then
      declare(take()[1])
      return body()
    end
    local names = {}
    repeat
      names[#names + 1] = take()[1]
      if accept("<") then at = at + 2 end
    until not accept(",")
    if accept("=") then list() end
    for _, name in ipairs(names) do declare(name) end
  end
  statements["return"] = function()
    if not CLOSERS[peek()] and peek() ~= ";" and tokens[at][2] ~= "end" then list() end
  end
  statements["goto"] = take
  statements["::"] = function() at = at + 2 end
  statements["break"] = function() end
  statements[";"] = statements["break"]

  --- A call, or an assignment: its targets are known to be such only once '=' is seen.
  local function assignment()
    local targets = {}
    repeat
      local first = tokens[at]
      local is_plain = first[2] == "name" and (tokens[at + 1][1] == "=" or tokens[at + 1][1] == ",")
      if is_plain then at = at + 1 end
      local base, more = first, false
      if not is_plain then base, more = suffixed() end
      targets[#targets + 1] = { base, more }
    until not accept(",")
    if not accept("=") then return end
    for _, target in ipairs(targets) do
      local base, more = target[1], target[2]
      local level = base[2] == "name" and kept(base)
      if base[2] == "name" and not level and not more then problem(base[3], "'", base[1], "' is a global: write 'local' in front") end
    end
    list()
  end

  function block()
    while tokens[at][2] ~= "end" and not CLOSERS[peek()] do
      local statement = tokens[at][2] ~= "name" and statements[peek()]
      if statement then
        at = at + 1
        statement()
      else
        assignment()
      end
    end
  end

  scoped(block)
  return problems
end
