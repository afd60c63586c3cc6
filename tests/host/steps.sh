# steps.sh - a flow of four steps, each a program that reports its start and waits for a word.
# Sourced behind tap.sh.

mkfifo "$dir/reached" "$dir/go"
exec 3<>"$dir/reached" 4<>"$dir/go"
cat >"$dir/step.sh" <<EOF
#!/bin/sh
echo "\$CKRUN_EFFECT_KEY" >>"$dir/done"
echo \$\$ >"$dir/step"
echo reached >"$dir/reached"
read -r word <"$dir/go"
echo "\"\$word\""
EOF
chmod +x "$dir/step.sh"

# write_flow CLASS [COMMENT]: four steps, one after the other.
write_flow() {
  cat >"$dir/flow.lua" <<EOF
--- Steps that wait. ${2:-}
local flow = require "ck.flow"
return flow.custom {
  name = "steps",
  tools = { step = { class = "$1", argv = { "$dir/step.sh" } } },
  run = function(ctx)
    for n = ctx.position and ctx.position.turn + 1 or 1, 4 do
      local got = ctx.effect { kind = "tool", class = "$1",
        request = { name = "step", index = 0, arguments = { n = n } } }
      ctx.memory["step" .. n] = got.result
      ctx.boundary("tool_round", { position = { path = "step#" .. n, turn = n } })
    end
    return ctx.memory.step4
  end,
}
EOF
}

# begin ARGUMENTS…: starts the program in the background as pid, and waits until it has reached a
# step.
begin() {
  "$CKRUN" "$@" >"$dir/begun" 2>"$dir/told" </dev/null 3>&- 4>&- &
  pid=$!
  reach
}
reach() {
  read -r -t 600 _ <&3 && return
  echo "Bail out! no step was reached: $(cat "$dir/told")"
  exit 1
}
let_on() { echo "$1" >&4; }
# steps WORD…: gives the first word to the waiting step, then each other word to one more step.
steps() {
  let_on "$1"
  shift
  for word; do reach; let_on "$word"; done
}
ended() {
  wait "$pid"
  code=$?
  out=$(cat "$dir/begun") err=$(cat "$dir/told")
}
# Kills the program, and the step that it leaves behind, which would take the next step's word.
die() {
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  end_step
}
# Until it is gone, or a zombie that nobody collects.
end_step() {
  local step
  step=$(cat "$dir/step")
  kill -KILL "$step" 2>/dev/null
  while grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$step/status" 2>/dev/null; do :; done
}
