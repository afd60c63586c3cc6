#!/bin/bash
# commits_alone.t - a session that is alone commits its steps in the thread of its loop, as long as
# nobody but the disk is waited for: signals and a held store find the loop free.
. "$(dirname "$0")/../tap.sh"
mkdir "$dir/store"
cat >"$dir/steps.lua" <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "steps", run = function(ctx)
  local n = ctx.position and ctx.position.n or 0
  while n < ctx.input do
    n = n + 1
    ctx.message("assistant", "step " .. n)
    ctx.memory.at = n
    ctx.boundary("tool_round", { position = { path = "n#" .. n, n = n } })
  end
end }
EOF
cat >"$dir/sync.lua" <<'EOF'
return { name = "sync",
  policies = { { "every_boundary", on_tool_round = true, async = false } } }
EOF

# until_true COMMAND…: bounded by a hang, not by the speed of the machine.
until_true() {
  local tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || return 1
    read -rt 0.02 <> <(:) || :
  done
}
steps_are_at_least() { [ "$(grep -c '^checkpoint' "$dir/err")" -ge "$1" ]; }
is_told() { grep -q "$1" "$dir/err"; }

# Another process has the store while the session commits in its own thread.
"$CKRUN" run "$dir/steps.lua" --input 1000000 --profile "$dir/sync.lua" --session held \
  >"$dir/out" 2>"$dir/err" </dev/null &
run=$!
ok "a session takes steps" until_true steps_are_at_least 20
exec 7>>"$dir/store/ckrun.db.lock"
flock 7
kill -INT "$run"
ok "a signal is heeded while another process holds the store" until_true is_told "pausing at"
ok "and not because waiting for the store ended" test -z "$(grep 'is held by' "$dir/err")"
flock -u 7
exec 7>&-
wait "$run"
is "the session pauses when the store is free again" $? 8
run sessions show held
has "and its steps are in the store" "$out" paused

# Which thread syncs: that of the loop is the process itself.
if ! command -v strace >/dev/null || ! strace -o "$dir/none" true 2>/dev/null; then
  skip "there is no strace"
else
  # traced NAME STRACE-OPTION…
  traced() {
    local name=$1
    shift
    ASAN_OPTIONS=detect_leaks=0 CKRUN_DUMPABLE=1 \
      strace -f -q -y -o "$dir/trace" -e trace=execve,fdatasync "$@" \
      "$CKRUN" run "$dir/steps.lua" --input 150 --profile "$dir/sync.lua" --session "$name" \
      >"$dir/out" 2>"$dir/err" </dev/null
    is "$name: the session completes" $? 0
    loop=$(head -n 1 "$dir/trace" | cut -d' ' -f1)
  }
  traced fast
  # A slow machine's steps are the writer's, rightly.
  by_loop=$(grep -c "^$loop .*fdatasync(.*-wal" "$dir/trace")
  [ "$by_loop" -gt 20 ] || echo "# $by_loop syncs of the loop's thread"
  traced slow -e inject=fdatasync:delay_exit=400000:when=20
  # Behind the slow one of the loop's thread, for as long as the mean is above 5 ms. A session's
  # last syncs are of its end, which is the loop's own.
  after=$(awk -v loop="$loop" 'slow && /fdatasync\(.*-wal/ { by[++n] = $1 == loop }
    /DELAYED/ && $1 == loop { slow = 1 }
    END { for (i = 2; i <= 8 && i < n - 8; i++) c += by[i]; print c + 0 }' "$dir/trace")
  is "one sync of 400 ms leaves the next ones to the writer" "$after" 0
fi
finish
