--- Splits Lua's text into tokens.

local PATTERN = [==[(?s)(--\[(=*)\[.*?\]\2\]|--[^\n]*|\[(=*)\[.*?\]\3\]]==]
  .. [==[|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][A-Za-z_0-9]*]==]
  .. [==[|0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+)?|\.?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?]==]
  .. [==[|\s+|\.\.\.?|[=~<>]=|<<|>>|//|::|.)]==]

local WORDS = "and break do else elseif end false for function goto if in local nil not or repeat "
  .. "return then true until while"
local KEYWORDS = {}
for word in ck.gmatch(WORDS, "\\w+") do KEYWORDS[word] = true end

local function newlines(text)
  local count = 0
  for _ in ck.gmatch(text, "\n") do count = count + 1 end
  return count
end

--- A list of { text, kind, line }: kind is "name", "word", "text", "number", "op" or, of the last,
--- "end".
return function(text)
  local tokens, line = {}, 1
  text = ck.match(text, "(?s)^\\x{FEFF}?(?:#[^\n]*)?(.*)$")
  for token in ck.gmatch(text, PATTERN) do
    local first = string.sub(token, 1, 1)
    local long = first == "[" and #token > 1
    if ck.find(first, "[A-Za-z_]") then
      tokens[#tokens + 1] = { token, KEYWORDS[token] and "word" or "name", line }
    elseif first == '"' or first == "'" or long then
      tokens[#tokens + 1] = { token, "text", line }
    elseif ck.find(token, "^\\.?[0-9]") then
      tokens[#tokens + 1] = { token, "number", line }
    elseif string.sub(token, 1, 2) ~= "--" and not ck.find(token, "^\\s") then
      tokens[#tokens + 1] = { token, "op", line }
    end
    if #token > 1 or first == "\n" then line = line + newlines(token) end
  end
  tokens[#tokens + 1] = { "", "end", line }
  return tokens
end
