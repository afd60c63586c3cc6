#!/bin/bash
# reconnect.t - a run in a store of PostgreSQL whose connections are ended while an effect is under
# way: what came of it is committed by a new one, nothing is in doubt, nothing is done twice.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
schema=one
export CKRUN_STORE="$server&schema=one&lease=600"

# Ends each connection, but for the one that asks.
terminated() {
  local count
  count=$(ask "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
  [ "$count" -gt 0 ]
}
# The server is started anew.
restarted() {
  local stopped started
  echo stop >&9 && read -r stopped <&8 && echo start >&9 && read -r started <&8
  [ "$stopped $started" = "stopped started" ]
}

write_flow once
for way in terminated restarted; do
  class=once_$way
  begin run "$dir/flow.lua" --session $class 8<&- 9>&-
  steps one two
  reach
  ok "$class: the connections of a run are lost in the midst of a step" $way
  steps three four
  ended
  is "$class: it goes on to its end" "$code" 0
  is "$class: each step was taken once" \
    "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "1 1 1 1 "
  exits 0 "$class: its transcript" sessions log $class --all --json
  is "$class: and each has one outcome" "$(grep -c '"kind":"outcome"' <<<"$out")" \
    "$(grep -c '"kind":"intent"' <<<"$out")"
  rm -f "$dir/done"
done
finish
