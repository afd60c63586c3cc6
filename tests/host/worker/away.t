#!/bin/bash
# away.t - a run that cannot reach the store says nothing against its session: that is begun again
# as soon as the store can be reached, not after the minute of one that lacks something here.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
schema=away
export CKRUN_COUNTERS=off CKRUN_STORE="$server&schema=away"
cd "$dir" || exit 1
cat >act.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "acts", start = "act", edges = { act = flow.done },
  nodes = { act = flow.exec { argv = { "true" } } } }
END
# The server lets a worker in, and those that it runs only when it is told to.
"$CKRUN" sessions list >/dev/null 2>&1
"$CKRUN" submit act.lua --session zero >/dev/null 2>&1
ask "CREATE ROLE few LOGIN; GRANT ALL ON SCHEMA away TO few;
  GRANT ALL ON ALL TABLES IN SCHEMA away TO few"
CKRUN_STORE="${server/user=ckrun/user=few}&schema=away" "$CKRUN" worker --poll 50ms --flows "$dir" \
  >worker.out 2>worker.err </dev/null 3>&- 4>&- 8<&- 9>&- &
worker=$!
# comes TEXT: waits until the worker has said so; one that hangs or ends is not waited for.
comes() {
  for _ in $(seq 6000); do
    grep -q "$1" worker.out && return
    kill -0 "$worker" || return
    sleep 0.02
  done
}
comes "ended	zero"
# The worker's own connections are all that there may be.
ask "SELECT count(*) FROM pg_stat_activity WHERE usename = 'few'" >own
ask "ALTER ROLE few CONNECTION LIMIT $(cat own)"
"$CKRUN" submit act.lua --session one >/dev/null 2>&1
comes "^[edr].*	one"
has "a run that cannot reach its store has died" "$(cat worker.out)" \
  "ended	one	died: store postgres:"
ask "ALTER ROLE few CONNECTION LIMIT -1"
comes "ended	one	completed"
has "its session is begun again" "$(cat worker.out)" "ended	one	completed"
is "and is not put off as one that lacks something here" "$(grep -c '^refused' worker.out)" 0
kill -TERM "$worker"; wait "$worker"

# ---- a worker that is started before its server ----
tell() { echo "$1" >&9; read -r _ <&8; }
# early: one in the background as $worker, until it has said that it waits.
early() {
  : >worker.out
  : >worker.err
  "$CKRUN" worker --poll 50ms --flows "$dir" >worker.out 2>worker.err </dev/null 3>&- 4>&- \
    8<&- 9>&- &
  worker=$!
  until grep -q "nothing is begun" worker.err; do
    kill -0 "$worker" || return
    sleep 0.02
  done
}
"$CKRUN" submit act.lua --session two >/dev/null 2>&1
tell stop
early
ok "a worker that finds its server away waits for it" kill -0 "$worker"
kill -TERM "$worker"
wait "$worker"
is "a signal ends it meanwhile: exit 0" "$?" 0
exits 74 "one that is to be done some time does not wait" worker --until-idle --flows "$dir"
early
tell start
comes "ended	two"
has "when the server is there it goes on" "$(cat worker.out)" "ended	two	completed"
has "and says so" "$(cat worker.err)" "works again"
kill -TERM "$worker"
wait "$worker"
is "it ends as any other" "$?" 0
# What is refused is not waited for; timeout: nor is the test.
refusing() { # CODE TEXT URL
  CKRUN_STORE=$3 timeout 120 "$CKRUN" worker --flows "$dir" >out 2>err </dev/null 8<&- 9>&-
  is "a worker is refused at once: $2" "$? $(grep -cF "$2" err)" "$1 1"
}
refusing 5 "role \"nobody_s\" does not exist" "${server/user=ckrun/user=nobody_s}&schema=away"
refusing 3 "database \"none\" does not exist" "${server/"/postgres?"/"/none?"}&schema=away"
refusing 2 "did you mean 'schema'" "$server&shcema=away"
ask "CREATE ROLE late LOGIN; REVOKE CONNECT ON DATABASE postgres FROM PUBLIC"
refusing 5 "permission denied for database" "${server/user=ckrun/user=late}&schema=away"
finish
