-- What scripts can reach: exactly the environment of lua/vm/sandbox*.c, so that a policy that uses
-- io fails here as it does at run time.
std = "none"
exclude_files = { "lua/ck/meta.lua" } -- declares globals for editors
max_line_length = 100
local function fields(...)
  local found = {}
  for _, name in ipairs { ... } do found[name] = {} end
  return { fields = found }
end
read_globals = {
  "assert", "error", "ipairs", "next", "pairs", "pcall", "print", "require", "select",
  "tonumber", "tostring", "type",
  ck = fields("array", "ask", "deny", "drop", "find", "gmatch", "gsub", "mask", "mask_personal", "match", "null",
    "ref", "refuse"),
  math = fields("abs", "ceil", "exp", "floor", "fmod", "huge", "log", "max", "maxinteger", "min",
    "mininteger", "modf", "pi", "sqrt", "tointeger", "type", "ult"),
  string = fields("byte", "char", "find", "format", "len", "lower", "rep", "reverse", "sub",
    "upper"),
  table = fields("concat", "insert", "move", "pack", "remove", "sort", "unpack"),
  utf8 = fields("char", "codepoint", "codes", "len", "offset"),
}
