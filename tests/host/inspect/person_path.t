#!/bin/bash
# person_path.t - a person at a terminal (tmux), with a session that failed: three commands, typed
# as the screen before shows them, lead to its cause, to what it cost, and on to its end; nothing is
# paid again.
. "$(dirname "$0")/../tap.sh"

command -v tmux >/dev/null || { skip "no tmux here: apt-get install tmux"; finish; }
cd "$dir" || exit 1
mkdir bin && ln -s "$CKRUN" bin/ckrun
said='{"role":"assistant","content":"To Lisbon."}' usage='{"input_tokens":29,"output_tokens":9}'
cat >cassette.jsonl <<END
{"cassette":1,"prompt":"Plan the trip."}
{"scope":"main","kind":"model","message":$said,"usage":$usage,"cost_micros":4321}
END
cat >trip.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "trip", run = function(ctx)
  if not ctx.position then
    ctx.message("system", ctx.recorded_prompt)
    ctx.effect { kind = "model", class = "pure", request = { model = "recorded" } }
    ctx.boundary("tool_round", { position = { path = "planned" } })
  end
  local mail = ctx.effect { kind = "exec", class = "idempotent",
    request = { argv = { "sh", "-c", "test -e address || { echo no address >&2; exit 3; }" } } }
  if mail.status ~= "ok" then error("the ticket was not mailed: " .. mail.error, 0) end
  return "mailed"
end }
END

tmux() { command tmux -S "$dir/tmux" -f /dev/null "$@"; }
# open_terminal COLUMNS: a shell in it; its prompt tells when a command is done.
open_terminal() {
  tmux new-session -d -x "$1" -y 30 env -u NO_COLOR PATH="$dir/bin:$PATH" PS1='$ ' \
    PROMPT_COMMAND="tmux -S $dir/tmux wait-for -S prompt" bash --norc --noprofile
  tmux wait-for prompt
}
# types COMMAND: screen has what the terminal shows of it, colors the same with its colours.
types() {
  tmux clear-history \; send-keys -l "clear; $1" \; send-keys Enter
  tmux wait-for prompt
  screen=$(tmux capture-pane -p -J) colors=$(tmux capture-pane -p -e)
}
red() { grep -qE $'\e\\[31m[^\e]*'"$1" <<<"$colors"; }

for columns in 60 80 120; do
  rm -f address
  export CKRUN_STORE=sqlite:$dir/$columns.db
  exits 1 "a session fails" run trip.lua --cassette cassette.jsonl --session trip
  open_terminal $columns
  types "ckrun sessions list"
  ok "at $columns columns: the list says in red that it failed" red failed
  has "and why" "$(tr -s '\n ' '  ' <<<"$screen")" "the ticket was not mailed"
  types "ckrun sessions show trip"
  ok "its cause is red" red "the ticket was not mailed"
  has "to its end" "$(tr -s '\n ' '  ' <<<"$screen")" "sh: exit status 3: no address"
  has "its cost is told" "$(grep '^the session' <<<"$screen")" '$0.004321'
  next=$(sed -n 's/^  next: //p' <<<"$screen")
  is "and what to do next" "${next%% --*}" "ckrun resume trip"
  touch address
  types "$next"
  has "which goes on to the end" "$screen" completed
  is "and pays nothing again" "$("$CKRUN" --json sessions log trip |
    grep -c '"kind":"outcome".*"kind":"model"')" 1
  is "nothing on its way is wider than the terminal" \
    "$(tmux capture-pane -p | awk -v n=$columns 'length > n' | wc -l)" 0
  tmux kill-server
done
finish
