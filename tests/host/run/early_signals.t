#!/bin/bash
# early_signals.t - a signal that comes when the session is made, and nothing catches it yet, pauses
# the session as one that comes later; it does not look as if its run had died.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
if ! strace -o /dev/null true 2>/dev/null; then
  echo "1..0 # SKIP strace cannot trace here"
  exit 0
fi

cat >flow.lua <<'END'
local flow = require "ck.flow"
local function pay() return flow.exec { class = "once", argv = { "./pay" } } end
return flow.graph { start = "one", nodes = { one = pay(), two = pay() },
  edges = { one = "two", two = flow.done } }
END
printf '#!/bin/sh\necho paid >>paid\n' >pay
chmod +x pay

# given SIGNAL COMMAND…: the program gets the signal where it opens its loop: behind the session.
# Leaks cannot be looked for in a traced process.
given() {
  local signal=$1
  shift
  ASAN_OPTIONS=detect_leaks=0 CKRUN_DUMPABLE=1 strace -f -o trace -e trace=epoll_create1 \
    -e "inject=epoll_create1:signal=$signal:when=1" "$CKRUN" "$@" >out 2>err </dev/null
}
status() { json "$("$CKRUN" --json sessions show "$1")" '$d->{status}'; }

for signal in INT TERM HUP; do
  given "$signal" run flow.lua --session "$signal"
  is "$signal in a run that begins: exit 8" $? 8
  ok "it was given then" grep -q "SIG$signal" trace
  is "$signal: the session is paused" "$(status "$signal")" paused
  given "$signal" resume "$signal"
  is "$signal in a resume that begins: exit 8" $? 8
  is "$signal: it is paused again" "$(status "$signal")" paused
  exits 0 "$signal: a resume goes on to the end" resume "$signal"
done
is "each node has paid once" "$(grep -c paid paid)" 6
finish
