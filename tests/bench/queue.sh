#!/bin/bash
# queue.sh - what workers cost on a server of PostgreSQL: a claim behind 100, 1,000 and 10,000
# sessions, the rate at which four workers take them, a take-over, an idle worker.
#   tests/bench/queue.sh [claims|drain|takeover|idle]…    all, unless some are named
# A claim is the CPU of the worker, and of its connections of the server, for 200 runs of which each
# is a process of its own: what these take is not in it, nor what else runs on the machine, but for
# the caches. Seconds mean little unless the machine does nothing else: its load is told.
CKRUN=${CKRUN:-$(cd "$(dirname "$0")/../.." && pwd)/build/ckrun}
export CKRUN CKRUN_BUILD=${CKRUN_BUILD:-${CKRUN%/*}/release}
. "$(dirname "$0")/../host/tap.sh" >/dev/null
. "$(dirname "$0")/../host/postgres.sh"
begin_server
has_server || { echo "${server#skip: }" >&2; exit 1; }
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
# A session that ends at once, and one that does not.
cat >quick.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "quick", run = function() return 1 end }
END
cat >long.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "long", tools = { wait = { class = "idempotent",
  argv = { "sleep", "600" } } }, run = function(ctx)
  return ctx.effect { kind = "tool", class = "idempotent",
    request = { name = "wait", index = 0, arguments = {} } }.result end }
END
now() { date +%s.%N; }
since() { perl -e 'printf "%.2f", $ARGV[1] - $ARGV[0]' "$1" "$(now)"; }
load() { cut -d' ' -f1 /proc/loadavg; }
# store NAME LEASE FLOW: one of its own, with one session in its queue, which is kept as it is.
store() {
  local table
  schema=$1
  export CKRUN_STORE="$server&schema=$1&lease=$2"
  "$CKRUN" submit "$3" --session first >/dev/null 2>&1
  for table in session head timeline blob_use event; do
    ask "CREATE TABLE kept_$table AS SELECT * FROM $table"
  done
}
# queue COUNT: so many more as that one was.
queue() {
  ask "WITH made AS (INSERT INTO session (id, status, reason, timeline, run, created_ms, updated_ms,
        profile, flow, input, origin, cut, restarts, restarted_ms, progress)
      SELECT gen_random_uuid(), status, reason, timeline, run, created_ms, updated_ms, profile,
        flow, input, origin, cut, 0, 0, 0 FROM kept_session, generate_series(1, $1) RETURNING no),
    leased AS (INSERT INTO lease (session, epoch, writer, base, last_seq, expires)
      SELECT made.no, 1, 1, 0, 2, 'epoch' FROM made),
    headed AS (INSERT INTO head SELECT made.no, epoch, status, seq, digest FROM made, kept_head),
    lined AS (INSERT INTO timeline SELECT made.no, t.no, parent, t.cut, first_seq, checkpoint,
      attempt, t.run, parent_run, about FROM made, kept_timeline t),
    used AS (INSERT INTO blob_use SELECT made.no, blob FROM made, kept_blob_use)
    INSERT INTO event SELECT made.no, seq, timeline, kind, at_ms, encoding, plain_len, check_sum,
      scope, agent, body, mac, key_id, decision FROM made, kept_event;
    ANALYZE"
}
# worker NAME ARGUMENTS…: in the background, its pid in $worker.
worker() {
  local name=$1
  shift
  "$CKRUN" worker --concurrency 1 --flows "$dir" "$@" >"$name.out" 2>"$name.err" </dev/null \
    8<&- 9>&- &
  worker=$!
}
ended() { cat "$@" 2>/dev/null | grep -c '^ended'; }
# comes COUNT FILE…: until so many runs have ended.
comes() { until [ "$(ended "${@:2}")" -ge "$1" ]; do sleep 0.05; done; }
stop() { kill -TERM "$@"; wait "$@" 2>/dev/null; }
# spent PID…: nanoseconds of CPU, of all their threads.
spent() { local pid; for pid; do cat "/proc/$pid/task/"*/schedstat; done |
  awk '{ sum += $1 } END { printf "%d", sum }'; }

# Three times each, in turns: what else runs on the machine changes with the time.
claims() {
  local round count pids before client server_side claims
  for round in $(seq "${CLAIMS_ROUNDS:-3}"); do
    for count in ${CLAIMS_BEHIND:-100 1000 10000}; do
      store "claims${count}_$round" 15 quick.lua
      worker one
      comes 1 one.out
      sleep 1
      pids=$(ask "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
      queue "$((count + 220))"
      comes 21 one.out
      before=$(ended one.out) client=$(spent "$worker") server_side=$(spent $pids)
      comes 221 one.out
      claims=$(($(ended one.out) - before))
      client=$(($(spent "$worker") - client)) server_side=$(($(spent $pids) - server_side))
      stop "$worker"
      echo "claim behind $count: worker $((client / claims / 1000)) us, server \
$((server_side / claims / 1000)) us of CPU ($claims claims, load $(load))"
    done
  done
}

# Sessions a second, of four workers: with 10,000 behind, and with a few hundred.
drain() {
  local round left before begun names='w1 w2 w3 w4' all='w1.out w2.out w3.out w4.out' pids name
  store drain 15 quick.lua
  queue 12000
  pids=
  for name in $names; do worker "$name"; pids="$pids $worker"; done
  comes 40 $all
  for round in 1 2; do
    for left in many few; do
      if [ $left = few ]; then
        ask "UPDATE session SET status = 99, updated_ms = updated_ms + 1
          WHERE no IN (SELECT no FROM session
          WHERE status = 2 ORDER BY no DESC OFFSET 700)"
      else
        ask "UPDATE session SET status = 2 WHERE status = 99"
      fi
      comes $(($(ended $all) + 40)) $all
      before=$(ended $all) begun=$(now)
      sleep "${DRAIN_SECONDS:-20}"
      perl -e 'printf "drain, %s (%d queued): %.1f sessions/s, load %s\n", $ARGV[0], $ARGV[1],
        $ARGV[2] / $ARGV[3], $ARGV[4]' "$left" "$(ask "SELECT count(*) FROM session
          WHERE status = 2")" "$(($(ended $all) - before))" "$(since "$begun")" "$(load)"
    done
  done
  stop $pids
}

# From the stop of a process that has a session to the begin of the next run of it.
takeover() {
  local n pids begun
  store takeover 3 long.lua
  worker a --poll 100ms
  pids=$worker
  until grep -q ^begun a.out; do sleep 0.02; done
  worker b --poll 100ms
  pids="$pids $worker"
  for n in 1 2 3 4; do
    until [ "$(ask "SELECT count(*) FROM lease WHERE expires > clock_timestamp()")" = 1 ] &&
      "$CKRUN" --json sessions log first --kind intent 2>/dev/null | grep -q .; do sleep 0.1; done
    sleep 2
    local had lines
    had=$(cat a.out b.out | sed -n 's/^begun\tfirst\tpid //p' | while read -r pid; do
      kill -0 "$pid" 2>/dev/null && echo "$pid"; done | tail -1)
    lines=$(cat a.out b.out | grep -c ^begun)
    begun=$(now)
    kill -STOP "$had"
    until [ "$(cat a.out b.out | grep -c ^begun)" -gt "$lines" ]; do sleep 0.02; done
    echo "takeover at a lease of 3 s: $(since "$begun") s, load $(load)"
    kill -CONT "$had"
    while kill -0 "$had" 2>/dev/null; do sleep 0.1; done
    sleep 1
  done
  stop $pids
}

idle() {
  store idle 15 quick.lua
  worker idle
  comes 1 idle.out
  sleep 2
  local before
  before=$(spent "$worker")
  sleep 60
  echo "idle worker: $((($(spent "$worker") - before) / 1000)) us of CPU in 60 s, load $(load)"
  stop "$worker"
}

for part in ${*:-claims drain takeover idle}; do "$part"; done
