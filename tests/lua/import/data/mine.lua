--- A format of one's own: the example of lua/ck/import.lua.
local import = require "ck.import"
return {
  name = "mine",
  import = function(source, emit)
    emit { kind = "session", id = source.stem }
    for n, line, problem in source.lines() do
      if line then emit { kind = "message", agent = "bot", message = line, source = n }
      else import.lost(emit, n, problem) end
    end
  end,
}
