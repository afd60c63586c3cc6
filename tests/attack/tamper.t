#!/bin/bash
# tamper.t - somebody who can write a signed store's file, and has no key, changes, swaps, moves,
# deletes, replays: each is found out.
. "$(dirname "$0")/../host/tap.sh"

tamper=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db CKRUN_COUNTERS=off # the same store is put back again and again
key() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
(umask 077 && key >key && key >other)
export CKRUN_KEY=$(cat key)

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "kept", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.word = "one" ctx.facts.put("capital", "Paris") end),
    b = flow.lua(function(ctx)
      ctx.memory.word = "two"
      ctx.memory.long = string.rep("three ", 200)
      ctx.facts.put("river", "Seine")
    end),
    c = flow.ask { question = "Go on?" },
  },
  edges = { a = "b", b = "c", c = flow.done },
}
END
cat >every.lua <<'END'
return { name = "every", policies = { "every_boundary" } }
END
for name in one two; do exits 8 "session $name" run flow.lua --profile every.lua --session $name; \
  done
exits 8 "a resume of one that waits again" resume one
checkpoint=$("$CKRUN" --json sessions checkpoints one | head -n 1 | \
  perl -MJSON::PP -ne 'print JSON::PP->new->decode($_)->{id}')
exits 0 "a pin" sessions pin one "$checkpoint"
exits 0 "a fork" sessions fork one --session three
"$tamper" s.db 'CREATE TABLE x (a); DROP TABLE x' 2>/dev/null # the log goes into the file
sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp s.db kept.db
restore() { rm -rf s.db*; cp kept.db s.db; }
exits 0 "the store is whole" store verify

# attack NAME SQL: verify finds it. attack_run: resume finds it, too, before anything is written.
attack() {
  restore
  ok "$1: can be done" "$tamper" s.db "$2"
  exits 7 "$1: verify" store verify
}
attack_run() {
  attack "$@"
  run resume one
  is "$1: resume" "$code" 7
}
event="session = 1 AND seq ="
columns="timeline, kind, at_ms, scope, agent, mac, key_id, encoding, plain_len, \"check\", body"
last=$(sqlite3 kept.db 'SELECT max(seq) FROM event WHERE session = 1')
kept=$(sqlite3 kept.db 'SELECT max(seq) FROM checkpoint WHERE session = 1')
plain="encoding = 0, mac = NULL, key_id = NULL"

# Columns of an event.
for change in "kind = 30" "at_ms = at_ms + 1" "scope = 'other'" "agent = 'somebody'" \
  "timeline = 1" "plain_len = plain_len + 1" "encoding = 0" "mac = zeroblob(32)" "mac = NULL" \
  "key_id = NULL" "mac = NULL, key_id = NULL" "key_id = x'0102030405060708'" \
  "body = substr(body, 1, 30)" "body = CAST(body || x'00' AS BLOB)" \
  "$plain, body = CAST('{}' AS BLOB), plain_len = 2"; do
  attack_run "an event: $change" "UPDATE event SET $change WHERE $event $last"
done
attack "an event of before the last checkpoint: at_ms" \
  "UPDATE event SET at_ms = at_ms + 1 WHERE $event 2"
attack_run "an event that is gone" "DELETE FROM event WHERE $event 3"
attack "two that changed places" "UPDATE event SET seq = -1 WHERE $event 2;
  UPDATE event SET seq = 2 WHERE $event 3;
  UPDATE event SET seq = 3 WHERE session = 1 AND seq = -1"
attack_run "one of another session" "DELETE FROM event WHERE $event $last;
  UPDATE event SET session = 1, seq = $last WHERE session = 2
    AND seq = (SELECT max(seq) FROM event WHERE session = 2)"
attack_run "one that was appended" "INSERT INTO event
  (session, seq, timeline, kind, at_ms, scope, encoding, plain_len, \"check\", body)
  SELECT 1, $last + 1, timeline, 5, at_ms, 'main', 0, 2, 0, CAST('{}' AS BLOB)
  FROM event WHERE $event $last"
attack_run "an older one put behind" "INSERT INTO event (session, seq, $columns)
  SELECT 1, $last + 1, $columns FROM event WHERE $event 2"

# Columns of a checkpoint.
for change in "id = 'checkpoint_other'" "parent = 0" "clean = 1 - clean" \
  "resumable = 1 - resumable" "kind = kind % 9 + 1" "cost_micros = 5" "created_ms = 5" \
  "changed = 9" "encoding = encoding | 8" "digest = zeroblob(32)" "mac = zeroblob(32)" \
  "mac = NULL, key_id = NULL" "key_id = x'0102030405060708'" "info = CAST('{}' AS BLOB)" \
  "payload = zeroblob(length(payload))" "payload = substr(payload, 1, 20)" "payload = x''" \
  "timeline = 1" "format = 2" "payload_digest = digest" "events_digest = digest"; do
  attack_run "a checkpoint: $change" \
    "UPDATE checkpoint SET $change WHERE session = 1 AND seq = $kept"
done
attack_run "a payload of another session" "UPDATE checkpoint SET payload =
    (SELECT payload FROM checkpoint WHERE session = 2 ORDER BY seq DESC LIMIT 1)
  WHERE session = 1 AND seq = $kept"
attack_run "a payload of an older one" "UPDATE checkpoint SET payload =
    (SELECT payload FROM checkpoint WHERE session = 1 AND seq < $kept ORDER BY seq DESC LIMIT 1)
  WHERE session = 1 AND seq = $kept"
attack_run "the latest checkpoint is gone" \
  "DELETE FROM checkpoint WHERE session = 1 AND seq = $kept"
attack "an older checkpoint is gone" "DELETE FROM checkpoint WHERE session = 1
  AND seq = (SELECT seq FROM checkpoint WHERE session = 1 ORDER BY seq LIMIT 1 OFFSET 1)"

# Rows that are answered for by their checks, which can be made without a key; not so that they
# pass.
session="\"check\" = row_check_grown('session', id, status, reason, epoch, timeline, run,
  created_ms, updated_ms, profile, flow, input, failure, origin, cut, restarts, restarted_ms,
  progress, description, node)"
for change in "status = 7" "reason = 'all is well'" "reason = NULL" "epoch = 1" "timeline = 1" \
  "run = 'run_x'" "created_ms = 1" "profile = 'x'" "flow = '/x.lua'" "input = CAST('{}' AS BLOB)" \
  "restarts = restarts + 5" "origin = 2, cut = 1" \
  "input = (SELECT input FROM session WHERE id = 'two')" "description = 'x'" "node = 'x'"; do
  attack_run "a session: $change" "UPDATE session SET $change WHERE id = 'one'"
  attack_run "a session, and its check: $change" \
    "UPDATE session SET $change WHERE id = 'one'; UPDATE session SET $session WHERE id = 'one'"
done
attack "sessions that changed names" "UPDATE session SET id = 'x' WHERE no = 1;
  UPDATE session SET id = 'one' WHERE no = 2;
  UPDATE session SET id = 'two' WHERE no = 1"
attack "sessions that changed numbers" "PRAGMA foreign_keys = OFF;
  UPDATE session SET no = 9 WHERE no = 1;
  UPDATE session SET no = 1 WHERE no = 2;
  UPDATE session SET no = 2 WHERE no = 9"
timeline="\"check\" = row_check_grown('timeline', session, no, parent, cut, \"begin\", checkpoint,
  attempt, run, parent_run, about)"
for change in "cut = cut - 1" "\"begin\" = \"begin\" + 1" "checkpoint = 0" "attempt = 7" \
  "parent = 0" "about = CAST('{}' AS BLOB)" \
  "about = (SELECT about FROM timeline WHERE session = 1 AND no = 1)"; do
  attack_run "a timeline: $change" "UPDATE timeline SET $change WHERE session = 1 AND no = 2"
  attack_run "a timeline, and its check: $change" \
    "UPDATE timeline SET $change WHERE session = 1 AND no = 2;
    UPDATE timeline SET $timeline WHERE session = 1 AND no = 2"
done
attack_run "a timeline that is gone" "DELETE FROM timeline WHERE session = 1 AND no = 2"
head="\"check\" = row_check('head', session, epoch, status, seq, digest, pins, requests, mac,
  key_id)"
for change in "seq = 1" "epoch = 1" "status = 7" "digest = zeroblob(32)" \
  "digest = zeroblob(length(digest))" "mac = zeroblob(32)" "mac = NULL, key_id = NULL" \
  "key_id = x'0102030405060708'" \
  "(epoch, status, seq, digest, mac, key_id) =
  (SELECT epoch, status, seq, digest, mac, key_id FROM head WHERE session = 2)"; do
  attack_run "a head: $change" "UPDATE head SET $change WHERE session = 1"
  attack_run "a head, and its check: $change" \
    "UPDATE head SET $change WHERE session = 1; UPDATE head SET $head WHERE session = 1"
done
attack "all that came after the last checkpoint" \
  "DELETE FROM event WHERE session = 1 AND seq > $kept"
attack_run "the last event" "DELETE FROM event WHERE $event $last"
fact="UPDATE fact SET value = CAST('\"Rome\"' AS BLOB) WHERE key = 'capital'"
attack "a fact" "$fact"
attack "a fact, and its check" "$fact;
  UPDATE fact SET \"check\" = row_check('fact', owner, key, value, updated_ms)
  WHERE key = 'capital'"
attack "a pin" "UPDATE pin SET seq = $kept"
attack "a pin, and its check" "UPDATE pin SET seq = $kept;
  UPDATE pin SET \"check\" = row_check('pin', session, seq)"
attack "facts that changed places" \
  "UPDATE fact SET value = (SELECT value FROM fact f WHERE f.key <> fact.key)"
attack "a request that nobody made" "INSERT INTO request (session, kind, body, \"check\")
  VALUES (1, 'cancel', NULL, row_check('request', 1, 'cancel', NULL))"

# The entry about the key.
restore
ok "the entry about the key can be taken away" "$tamper" s.db "DELETE FROM meta WHERE key = 'key'"
refused 7 "then the key does not fit" "has no key" sessions list
run sessions list
CKRUN_KEY= run sessions show one
is "and without it nothing can be read" "$code" 7
restore
ok "or another one's be put there" "$tamper" s.db \
  "UPDATE meta SET value = CAST(x'0101' || x'0102030405060708' || zeroblob(32) AS BLOB)
  WHERE key = 'key';
  UPDATE meta SET \"check\" = row_check('meta', key, value)"
refused 4 "that is told" \
  "is sealed with the key 0102030405060708; the key given by env:CKRUN_KEY is" sessions list

# A session that was deleted and made anew is another one.
restore
exits 0 "a session goes" sessions delete two
exits 8 "and comes again under the same id" run flow.lua --profile every.lua --session two
sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
no=$(sqlite3 s.db "SELECT no FROM session WHERE id = 'two'")
ok "an event of the old one is put in its place" "$tamper" s.db \
  "ATTACH 'kept.db' AS kept; DELETE FROM main.event WHERE session = $no AND seq = 3;
  INSERT INTO main.event (session, seq, $columns)
  SELECT $no, seq, $columns FROM kept.event WHERE session = 2 AND seq = 3"
exits 7 "verify" store verify

restore
exits 0 "what was not touched is whole" store verify
exits 8 "and goes on" resume one
echo "1..$checks"
[ "$failed" = 0 ]
