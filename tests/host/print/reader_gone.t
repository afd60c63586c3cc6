#!/bin/bash
# reader_gone.t - a command that only shows something stops once nobody reads it any more, quietly,
# with exit code 141: what lies behind is damaged here, and was not looked at. One that changes
# something goes on to its end.
. "$(dirname "$0")/../tap.sh"

cd "$dir" || exit 1
cat >steps.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "steps", run = function(ctx)
  for i = 1, 200 do
    ctx.memory.step = i
    ctx.message("user", "step " .. i .. " of two hundred")
    ctx.boundary("step_complete", { node = "n" .. i, position = { path = "step#" .. i } })
  end
  return "all of them"
end }
END
cat >each.lua <<'END'
return { name = "each", extends = "default", policies = { { "./always.lua" } } }
END
cat >always.lua <<'END'
return { name = "always", version = 1, checkpoint = function() return "each" end }
END

# unread ARGUMENTS…: its reader has gone before it begins.
mkfifo pipe
unread() {
  exec 3<>pipe 4>pipe 3<&-
  "$CKRUN" "$@" >&4 2>"$dir/err" </dev/null
  code=$?
  exec 4>&-
  out= err=$(cat "$dir/err")
}

unread run steps.lua --profile ./each.lua --session s
is "a run goes on to its end without a reader" "$code" 0
is "which is in the store" "$(json "$("$CKRUN" --json sessions show s)" '$d->{status}')" completed
unread run steps.lua --session events --events
is "so does one whose events nobody reads" \
  "$code $(json "$("$CKRUN" --json sessions show events)" '$d->{status}')" "0 completed"

commands=("sessions log s" "--json sessions log s" "sessions log s --follow" "sessions watch s"
  "--json sessions watch s" "policy explain s" "--json policy explain s" "sessions checkpoints s"
  "--json sessions checkpoints s")
for command in "${commands[@]}"; do
  exits 0 "with a reader: $command" $command
  is "and says nothing on stderr" "$err" ""
done

for command in "sessions export s --format openai" "sessions diff s first latest" \
  "--json sessions diff s first latest"; do
  unread $command
  is "all at once, to nobody: $command" "$code$err" 141
done

# Behind what fills a pipe's buffer lies damage.
damage() { # TABLE COLUMN
  sqlite3 store/ckrun.db "UPDATE $1 SET $2 = x'00' WHERE session = 1 AND seq BETWEEN
    (SELECT max(seq) - 40 FROM event WHERE session = 1) AND
    (SELECT max(seq) - 20 FROM event WHERE session = 1)"
}
damage event body
for command in "${commands[@]}"; do
  [[ $command != *checkpoints* ]] || damage checkpoint info # explain looks at all of them before
  exits 7 "a reader to the end meets the damage: $command" $command
  unread $command
  is "one that has gone does not: $command" "$code" 141
  is "and nothing is said: $command" "$err" ""
done
finish
