#!/bin/bash
# trouble.t - a worker that gets no process, or cannot read the store, says so, waits, and goes on
# when it can; nothing is lost and nothing done twice meanwhile.
. "$(dirname "$0")/../tap.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -shared -fPIC -DSHORTAGE_PRELOAD \
  "$root/tests/host/worker/shortage.c" -o shortage.so 2>/dev/null ||
  { skip "nothing here builds the shortage"; finish; }
short=(env "LD_PRELOAD=$dir/shortage.so" "SHORTAGE=$dir/short"
  "ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0")
mkdir short
worker() {
  : >worker.out; : >worker.err
  "${short[@]}" "$CKRUN" worker --poll 50ms "$@" >worker.out 2>worker.err </dev/null 3>&- 4>&- &
  worker=$!
}
# comes FILE TEXT: waits until the file has it; a worker that hangs or ends is not waited for.
comes() {
  for _ in $(seq 1500); do
    grep -q "$2" "$1" 2>/dev/null && return
    kill -0 "$worker" || return
    sleep 0.02
  done
}
stop() { kill -TERM "$worker"; wait "$worker"; code=$?; }
cat >act <<'END'
#!/bin/sh
echo "$CKRUN_SESSION" >>did
[ "$1" = wait ] && until [ -e go ]; do sleep 0.02; done
echo null
END
chmod +x act
flow() { # NAME ARGUMENT
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.graph { name = "$1", start = "act", edges = { act = flow.done }, nodes = {
  act = flow.exec { argv = { "./act", "$2" }, class = "once" } } }
END
}
flow quick now
flow slow wait

# ---- no process ----
: >short/processes
"$CKRUN" submit quick.lua --session one >/dev/null 2>&1
worker
comes worker.err "nothing is begun"
ok "a worker that gets no process lives" kill -0 "$worker"
has "and says what it lacks" "$(cat worker.err)" "nothing is begun: ckrun cannot be started: "
ok "nothing ran" test ! -e did
sleep 0.3
is "people are told once, however often it is tried" "$(grep -c 'nothing is begun' worker.err)" 1
rm short/processes
comes worker.out "ended	one"
has "with processes again it goes on" "$(cat worker.out)" "ended	one	completed"
has "and says so" "$(cat worker.err)" "works again"
is "once" "$(cat did)" one

# ---- a store that cannot be read, while a session runs and another one is submitted ----
: >did
"$CKRUN" submit slow.lua --session two >/dev/null 2>&1
comes did two
# The page cache of the worker is its own: what others write is read anew.
: >"short/reads.$worker"
"$CKRUN" submit quick.lua --session three >/dev/null 2>&1
comes worker.err "works again" && comes worker.err "nothing is begun: store"
ok "a worker that cannot read the store lives" kill -0 "$worker"
: >go
rm "short/reads.$worker"
comes worker.out "ended	two"
comes worker.out "ended	three"
is "each end is told when it can be read again" \
  "$(grep -cE '^ended	(two|three)	completed' worker.out)" 2
is "and each session ran once" "$(sort did | xargs)" "three two"
stop
is "a signal ends it: exit 0" "$code" 0

# ---- a disk that is full in the midst of a run ----
rm -f go did
"$CKRUN" submit slow.lua --session full >/dev/null 2>&1
worker
comes did full
: >short/writes
: >go
comes worker.out "ended	full"
sleep 1
ok "a worker whose store is full lives" kill -0 "$worker"
has "and says how the run ended" "$(cat worker.out)" "ended	full	died"
ok "which is not begun again at once, time after time" \
  test "$(grep -c '^begun' worker.out)" -le 4
rm short/writes
comes worker.out "ended	full	\(completed\|in_doubt\)"
has "it goes on when there is room" "$(grep '^ended' worker.out | tail -1)" "ended	full	"
is "and did once what it did" "$(cat did)" full
stop

# ---- a signal ends it also in trouble; --until-idle does not wait ----
: >short/processes
"$CKRUN" submit quick.lua --session four >/dev/null 2>&1
worker
comes worker.err "nothing is begun"
stop
is "a signal ends one in trouble: exit 0" "$code" 0
"${short[@]}" "$CKRUN" worker --until-idle >out 2>err </dev/null
code=$?
is "one that is to be done some time ends with it: exit 8" "$code" 8
has "and says why" "$(cat err)" "cannot be started"
rm short/processes
exits 0 "and nothing is lost" worker --until-idle
has "of what waited" "$out" "ended	four	completed"
finish
