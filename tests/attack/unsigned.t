#!/bin/bash
# unsigned.t - somebody changes a column of a checkpoint in a store without a key: its digest, which
# is over the row and all before it, does not fit any more, and nothing is loaded.
. "$(dirname "$0")/../host/tap.sh"

cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "kept", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.word = "one" end),
    b = flow.lua(function(ctx) ctx.memory.word = "two" end),
    c = flow.ask { question = "Go on?" },
  },
  edges = { a = "b", b = "c", c = flow.done },
}
END
cat >every.lua <<'END'
return { name = "every", policies = { "every_boundary" } }
END
exits 8 "a session waits" run flow.lua --profile every.lua --session s
sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp s.db kept.db
restore() { rm -rf s.db*; cp kept.db s.db; }
last=$(sqlite3 kept.db 'SELECT max(seq) FROM checkpoint')

while read -r column value; do
  restore
  is "$column: can be changed" "$(sqlite3 s.db \
    "UPDATE checkpoint SET $column = $value WHERE seq = $last; SELECT changes()")" 1
  exits 7 "$column: the state is not shown" sessions inspect s latest
  exits 7 "$column: a resume loads it not" resume s
  exits 7 "$column: verify finds it" store verify
done <<END
cost_micros cost_micros+1000000
created_ms created_ms+1
clean 1-clean
covers covers-1
digest zeroblob(32)
END
# The session's head names its last event by digest.
restore
ok "its head: can be changed" "${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper" \
  s.db "UPDATE head SET digest = zeroblob(length(digest)); UPDATE head SET \"check\" =
    row_check('head', session, epoch, status, seq, digest, pins, requests, mac, key_id)"
exits 7 "its head: verify finds it" store verify
restore
exits 0 "what was not changed loads" sessions inspect s latest
finish
