/* rekey.c - changes the key of all rows: events and checkpoints a few at a time, the rest at
 * once. */
#include <string.h>

#include "core/store/sqlite/rekey.h"
#include "core/store/sqlite/change_bytes.h"
#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/scrub.h"
#include "core/store/sqlite/wal.h"

enum { BATCH_ROWS = 128, BATCH_BYTES = 4 << 20 };

static ck_status failed(const ck_sqlite *self, int code, ck_error *err) {
  return ck_sqlite_error(self, self->writer->db, code, "change its key", err);
}

/* ---- which keys there are ---- */

static ck_status list_keys(void *to, ck_key_visit visit, void *visitor, ck_error *err) {
  static const char sql[] = "SELECT key_id, sum(e), sum(c) FROM (SELECT key_id, count(*) AS e, 0 "
                            "AS c FROM event GROUP BY key_id UNION ALL SELECT key_id, 0, count(*) "
                            "FROM checkpoint GROUP BY key_id) GROUP BY key_id ORDER BY key_id";
  ck_sqlite *self = to;
  ck_connection *reader;
  sqlite3_stmt *stmt = NULL;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  int code = sqlite3_prepare_v2(reader->db, sql, -1, &stmt, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    if (code != SQLITE_ROW) break;
    ck_bytes id = {sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0)};
    visit(visitor, id, sqlite3_column_int64(stmt, 1), sqlite3_column_int64(stmt, 2));
  }
  if (code != SQLITE_DONE) status = ck_sqlite_error(self, reader->db, code, "list its keys", err);
  sqlite3_finalize(stmt);
  ck_sqlite_put_reader(self, reader);
  return status;
}

/* ---- the beginning ---- */

ck_status ck_sqlite_put_entry(ck_sqlite *self, ck_bytes entry, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(
      self->writer->db,
      "INSERT OR REPLACE INTO meta VALUES ('key', ?1, row_check('meta', 'key', ?1))", -1, &stmt,
      NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_blob64(stmt, 1, entry.data, entry.len, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? CK_OK : failed(self, code, err);
}

ck_status ck_sqlite_note_entry(ck_sqlite *self, ck_bytes entry, ck_error *err) {
  ck_buffer_reset(&self->key_entry);
  ck_buffer_append_bytes(&self->key_entry, entry);
  return ck_buffer_check(&self->key_entry, err);
}

/* Refused while a session is being run: its owner would continue to write with the old key. */
ck_status ck_sqlite_check_idle(ck_sqlite *self, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  ck_status status = CK_OK;
  int code = sqlite3_prepare_v2(self->writer->db, "SELECT id FROM session", -1, &stmt, NULL);
  while ((code == SQLITE_OK || code == SQLITE_ROW) && status == CK_OK) {
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
      status = ck_session_lock_check(self->path, (const char *)sqlite3_column_text(stmt, 0), err);
  }
  if (status == CK_E_OWNED)
    ck_error_prefix(err, "store %s: its key cannot be changed now", self->path);
  else if (status == CK_OK && code != SQLITE_DONE)
    status = failed(self, code, err);
  sqlite3_finalize(stmt);
  return status;
}

static ck_status begin_rekey(void *to, ck_bytes entry, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = ck_sqlite_check_idle(self, err);
  if (status == CK_OK) status = ck_sqlite_put_entry(self, entry, err);
  if (status == CK_OK) status = ck_sqlite_drop_counted(self, 0, err);
  status = ck_sqlite_end(self, status, err);
  return status == CK_OK ? ck_sqlite_note_entry(self, entry, err) : status;
}

/* ---- events and checkpoints ---- */

typedef struct batch {
  ck_sqlite *store;
  const ck_rekey *with;
  sqlite3_stmt *next_event, *put_event, *next_checkpoint, *put_checkpoint;
  int64_t rows, bytes;
} batch;

/* Steps to the next row after the last changed one that is not signed with the new key. SQLITE_ROW,
 * SQLITE_DONE or an error. */
static int step_next(sqlite3_stmt *stmt, int64_t after, const ck_seal *key) {
  ck_key_id id = ck_seal_key(key);
  sqlite3_reset(stmt);
  int code = sqlite3_bind_int64(stmt, 1, after);
  if (code == SQLITE_OK)
    code = sqlite3_bind_blob(stmt, 2, id.bytes, sizeof id.bytes, SQLITE_TRANSIENT);
  return code == SQLITE_OK ? sqlite3_step(stmt) : code;
}

static int put_event(sqlite3_stmt *stmt, int64_t no, const ck_event_row *row) {
  ck_binder binder = {.stmt = stmt, .code = SQLITE_OK};
  ck_bind_int(&binder, no);
  ck_bind_int(&binder, row->encoding);
  ck_bind_int(&binder, row->check);
  ck_bind_blob(&binder, row->mac);
  ck_bind_blob(&binder, row->key_id);
  ck_bind_blob(&binder, row->body);
  return ck_binder_next(&binder);
}

static int put_checkpoint(sqlite3_stmt *stmt, int64_t no, const ck_checkpoint_row *row) {
  ck_binder binder = {.stmt = stmt, .code = SQLITE_OK};
  ck_bind_int(&binder, no);
  ck_bind_int(&binder, row->encoding);
  ck_bind_digest(&binder, &row->events_digest);
  ck_bind_digest(&binder, &row->payload_digest);
  ck_bind_digest(&binder, &row->digest);
  ck_bind_blob(&binder, row->mac);
  ck_bind_blob(&binder, row->key_id);
  ck_bind_blob(&binder, row->info);
  ck_bind_blob(&binder, row->payload);
  return ck_binder_next(&binder);
}

/* *found is false when no event is left. The row is borrowed from the statement until its next
 * step. */
static ck_status change_event(bool *found, batch *self, ck_error *err) {
  ck_sqlite *store = self->store;
  int code = step_next(self->next_event, store->rekeyed_event, self->with->to);
  *found = code == SQLITE_ROW;
  if (!*found) return code == SQLITE_DONE ? CK_OK : failed(store, code, err);
  ck_event_row row = ck_sqlite_event_row(self->next_event);
  int64_t no = sqlite3_column_int64(self->next_event, 13);
  ck_status status =
      self->with->event(self->with->self, sqlite3_column_int64(self->next_event, 14), &row, err);
  if (status != CK_OK) return status;
  store->rekeyed_event = no;
  self->rows++;
  self->bytes += (int64_t)row.body.len;
  code = put_event(self->put_event, no, &row);
  return code == SQLITE_DONE ? CK_OK : failed(store, code, err);
}

static ck_status change_checkpoint(bool *found, batch *self, ck_error *err) {
  ck_sqlite *store = self->store;
  ck_checkpoint_row row;
  int code = step_next(self->next_checkpoint, store->rekeyed_checkpoint, self->with->to);
  *found = code == SQLITE_ROW;
  if (!*found) return code == SQLITE_DONE ? CK_OK : failed(store, code, err);
  ck_sqlite_read_checkpoint(&row, self->next_checkpoint);
  int64_t no = sqlite3_column_int64(self->next_checkpoint, 29);
  ck_status status = self->with->checkpoint(
      self->with->self, sqlite3_column_int64(self->next_checkpoint, 30), &row, err);
  if (status != CK_OK) return status;
  store->rekeyed_checkpoint = no;
  self->rows++;
  self->bytes += (int64_t)row.payload.len;
  code = put_checkpoint(self->put_checkpoint, no, &row);
  return code == SQLITE_DONE ? CK_OK : failed(store, code, err);
}

static ck_status change_rows(batch *self, ck_error *err) {
  bool more = true;
  ck_status status = CK_OK;
  while (status == CK_OK && more && self->rows < BATCH_ROWS && self->bytes < BATCH_BYTES) {
    status = change_event(&more, self, err);
    if (status == CK_OK && !more) status = change_checkpoint(&more, self, err);
  }
  return status;
}

static int prepare(batch *self) {
  const struct {
    sqlite3_stmt **to;
    const char *sql;
  } all[] = {
      {&self->next_event,
       "SELECT " CK_SQL_EVENT_COLUMNS
       ", row, session FROM event WHERE row > ?1 AND key_id IS NOT ?2 ORDER BY row LIMIT 1"},
      {&self->put_event, "UPDATE event SET encoding = ?2, \"check\" = ?3, mac = ?4, key_id = ?5, "
                         "body = ?6 WHERE row = ?1"},
      {&self->next_checkpoint, "SELECT " CK_SQL_CHECKPOINT_COLUMNS(
                                   "payload") ", row, session FROM checkpoint WHERE row > ?1 AND "
                                              "key_id IS NOT ?2 ORDER BY row LIMIT 1"},
      {&self->put_checkpoint, "UPDATE checkpoint SET encoding = ?2, events_digest = ?3, "
                              "payload_digest = ?4, digest = ?5, mac = ?6,"
                              " key_id = ?7, info = ?8, payload = ?9 WHERE row = ?1"},
  };
  int code = SQLITE_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all && code == SQLITE_OK; i++)
    code = sqlite3_prepare_v2(self->store->writer->db, all[i].sql, -1, all[i].to, NULL);
  return code;
}

static ck_status rekey_rows(int64_t *rows, void *to, const ck_rekey *with, ck_error *err) {
  ck_sqlite *self = to;
  batch work = {.store = self, .with = with};
  *rows = 0;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  int code = prepare(&work);
  status = code == SQLITE_OK ? change_rows(&work, err) : failed(self, code, err);
  sqlite3_finalize(work.next_event);
  sqlite3_finalize(work.put_event);
  sqlite3_finalize(work.next_checkpoint);
  sqlite3_finalize(work.put_checkpoint);
  status = ck_sqlite_end(self, status, err);
  if (status == CK_OK) *rows = work.rows;
  return status;
}

/* ---- the other tables ---- */

/* For each table: the test for a damaged row, then the update of its sealed columns and its
 * check. */
typedef struct table {
  const char *count, *seal, *sign;
} table;

static const table tables[] = {
    {"SELECT count(*) FROM request WHERE NOT (" CK_SQL_REQUEST_IS_SOUND ")",
     "UPDATE request SET body = rekey('request', kind, s.id, s.created_ms, body) FROM session s "
     "WHERE s.no = request.session",
     "UPDATE request SET " CK_SQL_REQUEST_IS_SOUND},
    {"SELECT count(*) FROM session WHERE NOT (" CK_SQL_SESSION_IS_SOUND ")",
     "UPDATE session SET input = rekey('input', '', id, created_ms, input), reason = "
     "rekey('reason', '', id, created_ms, reason), description = rekey('description', '', id, "
     "created_ms, description), node = rekey('node', '', id, created_ms, node)",
     "UPDATE session SET " CK_SQL_SESSION_IS_SOUND},
    {"SELECT count(*) FROM fact WHERE NOT (" CK_SQL_FACT_IS_SOUND ")",
     "UPDATE fact SET value = rekey('fact', length(CAST(owner AS BLOB)) || ':' || owner || key, "
     "'', 0, value)",
     "UPDATE fact SET " CK_SQL_FACT_IS_SOUND},
    {"SELECT count(*) FROM timeline WHERE NOT (" CK_SQL_TIMELINE_IS_SOUND ")",
     "UPDATE timeline SET about = rekey('about', run, '', 0, about)",
     "UPDATE timeline SET " CK_SQL_TIMELINE_IS_SOUND},
    {"SELECT count(*) FROM pin WHERE NOT (" CK_SQL_PIN_IS_SOUND ")", NULL,
     "UPDATE pin SET " CK_SQL_PIN_IS_SOUND},
    {"SELECT count(*) FROM head WHERE NOT (" CK_SQL_HEAD_IS_SOUND ")", NULL,
     "UPDATE head SET " CK_SQL_HEAD_IS_SOUND},
    {"SELECT count(*) FROM agent WHERE NOT (" CK_SQL_AGENT_IS_SOUND ")", NULL,
     "UPDATE agent SET " CK_SQL_AGENT_IS_SOUND},
    {"SELECT count(*) FROM lease WHERE NOT (" CK_SQL_LEASE_IS_SOUND ")", NULL,
     "UPDATE lease SET " CK_SQL_LEASE_IS_SOUND},
    {"SELECT count(*) FROM blob WHERE NOT (" CK_SQL_BLOB_IS_SOUND ")", NULL,
     "UPDATE blob SET " CK_SQL_BLOB_IS_SOUND},
    {"SELECT count(*) FROM blob_use WHERE NOT (" CK_SQL_BLOB_USE_IS_SOUND ")", NULL,
     "UPDATE blob_use SET " CK_SQL_BLOB_USE_IS_SOUND},
};

static ck_status run_sql(ck_sqlite *self, const ck_bytes_change *work, const char *sql,
                         ck_error *err) {
  return sql ? ck_bytes_change_run(self, work, sql, "change its key", err) : CK_OK;
}

/* The checks are compared with the old key's. */
static ck_status reseal_table(ck_sqlite *self, const ck_bytes_change *work, const table *of,
                              ck_error *err) {
  int64_t unsound;
  ck_status status = ck_connection_get_int(&unsound, self, self->writer, of->count, err);
  if (status == CK_OK && unsound)
    status = ck_error_set(err, CK_E_CORRUPT,
                          "store %s: %lld rows are not what was written: their checks differ (%s)",
                          self->path, (long long)unsound, of->count);
  return status == CK_OK ? run_sql(self, work, of->seal, err) : status;
}

/* What was taken away since the change began is not signed. */
static ck_status check_inventory(uint64_t *generation, ck_sqlite *self, ck_error *err) {
  ck_inventory inventory, found;
  ck_status status = ck_inventory_read(&inventory, self, self->writer, err);
  *generation = inventory.generation;
  if (status == CK_OK && inventory.generation)
    status = ck_inventory_count(&found, self, self->writer->db, err);
  if (status != CK_OK || !inventory.generation || ck_inventory_equal(&inventory, &found))
    return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s: what it holds is not what its inventory says: something was taken "
                      "away or set back while its key was changed",
                      self->path);
}

static ck_status change_tables(ck_sqlite *self, const ck_bytes_change *work, const ck_rekey *with,
                               ck_error *err) {
  size_t count = sizeof tables / sizeof *tables;
  uint64_t generation;
  ck_status status = check_inventory(&generation, self, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = reseal_table(self, work, &tables[i], err);
  if (status == CK_OK) status = ck_sqlite_rekey_heads(self, with, err);
  if (status == CK_OK) status = ck_sqlite_rekey_blobs(self, with, err);
  if (status == CK_OK) self->seal = with->to;
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = run_sql(self, work, tables[i].sign, err);
  return status == CK_OK ? ck_inventory_make(self, generation, err) : status;
}

static ck_status end_rekey(void *to, const ck_rekey *with, ck_bytes entry, ck_error *err) {
  ck_sqlite *self = to;
  ck_bytes_change work = {.change = with->bytes, .self = with->self, .err = err};
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  sqlite3 *db = self->writer->db;
  int code = ck_bytes_change_add(db, "rekey", &work);
  status = code == SQLITE_OK ? change_tables(self, &work, with, err) : failed(self, code, err);
  if (status == CK_OK) status = ck_sqlite_put_entry(self, entry, err);
  status = ck_sqlite_end(self, status, err);
  ck_bytes_change_add(db, "rekey", NULL);
  if (status != CK_OK) self->seal = with->from;
  return status == CK_OK ? ck_sqlite_note_entry(self, entry, err) : status;
}

ck_status ck_sqlite_clear_log(void *to, ck_error *err) {
  ck_sqlite *self = to;
  ck_sqlite_close_readers(self);
  ck_status status = ck_lock_acquire(self->lock, CK_LOCK_WAIT_MS, err);
  if (status != CK_OK) return status;
  bool cleared = false;
  status = ck_wal_fold(&cleared, self, true, err);
  if (status == CK_OK && !cleared)
    status = ck_error_set(
        err, CK_E_BUSY,
        "store %s was changed, but another process reads it, and so keeps old bytes in %s-wal: do "
        "the same again when it has ended",
        self->path, self->path);
  ck_lock_release(self->lock);
  return status;
}

void ck_sqlite_add_rekey(ck_backend *backend) {
  backend->list_keys = list_keys;
  backend->begin_rekey = begin_rekey;
  backend->rekey_rows = rekey_rows;
  backend->end_rekey = end_rekey;
  backend->clear_log = ck_sqlite_clear_log;
}
