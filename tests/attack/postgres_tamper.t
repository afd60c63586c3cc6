#!/bin/bash
# postgres_tamper.t - who can write the database of a sealed store in PostgreSQL: what of that is
# found, by verify and by a resume, and what is not. Each line is one of SECURITY.md.
. "$(dirname "$0")/../host/tap.sh"
. "$(dirname "$0")/../host/steps.sh"
. "$(dirname "$0")/../host/postgres.sh"
need_server
run key new "$dir/key"
export CKRUN_KEY=$(cat "$dir/key")
schema=sound
export CKRUN_STORE="$server&schema=sound"
write_flow once
begin run "$dir/flow.lua" --session paused 8<&- 9>&-
die
run run "$flow" --cassette "$cassette" --session done
exits 0 "a fact" facts set city '"Rome"'
exits 0 "a pin" sessions pin done "$("$CKRUN" --json sessions checkpoints done |
  perl -ne '/"id":"(checkpoint_\w+)"/ && ($id = $1); END { print $id }')"
exits 0 "the store is sound" store verify
fact=$(ask "SELECT encode(value, 'hex') FROM fact")
dump() { "${psql%psql}pg_dump" -h "$host" -U ckrun -n sound postgres >"$1" 8<&- 9>&-; }
dump "$dir/older.sql"
exits 0 "another fact in its place" facts set city '"Paris"'
dump "$dir/sound.sql"

# load FILE: the store that was dumped there, as $schema.
load() {
  sed "s/\bsound\b/$schema/g" "$1" |
    "$psql" -XAtq -h "$host" -U ckrun -d postgres >/dev/null 8<&- 9>&-
}
# tamper NAME SQL: a store as the sound one, changed.
count=0
tamper() {
  count=$((count + 1)) schema=copy$count
  load "$dir/sound.sql"
  export CKRUN_STORE="$server&schema=$schema"
  ask "$2"
}
found() {
  tamper "$@"
  exits 7 "found by verify: $1" store verify
}
unfound() {
  tamper "$@"
  exits 0 "not found: $1" store verify
}
one="(SELECT no FROM session WHERE id = 'paused')"
two="(SELECT no FROM session WHERE id = 'done')"
found "an event that was changed" \
  "UPDATE event SET body = overlay(body placing 'X'::bytea from 9 for 1)
  WHERE session = $two AND seq = 3"
found "an event that was removed" "DELETE FROM event WHERE session = $two AND seq = 3"
found "the last events of a session at rest" "DELETE FROM event WHERE session = $two AND seq > 5"
found "a checkpoint that was removed" \
  "DELETE FROM checkpoint WHERE session = $two AND seq = (SELECT max(seq) FROM checkpoint)"
found "a checkpoint that was exchanged" \
  "UPDATE checkpoint c SET payload = d.payload FROM checkpoint d
  WHERE c.session = $two AND d.session = $two AND c.seq <> d.seq AND d.seq =
  (SELECT min(seq) FROM checkpoint WHERE session = $two)"
found "a session's row that says something else of its end" \
  "UPDATE session SET status = 1 WHERE no = $two"
found "a head that was changed" "UPDATE head SET seq = seq - 1 WHERE session = $two"
unfound "a session that was taken away" "DELETE FROM event WHERE session = $two;
  DELETE FROM checkpoint WHERE session = $two; DELETE FROM head WHERE session = $two;
  DELETE FROM timeline WHERE session = $two; DELETE FROM lease WHERE session = $two;
  DELETE FROM pin WHERE session = $two; DELETE FROM session WHERE no = $two"
unfound "a pin that was taken away" "DELETE FROM pin"
unfound "a fact that was taken away" "DELETE FROM fact"
unfound "a fact that was set back" "UPDATE fact SET value = decode('$fact', 'hex')"
unfound "a fact that was made up" "UPDATE fact SET value = '\\x22'::bytea"
run facts get city
ok "but by who reads it: exit $code" test "$code" = 7
tamper "the store as it was before" "SELECT"
run facts get city
is "the store has the later fact" "$out" '"Paris"'
exits 0 "and is opened there" store verify
ask "DROP SCHEMA $schema CASCADE"
load "$dir/older.sql"
exits 0 "not found: the store as it was before, at its place" store verify
run facts get city
is "it has the fact that was replaced" "$out" '"Rome"'
exits 0 "and is gone on with" facts set city '"Oslo"'

# ---- a request to a run, by somebody without the key ----
schema=asked
export CKRUN_STORE="$server&schema=asked"
begin run "$dir/flow.lua" --session asked 8<&- 9>&-
ask "INSERT INTO request (session, kind, body) SELECT no, 'cancel', convert_to('{\"id\":\"run_x\",
  \"run\":\"' || run || '\"}', 'UTF8') FROM session"
until [ "$(ask "SELECT count(*) FROM request")" = 0 ]; do :; done
steps one two three four
ended
is "a request that is not sealed is none" "$code" 0
is "and is told" "$("$CKRUN" --json sessions log asked --all --kind note 2>/dev/null |
  grep -c '"problem":"')" 1

finish
