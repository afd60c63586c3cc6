#!/bin/bash
# group_signals.t - Ctrl-C, a closing terminal, a stop of the whole group: the session pauses, and
# no tool that was just being started takes the signal in ckrun's place. GROUP_SIGNALS=N sends N
# signals at random times.
. "$(dirname "$0")/lib.sh"

begin
have_compiler || skip_all "there is no C compiler"
command -v setsid >/dev/null || skip_all "setsid(1) of util-linux is missing"
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -DSIGNAL_AT_PRELOAD "$here/signal_at.c" \
  -o "$work/signal_at.so" -ldl || skip_all "the preloaded part cannot be built"
export ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS:-}"

# Many short tools that must not run twice: each says once that it ran.
folder many
cat >flow.lua <<'EOF_FLOW'
local flow = require "ck.flow"
return flow.custom {
  name = "many",
  tools = { mark = { class = "once", argv = { "sh", "-c", "echo $CKRUN_EFFECT_KEY >>marks" } } },
  run = function(ctx)
    for n = ctx.position and ctx.position.n + 1 or 1, ctx.input do
      local got = ctx.effect {
        kind = "tool", class = "once", request = { name = "mark", arguments = {} },
      }
      if got.status ~= "ok" then error(got.error, 0) end
      ctx.boundary("step_complete", { position = { path = "n" .. n, n = n } })
    end
    return ctx.input
  end,
}
EOF_FLOW

# alone COMMAND…: leads a process group of its own, so that a signal to it hits nobody else.
alone() { bounded setsid -w "$@"; }
run_many() {
  rm -rf s.db* marks
  alone env "$@" "$CKRUN" --store "$store" run flow.lua --session s --input "$count" >out 2>err
  code=$?
}
completes() {
  go_on s || { say "$ending"; return 1; }
  [ "$(sort -u marks | wc -l) $(wc -l <marks)" = "$count $count" ] ||
    { say "$(wc -l <marks) tools ran, of $count"; return 1; }
}
paused() {
  [ "$code" = 8 ] && return
  say "exit $code: $(tail -n 1 err)"
  return 1
}

count=4
for signal in HUP INT TERM; do
  for at in 1 3; do
    run_many "SIGNAL=$(kill -l $signal)" "SIGNAL_AT=$at" "LD_PRELOAD=$work/signal_at.so"
    check "SIG$signal while child $at is started: the session pauses" paused
    check "SIG$signal while child $at is started: each tool runs once, with the resume" completes
  done
done

# One that comes when all is done and said changes nothing of that.
for signal in HUP INT TERM; do
  run_many "SIGNAL=$(kill -l $signal)" SIGNAL_AT=end "LD_PRELOAD=$work/signal_at.so"
  check "SIG$signal when the session has ended: it has completed, and says so" [ "$code" = 0 ]
  check "SIG$signal when the session has ended: and it rests" [ "$(log_frames)" = 0 ]
done

# at_random: one signal to the group within 60 ms of its first tool.
at_random() {
  local signals=(HUP INT TERM) program
  rm -rf s.db* marks out err
  setsid "$CKRUN" --store "$store" run flow.lua --session s --input "$count" >out 2>err &
  program=$!
  until [ -s marks ] || ! kill -0 "$program" 2>/dev/null; do :; done
  sleep "0.0$(printf %02d $((RANDOM % 60)))"
  kill "-${signals[RANDOM % 3]}" -- "-$program" 2>/dev/null
  wait "$program"
  code=$?
}
attack_at_random() {
  local n bad=0 early=0
  for ((n = 0; n < GROUP_SIGNALS; n++)); do
    at_random
    [ "$code" = 0 ] && early=$((early + 1))
    { [ "$code" = 0 ] || paused; } && completes || bad=$((bad + 1))
  done
  say "signals=$GROUP_SIGNALS paused=$((GROUP_SIGNALS - bad - early)) completed=$early failed=$bad"
  [ "$bad" = 0 ]
}
if [ "${GROUP_SIGNALS:-0}" != 0 ]; then
  count=60
  check "$GROUP_SIGNALS signals at random: the session pauses, each tool runs once" attack_at_random
fi
finish
