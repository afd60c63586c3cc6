#!/bin/bash
# news.t - with a store on a server a worker is woken by what is given back, long before it polls;
# and goes on polling where it is not woken.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
schema=news
export CKRUN_COUNTERS=off CKRUN_STORE="$server&schema=news"
cd "$dir" || exit 1

worker() {
  : >worker.out; : >worker.err
  "$CKRUN" worker --flows "$dir" "$@" >worker.out 2>worker.err </dev/null 3>&- 4>&- 8<&- 9>&- &
  worker=$!
}
told() {
  for _ in $(seq 1500); do
    grep -q "^$1" worker.out && return
    kill -0 "$worker" || return
    sleep 0.02
  done
}
listens() { ask "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%news%'"; }
stop() { kill -TERM "$worker"; wait "$worker"; }
cat >ask.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "asks", start = "ask", edges = { ask = flow.done },
  nodes = { ask = flow.ask { question = "go?" } } }
END

# ---- woken: its poll is an hour away ----
worker --poll 1h --concurrency 2
for _ in $(seq 500); do [ "$(listens)" = 1 ] && break; sleep 0.02; done
is "a worker listens" "$(listens)" 1
"$CKRUN" submit ask.lua --session one >/dev/null 2>&1
told "ended	one	waiting"
has "what is submitted is begun, though the poll is an hour away" "$(cat worker.out)" \
  "ended	one	waiting: go?"
"$CKRUN" answer one yes >/dev/null 2>&1
told "ended	one	completed"
has "what is answered is gone on with" "$(cat worker.out)" "ended	one	completed"
CKRUN_STORE="$server&schema=other" "$CKRUN" submit ask.lua --session foreign >/dev/null 2>&1
is "another store of the database is another one" "$(grep -c foreign worker.out)" 0
# What it listens with is cut off: that is news as well, and it listens again.
ask "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%news%'" \
  >/dev/null
"$CKRUN" submit ask.lua --session two >/dev/null 2>&1
told "begun	two"
has "a connection that was cut keeps nothing from it" "$(cat worker.out)" "begun	two"
stop

# ---- a signed flow travels in the database ----
cp ask.lua far.lua
"$CKRUN" flow key sign.key >trusted.pem 2>/dev/null
"$CKRUN" flow sign far.lua --with file:sign.key >far.sig 2>/dev/null
CKRUN_STORE="$server&schema=far" "$CKRUN" submit far.lua --signature far.sig --session far \
  >/dev/null 2>&1
rm far.lua
CKRUN_STORE="$server&schema=far" refused 2 "a worker that may run anything" "--trust KEYFILE" \
  worker --until-idle
CKRUN_STORE="$server&schema=far" exits 0 "one that trusts a key" worker --until-idle --trust \
  trusted.pem
has "runs what it has signed, without its files" "$out" "ended	far	waiting: go?"

# ---- polled: nobody tells ----
worker --poll 100ms --concurrency 2
for _ in $(seq 500); do [ "$(listens)" = 1 ] && break; sleep 0.02; done
ask "UPDATE news.session SET status = 2, reason = 'queued' WHERE id = 'two'" >/dev/null
told "begun	two"
has "what nobody tells of is found by the poll" "$(cat worker.out)" "begun	two"
stop
finish
