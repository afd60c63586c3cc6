#!/bin/bash
# tamper_whole.t - rows that are sound by themselves, taken away or set back to what they were
# before: sessions, their rows, pins, facts, and what answers for all of them; with a key and
# without.
. "$(dirname "$0")/../host/tap.sh"

tamper=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db CKRUN_COUNTERS=off
key() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "kept", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.facts.put("capital", "Paris") ctx.memory.word = "one" end),
    b = flow.ask { question = "Go on?" },
    c = flow.lua(function(ctx)
      ctx.facts.put("capital", "Rome") ctx.facts.put("river", "Tiber")
    end),
  },
  edges = { a = "b", b = "c", c = flow.done },
}
END
cat >every.lua <<'END'
return { name = "every", policies = { "every_boundary" } }
END

like() { ok "$1" grep -qE -- "$3" <<<"$2"; }
rest() { sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; }
pin() {
  checkpoint=$("$CKRUN" --json sessions checkpoints one | head -n 1 | \
    perl -MJSON::PP -ne 'print JSON::PP->new->decode($_)->{id}')
  exits 0 "$kind: a pin" sessions pin one "$checkpoint" "$@"
}

# older.db: before the last of each was written.
build() {
  rm -rf s.db* older.db kept.db
  for name in one two; do
    exits 8 "$kind: session $name" run flow.lua --profile every.lua --session $name
  done
  rest && cp s.db older.db
  pin
  exits 0 "$kind: an answer" answer one yes
  exits 0 "$kind: session one ends" resume one
  exits 0 "$kind: a fork" sessions fork two --session three
  rest && cp s.db kept.db
  exits 0 "$kind: all is whole" store verify
}

restore() { rm -rf s.db*; cp kept.db s.db; }
# attack NAME PATTERN SQL: found by verify, in those words.
attack() {
  restore
  ok "$kind: $1: can be done" "$tamper" s.db "ATTACH 'older.db' AS older; $3"
  exits 7 "$kind: $1: verify" store verify
  like "$kind: $1: what is told" "$out" "$2"
}

tables="timeline event checkpoint head pin request agent blob_use session_key lease"
drop() {
  for table in $tables; do printf 'DELETE FROM main.%s WHERE session = %d;' $table "$1"; done
  printf 'DELETE FROM main.session WHERE no = %d;' "$1"
}
# All rows of a session as they were.
back() {
  drop "$1"
  printf 'INSERT INTO main.session SELECT * FROM older.session WHERE no = %d;' "$1"
  for table in timeline head pin request agent blob_use; do
    printf 'INSERT INTO main.%s SELECT * FROM older.%s WHERE session = %d;' $table $table "$1"
  done
  for table in event checkpoint; do
    printf 'INSERT OR REPLACE INTO main.%s SELECT * FROM older.%s WHERE session = %d;' \
      $table $table "$1"
  done
}

attacks() {
  attack "a session that was deleted as a whole" 'has 3 sessions, and there are 2: 1 were taken' \
    "$(drop 3)"
  attack "a session set back as a whole" 'sessions are not those of its inventory' "$(back 1)"
  attack "a row of before the end, with its head" 'sessions are not those of its inventory' \
    "DELETE FROM main.session WHERE no = 1; DELETE FROM main.head WHERE session = 1;
    INSERT INTO main.session SELECT * FROM older.session WHERE no = 1;
    INSERT INTO main.head SELECT * FROM older.head WHERE session = 1"
  attack "a head that is gone" 'sessions are not those' "DELETE FROM main.head WHERE session = 1"
  attack "a pin that is gone" 'has 1 pins, and there are 0' "DELETE FROM main.pin"
  attack "a fact that is gone" 'has 2 facts, and there are 1' \
    "DELETE FROM main.fact WHERE key = 'river'"
  attack "a fact set back" 'facts are not those of its inventory' \
    "INSERT OR REPLACE INTO main.fact SELECT * FROM older.fact"
  attack "an inventory of before" 'inventory has 2 sessions, and there are 3: 1 were put in' \
    "INSERT OR REPLACE INTO main.meta SELECT * FROM older.meta WHERE key = 'inventory'"
  attack "an inventory that was changed" 'inventory is not what was written' \
    "UPDATE main.meta SET value = CAST(value || x'00' AS BLOB) WHERE key = 'inventory'"
}

# A session is deleted: the store is whole, nothing of it is left, and it does not come back.
deletion() {
  restore
  exits 0 "$kind: a session is deleted" sessions delete three --yes
  exits 0 "$kind: the store is whole" store verify
  is "$kind: no row of it is left" "$(for table in $tables; do
    sqlite3 s.db "SELECT 1 FROM $table WHERE session = 3"; done)" ""
  refused 3 "$kind: and it is not there" "there is no session three" sessions show three
  rest && cp s.db gone.db
  exits 0 "$kind: others go on" answer two yes
  exits 0 "$kind: to their end" resume two
  exits 0 "$kind: the store is whole" store verify
  cp kept.db older.db && cp gone.db kept.db
  attack "a deleted session put back as a whole" \
    'has 2 sessions, and there are 3: 1 were put in from outside' "$(back 3)"
  restore
  ok "$kind: a deleted session is put back" "$tamper" s.db "ATTACH 'older.db' AS older; $(back 3)"
  exits 0 "$kind: it can be deleted again" sessions delete three --yes
  exits 7 "$kind: and stays a difference, until a person takes it" store verify
  exits 0 "$kind: who takes it" store accept-rollback
  exits 0 "$kind: the store is whole" store verify
}

kind="with a key"
export CKRUN_KEY=$(key)
build
attacks
attack "an inventory that is gone" 'its inventory, which signs what it holds, is gone' \
  "DELETE FROM main.meta WHERE key = 'inventory'"
attack "an inventory made without the key" 'inventory is not what was written' \
  "UPDATE main.meta SET value = CAST(x'0100' || zeroblob(168) AS BLOB) WHERE key = 'inventory';
  UPDATE main.meta SET \"check\" = row_check('meta', key, value) WHERE key = 'inventory'"
restore
ok "a whole session goes" "$tamper" s.db "$(drop 3)"
refused 7 "with a key: a resume of another is refused" \
  "1 were taken away; 'ckrun store accept-rollback' takes what is there for whole" \
  resume two
exits 0 "and everything can be read" sessions show two
deletion

kind="without a key"
unset CKRUN_KEY
build
attacks
deletion
build

# Nothing of this hides what was done before: changes add to it.
restore
ok "$kind: a fact goes" "$tamper" s.db "DELETE FROM fact WHERE key = 'river'"
exits 0 "$kind: others are written" facts set other 5
exits 7 "$kind: and it is still found" store verify
like "$kind: as before" "$out" 'has 3 facts, and there are 2'

# A store of an older ckrun has no inventory: it gets one with its first change.
restore
ok "$kind: the inventory goes" "$tamper" s.db "DELETE FROM meta WHERE key = 'inventory'"
exits 0 "$kind: that is how an older ckrun leaves a store" store verify
exits 0 "$kind: which is changed" facts set other 5
exits 0 "$kind: and whole" store verify
ok "$kind: then a fact goes" "$tamper" s.db "DELETE FROM fact WHERE key = 'river'"
exits 7 "$kind: and is missed" store verify
# One that an older ckrun sealed gets it when it is opened to write, never when it is read.
kind="sealed by an older ckrun"
golden=$root/tests/golden
for schema in 2 3; do
  rm -rf s.db*
  cp "$golden/sealed$schema.db" s.db && chmod 600 s.db
  export CKRUN_KEY=$(cat "$golden/sealed.key")
  exits 0 "$kind, schema $schema: it is whole" store verify
  ok "$kind, schema $schema: reading changes nothing" cmp -s s.db "$golden/sealed$schema.db"
  exits 0 "$kind, schema $schema: a change" facts set other 5
  exits 0 "$kind, schema $schema: it is whole" store verify
  rest && cp s.db signed.db
  "$tamper" s.db "DELETE FROM meta WHERE key = 'inventory'"
  exits 7 "$kind, schema $schema: what was signed is missed" store verify
  refused 7 "$kind, schema $schema: and not made anew" "is gone" facts set other 6
  rm -rf s.db* && cp signed.db s.db
  "$tamper" s.db "DELETE FROM fact WHERE key = 'other'"
  exits 7 "$kind, schema $schema: so is a fact" store verify
done
echo "1..$checks"
[ "$failed" = 0 ]
