#!/bin/bash
# server_errors.t - a server of PostgreSQL that is there, and cannot write: its disk is full, it
# fails, it has no memory, one of its processes dies in a commit and takes all others with it. A run
# stops and says what the server said, or goes on within the bounds of its profile; what was told to
# be saved is there, and nothing is done twice.
. "$(dirname "$0")/../host/tap.sh"
. "$(dirname "$0")/../host/steps.sh"
. "$(dirname "$0")/../host/postgres.sh"
need_server
export CKRUN_COUNTERS=off
schema=one
export CKRUN_STORE="$server&schema=one&lease=60"
cd "$dir" || exit 1
write_flow idempotent
begin() {
  "$CKRUN" "$@" >"$dir/begun" 2>"$dir/told" </dev/null 3>&- 4>&- 8<&- 9>&- &
  pid=$!
  reach
}
rows() {
  ask "SELECT count(*) FROM $1 JOIN session s ON s.no = $1.session WHERE s.id = '$2'"
}
status() { json "$("$CKRUN" --json sessions show "$1" </dev/null)" '$d->{status}'; }
once() { # NAME
  is "$1: each step was run once" \
    "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "1 1 1 1 "
  rm "$dir/done"
}

# The server has a reason to take no event while the table `sick` has its code.
exits 0 "there is a store" facts set begun '1'
ask "CREATE TABLE sick (code text, says text);
  CREATE FUNCTION fall_ill() RETURNS trigger LANGUAGE plpgsql AS 'DECLARE of record; BEGIN
    SELECT * INTO of FROM one.sick;
    IF of.code = ''sleep'' THEN PERFORM pg_sleep(600); END IF;
    IF FOUND THEN RAISE EXCEPTION USING ERRCODE = of.code, MESSAGE = of.says; END IF;
    RETURN NULL; END';
  CREATE CONSTRAINT TRIGGER ill AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fall_ill()"
ill() { ask "INSERT INTO sick VALUES ('$1', '$2')"; }
well() { ask "DELETE FROM sick"; }

# ---- a profile that stops ----
n=0
while read -r code says; do
  n=$((n + 1))
  id=stops$n
  begin run flow.lua --session "$id"
  steps 1 2
  reach
  events=$(rows event "$id")
  ill "$code" "$says"
  let_on 3
  ended
  is "$code: the run stops" "$code" 74
  has "and says what the server said" "$err" "cannot commit: $says (SQLSTATE"
  is "what was there is there, and no more" "$(rows event "$id")" "$events"
  is "the session is one to go on with" "$(status "$id")" paused
  well
  begin resume "$id"
  steps 3 4
  ended
  is "and goes on to its end when the server does" "$code $(cell "$out" result)" "0 4"
  is "with what came of each step" "$(grep -c . "$dir/done")" 5 # the third had no outcome
  rm "$dir/done"
done <<'END'
53100 could not extend file "base/5": No space left on device
58030 could not write to file "pg_wal/xlogtemp.7": Input/output error
53200 out of memory
XX000 could not read block 7
END

# ---- an action that must not be done twice ----
write_flow once
begin run flow.lua --session doubt
steps 1 2
reach
ill 58030 "could not write"
let_on 3
ended
well
exits 75 "what could not be saved of an action that is done once" resume doubt
has "is in doubt" "$err$out" "main/step#2/tool/1"
is "and is not done again" "$(grep -c 'step#2/' "$dir/done")" 1
rm "$dir/done"
write_flow idempotent

# ---- one that goes on ----
cat >brave.lua <<'END'
return { name = "brave", extends = "default", on_save_failure = "continue",
  unsaved = { checkpoints = 10 } }
END
begin run flow.lua --session brave --profile ./brave.lua
steps 1 2
reach
kept=$(rows checkpoint brave)
ill 53100 "could not extend file: No space left on device"
steps 3
reach
is "a run that goes on writes nothing meanwhile" "$(rows checkpoint brave)" "$kept"
until grep -q '^not saved .*No space left on device (SQLSTATE 53100)' told; do :; done
exits 0 "who looks from elsewhere" --json sessions list
has "is told what troubles it" "$(json "$(grep '"brave"' <<<"$out")" '$d->{trouble}')" \
  "No space left on device"
well
let_on 4
ended
is "and all is saved when the server does" "$code $(cell "$out" saving)" \
  "0 failed for a while once, 1 checkpoint came late; all is saved"
once "the disk of the server was full"

# ---- within its bounds ----
sed -i 's/checkpoints = 10/checkpoints = 1/' brave.lua
begin run flow.lua --session bounds --profile ./brave.lua
steps 1
reach
ill 58030 "could not fsync file: Input/output error"
steps 2 3
ended
is "one whose server never does stops at its bound" "$code" 74
has "and says why" "$err" "Input/output error (SQLSTATE 58030)"
well
begin resume bounds
let_on more
while kill -0 "$pid" 2>/dev/null; do read -r -t 0.2 _ <&3 && let_on more; done
ended
is "and is gone on with" "$code" 0
rm -f "$dir/done"

# ---- a process of the server dies in a commit: all connections are lost, and it recovers ----
write_flow once
begin run flow.lua --session crash
steps 1 2
reach
ill sleep ""
let_on 3
sleeps="FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
until [ "$(ask "SELECT count(*) $sleeps")" = 1 ]; do kill -0 "$pid" || break; done
well
kill -KILL "$(ask "SELECT pid $sleeps")"
reach
let_on 4
ended
is "a run whose server crashes in a commit, and recovers, goes on to its end" "$code" 0
once "the server crashed"
exits 0 "the store is sound" store verify
finish
