#!/bin/bash
# schema.t - somebody changes the schema of a store, so that SQLite would drop or change rows: it is
# refused by name, and goes on when what was added is taken away.
. "$(dirname "$0")/../host/tap.sh"

cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db CKRUN_COUNTERS=off # an older copy is put back
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "asks", start = "a",
  nodes = { a = flow.lua(function(ctx) ctx.memory.word = "one" end),
    b = flow.ask { question = "Go on?" } },
  edges = { a = "b", b = flow.done },
}
END
exits 8 "a session waits" run ./flow.lua --session s
sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp s.db kept.db
restore() { rm -rf s.db s.db-* s.db.*; cp kept.db s.db; }
# edit OLD NEW: in the text of a declaration, as who knows SQLite does it.
edit() {
  sqlite3 s.db ".dbconfig defensive off" "PRAGMA writable_schema=ON" "UPDATE sqlite_schema
    SET sql = replace(sql, '$1', '$2') WHERE sql LIKE '%$1%'; SELECT changes()" | tail -n 1
}

# found NAME TEXT SQL: the change is made, and everything that reads or writes refuses the store.
found() {
  local name=$1 text=$2
  restore
  ok "$name: can be made" sqlite3 s.db "$3"
  exits 7 "$name: a resume" resume s
  exits 7 "$name: a new session" run ./flow.lua
  exits 7 "$name: a reader" sessions list
  refused 7 "$name: verify" "$text" store verify
}
# again NAME SQL: the remedy.
again() {
  ok "$1: is taken away" sqlite3 s.db "$2"
  exits 0 "$1: the store is sound" store verify
  exits 8 "$1: and goes on" resume s
}

found "a generated column that drops rows" "table 'event' is declared in another way" \
  "ALTER TABLE event ADD COLUMN gone TEXT AS (CASE WHEN seq < 9 THEN 1 END) NOT NULL
    ON CONFLICT IGNORE"
found "a column" "table 'checkpoint' is declared" "ALTER TABLE checkpoint ADD COLUMN more TEXT"
found "a trigger" "trigger 'late' of table 'event' is not ckrun's" \
  "CREATE TRIGGER late AFTER INSERT ON event BEGIN DELETE FROM event WHERE row = new.row; END"
has "a trigger: the remedy is told" "$err" "DROP trigger"
again "a trigger" "DROP TRIGGER late"
found "an index" "index 'one' of table 'event' is not ckrun's" \
  "CREATE INDEX one ON event (kind) WHERE kind = 1"
again "an index" "DROP INDEX one"
found "a view" "view 'all_of_it'" "CREATE VIEW all_of_it AS SELECT * FROM event"
again "a view" "DROP VIEW all_of_it"
found "a table" "table 'more'" "CREATE TABLE more (a)"
found "a missing index" "index 'event_seq' is not there" "DROP INDEX event_seq"
found "a missing table" "table 'pin' is not there" "DROP TABLE pin"
found "an index by another name of its own" "(and 1 more of its schema)" \
  "DROP INDEX event_seq; CREATE UNIQUE INDEX event_sed ON event (session, seq, kind)"
found "an index of the same name that drops rows" "index 'checkpoint_seq' is declared" \
  "DROP INDEX checkpoint_seq; CREATE INDEX checkpoint_seq ON checkpoint (session, seq)"

restore
is "a declaration is edited in place" "$(edit 'seq INTEGER NOT NULL' 'seq INTEGER')" 4
refused 7 "an edited declaration" "is declared in another way" sessions list

restore
ok "ANALYZE counts rows" sqlite3 s.db ANALYZE
exits 0 "what it keeps is no change" store verify
exits 8 "and the session goes on" resume s
exits 0 "a backup is made" store backup copy.db
CKRUN_STORE=sqlite:$dir/copy.db exits 0 "and is sound" store verify

finish
