#!/bin/bash
# streams.t - standard streams that the caller has closed: no output gets into a file of the store,
# and no work is lost.
. "$(dirname "$0")/../tap.sh"
cat >"$dir/flow.lua" <<'END'
local flow = require "ck.flow"
return flow.graph { name = "one", start = "one",
  nodes = { one = flow.exec { argv = { "sh", "-c", "echo out; echo err >&2" } } },
  edges = { one = flow.done } }
END

"$CKRUN" run "$dir/flow.lua" --session talk <&- 2>&- >"$dir/out"
is "without stdin and stderr a session comes to its end" "$? $(sed -n 2p "$dir/out")" \
  "0 status	completed"
has "and its program has streams of its own" "$("$CKRUN" --json sessions log talk --kind outcome)" \
  '"stdout":"out\n","stderr":"err\n"'
"$CKRUN" run "$dir/flow.lua" --session mute --record "$dir/tape" <&- >&- 2>&-
is "without any, the failure to print is its exit code" "$?" 74
exits 0 "the session is not lost: it goes on" resume mute
is "no file of the store has what was said, only its mark" "$(cat "$dir"/store/*.lock | wc -c)" 64
ok "nor has the recording" perl -MJSON::PP -ne 'decode_json($_)' "$dir/tape"
exits 0 "store verify" store verify
"$CKRUN" sessions list >&- 2>/dev/null
is "a list that cannot be printed is no success" "$?" 74
finish
