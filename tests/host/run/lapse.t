#!/bin/bash
# lapse.t - a run whose lease cannot be renewed stops before another host can take its session: its
# processes are ended, and it says so, whatever its server does meanwhile.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
schema=one
tell() { echo "$1" >&9; read -r _ <&8; }
# gone PID: it has ended, or only waits to be collected.
gone() { ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }

# ---- begun while the server answers; then it stands still, and so does the third process ----
# The first two would keep their leases for 40 seconds, and stop four after the last renewal: long
# before the 20 seconds for which a sign of life of the server would be waited for.
start() {
  local as=$1
  shift
  begin run "$dir/flow.lua" --session "$as" "$@" 8<&- 9>&-
  eval "${as}_pid=$pid ${as}_step=$(cat "$dir/step")"
}
# stopped NAME: its end, and when.
stopped() {
  timeout 60 tail --pid="$1" -f /dev/null || kill -KILL "$1"
  wait "$1"
  code=$? at=$(date +%s.%N) err=$(cat "$dir/told.$2")
}
cat >"$dir/brave.lua" <<END
return { name = "brave", extends = "default", on_save_failure = "continue",
  unsaved = { checkpoints = 10 } }
END
export CKRUN_STORE="$server&schema=one&lease=40&margin=36"
write_flow once
start strict
mv "$dir/told" "$dir/told.strict"
write_flow idempotent
start brave --profile "$dir/brave.lua"
mv "$dir/told" "$dir/told.brave"
export CKRUN_STORE="$server&schema=one&lease=5&margin=1"
start zombie
mv "$dir/told" "$dir/told.zombie"
kill -STOP "$zombie_pid"
until grep -q '^State:.T' "/proc/$zombie_pid/status"; do :; done
# lease NAME SQL: of that session. What is sent from here on the server does when it goes on.
lease() { ask "SELECT $2 FROM lease JOIN session ON no = session WHERE id = '$1'"; }
strict_ends=$(lease strict expires) brave_ends=$(lease brave expires)
tell freeze

# ---- the first two ----
stopped "$strict_pid" strict
is "a run whose server does not answer stops" "$code" 74
has "says why" "$err" "the session's lease could not be renewed for 4.0 s"
has "and what goes on" "$err" "'ckrun resume' goes on"
ok "its program is ended" gone "$strict_step"
first=$at
stopped "$brave_pid" brave
is "one that may go on without its store stops as well" "$code" 74
has "for that reason" "$err" "could not be renewed for 4.0 s"
ok "its program is ended, too" gone "$brave_step"
tell thaw
is "before their leases ended, by more than half of them" \
  "$(ask "SELECT '$strict_ends' > to_timestamp($first) + interval '20 s',
    '$brave_ends' > to_timestamp($at) + interval '20 s'")" "t|t"
is "which they did not give back" "$(lease strict "owner IS NOT NULL")" t

# ---- the third, whose lease has ended, and whose session somebody else has taken ----
until [ "$(lease zombie "expires < clock_timestamp()")" = t ]; do :; done
ask "UPDATE lease SET writer = 7, owner = '7 7 boot ns elsewhere run_x',
     expires = clock_timestamp() + interval '1 hour'
     WHERE session = (SELECT no FROM session WHERE id = 'zombie')"
ok "the program of a process that is stopped goes on" test -d "/proc/$zombie_step"
rows=$(ask "SELECT count(*) FROM event")
kill -CONT "$zombie_pid"
stopped "$zombie_pid" zombie
ok "when it goes on, it stops, by its own clock or by the fence" test "$code" = 74 -o "$code" = 76
ok "and so does its program" gone "$zombie_step"
is "it has written nothing" "$(ask "SELECT count(*) FROM event")" "$rows"

# ---- what becomes of what was under way ----
export CKRUN_STORE="$server&schema=one&lease=600"
write_flow once
exits 75 "an effect that must not be repeated is in doubt" resume strict
is "and was done once: three programs in all" "$(wc -l <"$dir/done")" 3
write_flow idempotent
begin resume brave 8<&- 9>&-
steps one two three four
ended
is "one that may be repeated is done again, and the session goes on" "$code" 0
exits 0 "all is whole" store verify

# ---- the loop waits for who reads its output: nobody but the guard can end the program ----
cat >"$dir/two.lua" <<END
local flow = require "ck.flow"
return flow.graph {
  name = "two", start = "fan",
  nodes = {
    fan = flow.lua(function(ctx) end),
    waits = flow.exec { argv = { "$dir/step.sh" } },
    says = flow.exec { argv = { "sh", "-c", "read -r _ <$dir/say; seq 100000" } },
    join = flow.lua(function(ctx) end),
  },
  edges = { fan = { "waits", "says" }, waits = "join", says = "join", join = flow.done },
}
END
mkfifo "$dir/unread" "$dir/say"
exec 5<>"$dir/unread" 6<>"$dir/say"
export CKRUN_STORE="$server&schema=one&lease=40&margin=36"
"$CKRUN" run "$dir/two.lua" --session deaf --events >"$dir/unread" 2>"$dir/told.deaf" </dev/null \
  3>&- 4>&- 5>&- 6>&- 8<&- 9>&- &
deaf_pid=$!
reach
deaf_step=$(cat "$dir/step")
echo >&6
# The next event is longer than a pipe by far: when that is full, the loop stands in its midst.
full() { perl -e '$w = ""; vec($w, 1, 1) = 1; exit(select(undef, $w, undef, 0) != 0)' >&5; }
until full || gone "$deaf_pid"; do sleep 0.02; done
tell freeze
for _ in $(seq 1500); do gone "$deaf_step" && break; sleep 0.02; done
ok "a program is ended though the loop of its run waits" gone "$deaf_step"
ok "and goes on waiting" kill -0 "$deaf_pid"
cat <&5 >/dev/null 3>&- 4>&- 8<&- 9>&- &
reader=$!
stopped "$deaf_pid" deaf
kill "$reader"
is "which stops when it can" "$code" 74
has "for that reason" "$err" "could not be renewed for 4.0 s"
tell thaw

finish
