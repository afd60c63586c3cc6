#!/bin/bash
# policy_options.t - a policy's options are part of what a session goes on under; a profile is
# checked with its policies; a pause for policies says which, where and why.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >wait.lua <<'EOF'
local flow = require "ck.flow"
return flow.lua(function(ctx) ctx.pause("later") return "over" end)
EOF
profile() { cat >p.lua <<EOF
return { name = "p", policies = { { "every_n", n = $1 }, "tool_rounds" },
  agents = { a = { policies = { { "every_n", n = $2 } } } } }
EOF
}
profile 3 5
for one in same changed agent; do
  run run wait.lua --profile ./p.lua --session $one
  is "$one: it is paused" "$(grep ^status <<<"$out")" "$(printf 'status\tpaused')"
done
run run wait.lua --profile ./p.lua --session once --option every_n.n=7
is "once: it is paused" "$(grep ^status <<<"$out")" "$(printf 'status\tpaused')"
exits 0 "with the same options it goes on" resume same
exits 0 "the options of one run are of that run" resume once
profile 3 6
exits 5 "an option of an agent's list has changed" resume agent
has "which is told" "$err" "policies of profile p have changed"
profile 4 5
exits 5 "an option has changed" resume changed
has "which is told" "$err" "policies of profile p have changed"
exits 5 "by the dry run, too" resume changed --dry-run
exits 0 "it can be accepted" resume changed --accept-changed
is "and the session goes on" "$(grep ^status <<<"$out")" "$(printf 'status\tcompleted')"

# ---- profile check looks into policies ----

cat >forgetful.lua <<'EOF'
local seen = 0
return { name = "forgetful", version = 1, checkpoint = function()
  seen = seen + 1
  return seen % 10 == 0
end }
EOF
cat >forgets.lua <<'EOF'
return { name = "forgets", policies = { "tool_rounds" },
  agents = { a = { policies = { "./forgetful.lua" } } } }
EOF
exits 1 "a policy that keeps state" profile check ./forgets.lua
has "is told by profile check" "$err$out" "forgetful.lua:3: 'seen' belongs to the file"
exits 0 "another profile is well" profile check ./p.lua
finish
