#!/bin/bash
# killed_time.t - a run that is killed before its first checkpoint was active up to its last event,
# and a limit of time counts that.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >killed.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "killed", run = function(ctx)
  local slow = flow.exec { argv = { "sleep", "0.3" } }
  local kill = flow.exec { argv = { "sh", "-c", "kill -KILL \"$PPID\"" } }
  slow.run(ctx, slow)
  kill.run(ctx, kill)
end }
EOF
echo 'return { name = "p", constraints = { time_s = 1 }, resume = { time = "continue" } }' >p.lua
{ "$CKRUN" run killed.lua --profile ./p.lua --session k; } >out 2>err </dev/null
is "the run is killed" $? 137
active() { json "$("$CKRUN" --json sessions show k)" '0 + ($d->{totals}{active_ms} >= '"$1"')'; }
is "it was active for 300 ms at least" "$(active 300)" 1
exits 0 "a dry run" --json resume k --dry-run
is "counts them" "$(json "$out" '0 + ($d->{constraints}{time}{used_ms} >= 300)')" 1
finish
