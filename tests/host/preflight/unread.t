#!/bin/bash
# unread.t - --set of a key that nothing reads is named, with the one that was probably meant, as
# far as the flow declares what it reads; it is no error.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >press.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "press", start = "collect",
  nodes = {
    collect = flow.lua { reads = { "topic" }, run = function(ctx)
      ctx.memory.found = 3
      if ctx.memory.stop then ctx.pause("as it was told") end
      return ctx.memory.topic
    end },
    publish = flow.lua { reads = { "found" }, run = function(ctx) return ctx.memory.topic end },
  },
  edges = { collect = "publish", publish = flow.done } }
END
warning="nothing in flow press says that it reads it"
exits 0 "a run with the key that is read" run press.lua --session right --set topic=bread
ok "is told nothing" test -z "$(grep "$warning" <<<"$err")"
exits 0 "a run with another one, too" run press.lua --session wrong --set topic=bread --set topik=x
is "is warned of it alone, once, and of what was meant" "$(grep "$warning" <<<"$err")" \
  "--set memory.topik: $warning; did you mean memory.topic?"
is "and runs" "$(cell "$out" result)" bread
exits 0 "one that is like none" run press.lua --session far --set topic=bread --set colour=red
is "is named without a guess" "$(grep "$warning" <<<"$err")" "--set memory.colour: $warning"
exits 0 "an output of no node" run press.lua --session out --set topic=bread \
  --set outputs.colect=1 --set outputs.publish=2
is "is named, with the node that was meant" "$(grep "$warning" <<<"$err")" \
  "--set outputs.colect: $warning; did you mean outputs.collect?"

# ---- a resume: what the session has is read, what it has not is not ----
exits 8 "a session that pauses" run press.lua --session held --set topic=bread --set stop=true
exits 0 "its dry resume" resume held --dry-run --set stop=false --set found=4 --set fuond=4
is "names the one that neither the session nor the flow knows" "$(grep "$warning" <<<"$err")" \
  "--set memory.fuond: $warning; did you mean memory.found?"
exits 0 "its resume" resume held --set stop=false --set fuond=4
is "names it, too, once" "$(grep -c "$warning" <<<"$err")" 1

# ---- a flow that declares nothing: nothing is known ----
echo 'return require "ck.flow".custom { name = "press", run = function() return 1 end }' >free.lua
exits 0 "a flow that declares nothing" run free.lua --session free --set topik=x
ok "is told nothing" test -z "$(grep "$warning" <<<"$err")"
exits 0 "limits are no keys of the memory" run press.lua --session limit --set topic=bread \
  --limit rounds=3
ok "and not named" test -z "$(grep "$warning" <<<"$err")"
finish
