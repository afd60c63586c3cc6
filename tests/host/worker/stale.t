#!/bin/bash
# stale.t - a worker does not begin what another one has taken since it looked into the store, nor
# what another one is just beginning.
. "$(dirname "$0")/../tap.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
cat >act <<'END'
#!/bin/sh
echo "$CKRUN_SESSION" >>did
[ "$CKRUN_SESSION" != one ] || read -r _ <go
echo null
END
chmod +x act
mkfifo go
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "flow", start = "act", edges = { act = flow.done }, nodes = {
  act = flow.exec { argv = { "./act" }, class = "once" } } }
END
for s in one two three; do "$CKRUN" submit flow.lua --session $s >/dev/null 2>&1; done
"$CKRUN" worker --until-idle --concurrency 1 --poll 1h >worker.out 2>worker.err </dev/null \
  3>&- 4>&- &
worker=$!
until grep -q one did 2>/dev/null; do kill -0 "$worker" || break; sleep 0.02; done
exits 0 "while a worker is busy another one" worker --until-idle
has "runs what both have seen" "$out" "ended	three	completed"
echo on >go
wait "$worker"
is "the first one begins nothing of it" "$(cut -f 1,2 worker.out | xargs)" "begun one ended one"
is "and each session ran once" "$(sort did | xargs)" "one three two"

# ---- several that look at the same time ----
count=24
for n in $(seq $count); do "$CKRUN" submit flow.lua --session "s$n" >/dev/null 2>&1; done
rm did
for n in 1 2 3 4; do
  "$CKRUN" worker --until-idle --concurrency 2 >"worker$n.out" 2>/dev/null </dev/null 3>&- 4>&- &
done
wait
is "of several workers one begins a program for each session" \
  "$(cat worker?.out | cut -f 1 | sort | uniq -c | awk '{ print $1, $2 }' | xargs)" \
  "$count begun $count ended"
is "which runs it" "$(sort -u did | grep -c .)" $count
finish
