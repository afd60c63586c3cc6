/* archive.c - copies sessions from store to store, row by row, as they are stored: into a file of
 * their own, and back.
 *
 * A session's number is the store's own, so rows whose check covers it get a new check; all others
 * are copied with theirs. Nothing is opened: a sealed row stays sealed, which is why both stores
 * must have the same key and the same fingerprint key, or no key. */
#include "core/store/sqlite/archive.h"

#include <errno.h>

#include "core/store/sqlite/reader.h"

/* ?1 of `read`: the session's number there. Its last column: the row is what was written. ?1 and ?2
 * of `write`: the numbers here of the session and of its origin; then the columns that were read,
 * without the last. */
typedef struct part {
  const char *table, *read, *write;
} part;

#define CHECKPOINT_COLUMNS                                                                        \
  "seq, id, parent, keyframe, timeline, covers, kind, created_ms, clean, resumable, cost_micros," \
  " input_tokens, output_tokens, model_calls, tool_calls, unmetered, active_us, changed, format," \
  " encoding, plain_len, events_digest, payload_digest, digest, mac, key_id, info, payload"

static const part parts[] = {
    {"session",
     "SELECT id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, flow,"
     " input, failure, cut, restarts, restarted_ms, progress, description,"
     " node, " CK_SQL_SESSION_IS_SOUND " FROM session WHERE no = ?1",
     "INSERT INTO session (no, id, status, reason, epoch, timeline, run, created_ms, updated_ms,"
     " profile, flow, input, failure, origin, cut, restarts, restarted_ms, progress, description,"
     " node, \"check\") VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?2, ?15,"
     " ?16, ?17, ?18, ?19, ?20, row_check_grown('session', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
     " ?12, ?13, ?14, ?2, ?15, ?16, ?17, ?18, ?19, ?20))"},
    {"timeline",
     "SELECT no, parent, cut, \"begin\", checkpoint, attempt, run, parent_run,"
     " about, " CK_SQL_TIMELINE_IS_SOUND " FROM timeline WHERE session = ?1",
     "INSERT INTO timeline VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, row_check_grown("
     "'timeline', ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11), ?11)"},
    {"event",
     "SELECT seq, timeline, kind, at_ms, scope, agent, mac, key_id, encoding, plain_len,"
     " \"check\", body, decision, 1 FROM event WHERE session = ?1 ORDER BY seq",
     "INSERT INTO event (session, seq, timeline, kind, at_ms, scope, agent, mac, key_id, encoding,"
     " plain_len, \"check\", body, decision) VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
     " ?12, ?13, ?14, ?15)"},
    {"checkpoint",
     "SELECT " CHECKPOINT_COLUMNS ", 1 FROM checkpoint WHERE session = ?1 ORDER BY seq",
     "INSERT INTO checkpoint (session, " CHECKPOINT_COLUMNS ") VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8,"
     " ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,"
     " ?27, ?28, ?29, ?30)"},
    {"head",
     "SELECT epoch, status, seq, digest, pins, requests, mac, key_id, " CK_SQL_HEAD_IS_SOUND
     " FROM head WHERE session = ?1",
     "INSERT INTO head VALUES (?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
     " row_check('head', ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))"},
    {"pin", "SELECT seq, " CK_SQL_PIN_IS_SOUND " FROM pin WHERE session = ?1",
     "INSERT INTO pin VALUES (?1, ?3, row_check('pin', ?1, ?3))"},
    {"agent", "SELECT name, " CK_SQL_AGENT_IS_SOUND " FROM agent WHERE session = ?1",
     "INSERT INTO agent VALUES (?1, ?3, row_check('agent', ?1, ?3))"},
    {"session_key",
     "SELECT sealed, key_id, " CK_SQL_SESSION_KEY_IS_SOUND " FROM session_key WHERE session = ?1",
     "INSERT INTO session_key VALUES (?1, ?3, ?4, row_check('session_key', ?1, ?3, ?4))"},
    {"blob",
     "SELECT name, kind, encoding, plain_len, mac, key_id, body, signatures, " CK_SQL_BLOB_IS_SOUND
     " FROM blob WHERE no IN (SELECT blob FROM blob_use WHERE session = ?1) ORDER BY no",
     "INSERT OR IGNORE INTO blob (name, kind, encoding, plain_len, mac, key_id, body, signatures,"
     " \"check\") VALUES (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
     " row_check('blob', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))"},
    {"blob_use",
     "SELECT name, (SELECT " CK_SQL_BLOB_USE_IS_SOUND " FROM blob_use WHERE session = ?1 AND"
     " blob = no) FROM blob WHERE no IN (SELECT blob FROM blob_use WHERE session = ?1)",
     "INSERT OR IGNORE INTO blob_use SELECT ?1, no, row_check('blob_use', ?1, no) FROM blob"
     " WHERE name = ?3"},
};

/* The store's identity, without which nothing of it opens. */
static const part identity = {
    "meta",
    "SELECT key, value, " CK_SQL_META_IS_SOUND " FROM meta WHERE key IN ('fingerprint_key', 'key')"
    " AND ?1 = ?1",
    "INSERT OR REPLACE INTO meta VALUES (?3, ?4, row_check('meta', ?3, ?4))"};

/* A checkpoint whose payload was dropped here, or hidden, gets it back: a stub any, a hidden one
 * that of a row that is not. */
static const part payloads = {
    "checkpoint",
    "SELECT seq, digest, keyframe, encoding, plain_len, payload_digest, mac, key_id, info, payload,"
    " 1 FROM checkpoint WHERE session = ?1 AND length(payload) > 0 ORDER BY seq",
    "UPDATE checkpoint SET keyframe = ?5, encoding = ?6, plain_len = ?7, payload_digest = ?8,"
    " mac = ?9, key_id = ?10, info = ?11, payload = ?12 WHERE session = ?1 AND seq = ?3"
    " AND digest = ?4 AND encoding & 8 AND (length(payload) = 0 OR ?6 & 8 = 0)"};

static const char doing_read[] = "copy a session from it", doing_write[] = "copy a session into it";

static ck_status unsound(const ck_copying *self, const part *of, ck_error *err) {
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s: a row of %s of session number %lld is not what was written: its "
                      "check differs; 'ckrun store verify' tells which",
                      self->from->path, of->table, (long long)self->session);
}

static int prepare(sqlite3_stmt **out, sqlite3 *db, const char *sql) {
  return sqlite3_prepare_v2(db, sql, -1, out, NULL);
}

static int put(const ck_copying *self, sqlite3_stmt *read, sqlite3_stmt *write) {
  int code = sqlite3_bind_int64(write, 1, self->as);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(write, 2, self->origin);
  for (int i = 0; code == SQLITE_OK && i < sqlite3_column_count(read) - 1; i++)
    code = sqlite3_bind_value(write, i + 3, sqlite3_column_value(read, i));
  if (code == SQLITE_OK) code = sqlite3_step(write);
  int reset = sqlite3_reset(write);
  return code == SQLITE_DONE ? reset : code;
}

/* Each row that was read and written; false stops. */
typedef bool (*row_visit)(void *to, sqlite3_stmt *read, int64_t changes);

static ck_status copy_rows(const ck_copying *self, const part *of, row_visit visit, void *to,
                           ck_error *err) {
  sqlite3_stmt *read = NULL, *write = NULL;
  int code = prepare(&read, self->source, of->read), written = SQLITE_OK;
  if (code == SQLITE_OK) code = sqlite3_bind_int64(read, 1, self->session);
  if (code == SQLITE_OK) written = prepare(&write, self->target, of->write);
  bool sound = true, more = true;
  errno = 0;
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    if (written != SQLITE_OK || !sound || !more) break;
    code = sqlite3_step(read);
    if (code != SQLITE_ROW) break;
    sound = sqlite3_column_int(read, sqlite3_column_count(read) - 1);
    if (sound) written = put(self, read, write);
    if (sound && written == SQLITE_OK && visit)
      more = visit(to, read, sqlite3_changes64(self->target));
  }
  ck_status status = CK_OK;
  if (!sound)
    status = unsound(self, of, err);
  else if (written != SQLITE_OK)
    status = ck_sqlite_error(self->into, self->target, written, doing_write, err);
  else if (code != SQLITE_DONE && more)
    status = ck_sqlite_error(self->from, self->source, code, doing_read, err);
  sqlite3_finalize(read);
  sqlite3_finalize(write);
  return status;
}

ck_status ck_copying_identity(const ck_copying *self, ck_error *err) {
  return copy_rows(self, &identity, NULL, NULL, err);
}

ck_status ck_copying_session(const ck_copying *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == CK_OK; i++)
    status = copy_rows(self, &parts[i], NULL, NULL, err);
  return status;
}

/* ---- payloads alone ---- */

typedef struct returning {
  const ck_copying *of;
  sqlite3_stmt *find;
  int64_t returned, foreign; /* foreign: seq of the first that is not the one here; 0 */
} returning;

static bool is_same(const returning *self, int64_t seq, sqlite3_stmt *read) {
  sqlite3_bind_int64(self->find, 1, self->of->as);
  sqlite3_bind_int64(self->find, 2, seq);
  sqlite3_bind_value(self->find, 3, sqlite3_column_value(read, 1));
  bool found = sqlite3_step(self->find) == SQLITE_ROW;
  sqlite3_reset(self->find);
  return found;
}

static bool note_returned(void *to, sqlite3_stmt *read, int64_t changes) {
  returning *self = to;
  int64_t seq = sqlite3_column_int64(read, 0);
  if (!is_same(self, seq, read)) self->foreign = seq;
  if (changes && !(sqlite3_column_int(read, 3) & CK_ENCODING_PRUNED)) self->returned++;
  return !self->foreign;
}

ck_status ck_copying_payloads(int64_t *out, int64_t *foreign, const ck_copying *self,
                              ck_error *err) {
  returning to = {.of = self};
  const char *sql = "SELECT 1 FROM checkpoint WHERE session = ?1 AND seq = ?2 AND digest = ?3";
  int code = prepare(&to.find, self->target, sql);
  ck_status status =
      code == SQLITE_OK ? CK_OK : ck_sqlite_error(self->into, self->target, code, doing_write, err);
  if (status == CK_OK) status = copy_rows(self, &payloads, note_returned, &to, err);
  code = status == CK_OK ? ck_counted_drop(self->target, self->as) : SQLITE_DONE;
  if (code != SQLITE_DONE)
    status = ck_sqlite_error(self->into, self->target, code, doing_write, err);
  sqlite3_finalize(to.find);
  *out = to.returned;
  *foreign = to.foreign;
  return status;
}
