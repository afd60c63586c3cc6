#!/bin/bash
# verify_rows.t - without a key, too, store verify finds each event that was removed before another
# one, behind the last checkpoint as well, and each that was exchanged for one of a twin session.
. "$(dirname "$0")/../host/tap.sh"

tamper=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db

# Two effects behind the last checkpoint, and then the process dies.
cat >flow.lua <<'END'
local flow = require "ck.flow"
local function say(ctx) -- another word in each session
  ctx.effect { kind = "exec", class = "pure", request = { argv = { "sh", "-c", "echo $$" } } }
end
return flow.graph {
  name = "kept", start = "a",
  nodes = {
    a = flow.lua(function(ctx) say(ctx) ctx.memory.word = "one" end),
    b = flow.lua(function(ctx)
      say(ctx)
      ctx.effect { kind = "exec", class = "idempotent",
        request = { argv = { "sh", "-c", "kill -9 $PPID" } } }
    end),
  },
  edges = { a = "b", b = flow.done },
}
END
cat >every.lua <<'END'
return { name = "every", policies = { "every_boundary" } }
END
for name in one two; do
  exits 137 "session $name dies" run flow.lua --profile every.lua --session $name
done
exits 0 "a use that ends: the log goes into the file" facts set word '"one"'
exits 0 "the store is whole" store verify
cp s.db kept.db
restore() { rm -rf s.db*; cp kept.db s.db; }
restore
exits 0 "so is the file alone" store verify
last=$(sqlite3 kept.db 'SELECT max(seq) FROM event WHERE session = 1')
kept=$(sqlite3 kept.db 'SELECT max(seq) FROM checkpoint WHERE session = 1')
ok "events lie behind the last checkpoint" test $((last - kept)) -gt 2

missed=
for ((seq = 1; seq < last; seq++)); do
  restore
  "$tamper" s.db "DELETE FROM event WHERE session = 1 AND seq = $seq"
  run store verify
  [ "$code" = 7 ] || missed="$missed $seq"
done
is "each of $((last - 1)) events that is removed before another one is found" "$missed" ""

columns="kind, at_ms, scope, agent, encoding, plain_len, \"check\", body, decision"
missed=
for ((seq = 1; seq <= last; seq++)); do
  restore
  "$tamper" s.db "UPDATE event SET ($columns) = (SELECT $columns FROM event WHERE session = 2
    AND seq = $seq) WHERE session = 1 AND seq = $seq"
  run store verify
  [ "$code" = 7 ] || missed="$missed $seq"
done
is "so is each up to the checkpoint that is exchanged for its twin's" \
  "$(for seq in $missed; do [ "$seq" -gt "$kept" ] || echo "$seq"; done)" ""
echo "1..$checks"
[ "$failed" = 0 ]
