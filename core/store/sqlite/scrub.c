/* scrub.c - scrubs the rows of sessions in one transaction, and packs the tables that held what was
 * taken out. */
#include "core/store/sqlite/scrub.h"
#include "core/store/sqlite/change_bytes.h"
#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/wal.h"

static const char doing[] = "scrub it";

typedef struct scrubbing {
  ck_sqlite *store;
  const ck_row_scrub *with;
  const ck_lease *leases;
  size_t count;
  ck_bytes_change bytes;
} scrubbing;

static ck_status failed(const ck_sqlite *self, int code, ck_error *err) {
  return ck_sqlite_error(self, self->writer->db, code, doing, err);
}

/* A statement that gives no rows, of one number, or none (0). */
static ck_status run(ck_sqlite *self, const char *sql, int64_t number, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(self->writer->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK && number) code = sqlite3_bind_int64(stmt, 1, number);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? CK_OK : failed(self, code, err);
}

/* ---- events and checkpoints ---- */

typedef struct walk {
  const scrubbing *of;
  int64_t session, event_seq;
  sqlite3_stmt *event, *put_event, *checkpoint, *put_checkpoint;
} walk;

/* Steps to the next row of the session behind `after`, up to `until`. */
static int step(sqlite3_stmt *stmt, int64_t session, int64_t after, int64_t until) {
  ck_binder binder = {.stmt = stmt, .code = SQLITE_OK};
  sqlite3_reset(stmt);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, after);
  ck_bind_int(&binder, until);
  return ck_binder_next(&binder);
}

static int put_event(sqlite3_stmt *stmt, int64_t no, const ck_event_row *row) {
  ck_binder binder = {.stmt = stmt, .code = SQLITE_OK};
  ck_bind_int(&binder, no);
  ck_bind_int(&binder, row->encoding);
  ck_bind_int(&binder, row->plain_len);
  ck_bind_int(&binder, row->check);
  ck_bind_optional(&binder, row->mac);
  ck_bind_optional(&binder, row->key_id);
  ck_bind_blob(&binder, row->body);
  return ck_binder_next(&binder);
}

static int put_checkpoint(sqlite3_stmt *stmt, int64_t no, const ck_checkpoint_row *row) {
  ck_binder binder = {.stmt = stmt, .code = SQLITE_OK};
  ck_bind_int(&binder, no);
  ck_bind_int(&binder, row->encoding);
  ck_bind_int(&binder, row->plain_len);
  ck_bind_digest(&binder, &row->events_digest);
  ck_bind_digest(&binder, &row->payload_digest);
  ck_bind_digest(&binder, &row->digest);
  ck_bind_optional(&binder, row->mac);
  ck_bind_optional(&binder, row->key_id);
  ck_bind_blob(&binder, row->info);
  ck_bind_blob(&binder, row->payload);
  return ck_binder_next(&binder);
}

/* The events up to `until`. */
static ck_status scrub_events(walk *self, int64_t until, ck_error *err) {
  const ck_row_scrub *with = self->of->with;
  int code;
  while ((code = step(self->event, self->session, self->event_seq, until)) == SQLITE_ROW) {
    bool changed = false;
    ck_event_row row = ck_sqlite_event_row(self->event);
    int64_t no = sqlite3_column_int64(self->event, 13);
    ck_status status = with->event(&changed, with->self, self->session, &row, err);
    if (status != CK_OK) return status;
    self->event_seq = row.seq;
    code = changed ? put_event(self->put_event, no, &row) : SQLITE_DONE;
    if (code != SQLITE_DONE) return failed(self->of->store, code, err);
  }
  return code == SQLITE_DONE ? CK_OK : failed(self->of->store, code, err);
}

/* *found: false when no checkpoint is left behind `*seq`, which moves to it. */
static ck_status scrub_checkpoint(bool *found, int64_t *seq, walk *self, ck_error *err) {
  const ck_row_scrub *with = self->of->with;
  ck_checkpoint_row row;
  bool changed = false;
  int code = step(self->checkpoint, self->session, *seq, INT64_MAX);
  *found = code == SQLITE_ROW;
  if (!*found) return code == SQLITE_DONE ? CK_OK : failed(self->of->store, code, err);
  ck_sqlite_read_checkpoint(&row, self->checkpoint);
  int64_t no = sqlite3_column_int64(self->checkpoint, 29);
  *seq = row.seq;
  ck_status status = scrub_events(self, row.seq, err);
  if (status == CK_OK) status = with->checkpoint(&changed, with->self, self->session, &row, err);
  if (status != CK_OK || !changed) return status;
  code = put_checkpoint(self->put_checkpoint, no, &row);
  return code == SQLITE_DONE ? CK_OK : failed(self->of->store, code, err);
}

static int prepare(walk *self) {
  const struct {
    sqlite3_stmt **to;
    const char *sql;
  } all[] = {
      {&self->event, "SELECT " CK_SQL_EVENT_COLUMNS ", row FROM event WHERE session = ?1 AND seq > "
                     "?2 AND seq <= ?3 ORDER BY seq LIMIT 1"},
      {&self->put_event, "UPDATE event SET encoding = ?2, plain_len = ?3, \"check\" = ?4, mac = "
                         "?5, key_id = ?6, body = ?7 WHERE row = ?1"},
      {&self->checkpoint,
       "SELECT " CK_SQL_CHECKPOINT_COLUMNS("payload") ", row FROM checkpoint WHERE session = ?1 "
                                                      "AND seq > ?2 AND seq <= ?3 ORDER BY seq "
                                                      "LIMIT 1"},
      {&self->put_checkpoint, "UPDATE checkpoint SET encoding = ?2, plain_len = ?3, events_digest "
                              "= ?4, payload_digest = ?5, digest = ?6, mac = ?7, key_id = ?8, info "
                              "= ?9, payload = ?10 WHERE row = ?1"},
  };
  int code = SQLITE_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all && code == SQLITE_OK; i++)
    code = sqlite3_prepare_v2(self->of->store->writer->db, all[i].sql, -1, all[i].to, NULL);
  return code;
}

static ck_status scrub_rows(const scrubbing *self, int64_t session, ck_error *err) {
  walk work = {.of = self, .session = session};
  int64_t seq = 0;
  bool more = true;
  int code = prepare(&work);
  ck_status status = code == SQLITE_OK ? CK_OK : failed(self->store, code, err);
  while (status == CK_OK && more) status = scrub_checkpoint(&more, &seq, &work, err);
  if (status == CK_OK) status = scrub_events(&work, INT64_MAX, err);
  sqlite3_finalize(work.event);
  sqlite3_finalize(work.put_event);
  sqlite3_finalize(work.checkpoint);
  sqlite3_finalize(work.put_checkpoint);
  return status;
}

/* ---- the other tables ---- */

/* The SQL function scrub(USE, NAME, ID, CREATED_MS, BYTES). */
static ck_status scrub_bytes(ck_buffer *out, void *to, const ck_rekey_bytes *what, ck_error *err) {
  scrubbing *self = to;
  bool changed = false;
  ck_status status = self->with->bytes(out, &changed, self->with->self, what, err);
  if (status == CK_OK && !changed) ck_buffer_append_bytes(out, what->bytes);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

/* For each table: the test for a damaged row, the update of what may be scrubbed, its check. */
typedef struct table {
  const char *count, *scrub, *sign;
} table;

#define OF_SESSION " AND session = ?1"
static const table of_session[] = {
    {"SELECT count(*) FROM request WHERE NOT (" CK_SQL_REQUEST_IS_SOUND ")" OF_SESSION,
     "UPDATE request SET body = scrub('request', kind, s.id, s.created_ms, body) FROM session s "
     "WHERE s.no = request.session" OF_SESSION,
     "UPDATE request SET " CK_SQL_REQUEST_IS_SOUND " WHERE session = ?1"},
    {"SELECT count(*) FROM timeline WHERE NOT (" CK_SQL_TIMELINE_IS_SOUND ")" OF_SESSION,
     "UPDATE timeline SET about = scrub('about', run, '', 0, about) WHERE session = ?1",
     "UPDATE timeline SET " CK_SQL_TIMELINE_IS_SOUND " WHERE session = ?1"},
    {"SELECT count(*) FROM session WHERE NOT (" CK_SQL_SESSION_IS_SOUND ") AND no = ?1",
     "UPDATE session SET input = scrub('input', '', id, created_ms, input), reason = "
     "scrub('reason', '', id, created_ms, reason), description = scrub('description', '', id, "
     "created_ms, description), node = scrub('node', '', id, created_ms, node) WHERE no = ?1",
     "UPDATE session SET " CK_SQL_SESSION_IS_SOUND " WHERE no = ?1"},
};
static const table of_fact = {
    "SELECT count(*) FROM fact WHERE NOT (" CK_SQL_FACT_IS_SOUND ") AND rowid = ?1",
    "UPDATE fact SET value = scrub('fact', length(CAST(owner AS BLOB)) || ':' || owner || key, '', "
    "0, value) WHERE rowid = ?1",
    "UPDATE fact SET " CK_SQL_FACT_IS_SOUND " WHERE rowid = ?1"};

static ck_status count_rows(int64_t *out, ck_sqlite *self, const char *sql, int64_t number,
                            ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(self->writer->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK && number) code = sqlite3_bind_int64(stmt, 1, number);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  *out = code == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
  sqlite3_finalize(stmt);
  return code == SQLITE_ROW ? CK_OK : failed(self, code, err);
}

static ck_status scrub_table(scrubbing *self, const table *of, int64_t session, ck_error *err) {
  int64_t unsound;
  ck_status status = count_rows(&unsound, self->store, of->count, session, err);
  if (status == CK_OK && unsound)
    status = ck_error_set(err, CK_E_CORRUPT,
                          "store %s: %lld rows are not what was written: their checks differ (%s)",
                          self->store->path, (long long)unsound, of->count);
  if (status == CK_OK) status = run(self->store, of->scrub, session, err);
  if (self->bytes.status != CK_OK) return self->bytes.status;
  return status == CK_OK ? run(self->store, of->sign, session, err) : status;
}

/* The inventory counts each by itself. */
static ck_status scrub_fact(scrubbing *self, sqlite3_stmt *stmt, ck_error *err) {
  const char *owner = ck_column_text(stmt, 1), *key = ck_column_text(stmt, 2);
  if (!owner || !key) return ck_error_no_memory(err);
  ck_status status = ck_inventory_take_fact(self->store, owner, key, err);
  if (status == CK_OK) status = scrub_table(self, &of_fact, sqlite3_column_int64(stmt, 0), err);
  return status == CK_OK ? ck_inventory_put_fact(self->store, owner, key, err) : status;
}

static ck_status scrub_facts(scrubbing *self, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  ck_status status = CK_OK;
  int64_t no = 0;
  int code =
      sqlite3_prepare_v2(self->store->writer->db,
                         "SELECT rowid, owner, key FROM fact WHERE rowid > ?1 ORDER BY rowid "
                         "LIMIT 1",
                         -1, &stmt, NULL);
  while (code == SQLITE_OK && status == CK_OK) {
    sqlite3_reset(stmt);
    sqlite3_bind_int64(stmt, 1, no);
    code = sqlite3_step(stmt);
    if (code != SQLITE_ROW) break;
    code = SQLITE_OK;
    no = sqlite3_column_int64(stmt, 0);
    status = scrub_fact(self, stmt, err);
  }
  if (status == CK_OK && code != SQLITE_DONE) status = failed(self->store, code, err);
  sqlite3_finalize(stmt);
  return status;
}

/* ---- kept files ---- */

static ck_status drop_file(const scrubbing *self, const ck_blob_row *row, int64_t no,
                           ck_error *err) {
  ck_status status = CK_OK;
  int64_t left = 0;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    char sql[128];
    sqlite3_snprintf(sizeof sql, sql, "DELETE FROM blob_use WHERE blob = ?1 AND session = %lld",
                     (long long)self->leases[i].session);
    status = run(self->store, sql, no, err);
  }
  if (status == CK_OK)
    status =
        count_rows(&left, self->store, "SELECT count(*) FROM blob_use WHERE blob = ?1", no, err);
  if (status == CK_OK && left) self->with->leave(self->with->self, row);
  return status == CK_OK && !left ? run(self->store, "DELETE FROM blob WHERE no = ?1", no, err)
                                  : status;
}

static ck_status scrub_files_of(const scrubbing *self, int64_t session, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  ck_status status = CK_OK;
  int64_t no = 0;
  int code = sqlite3_prepare_v2(self->store->writer->db,
                                "SELECT " CK_SQL_BLOB " FROM blob WHERE no > ?2 AND no IN (SELECT "
                                "blob FROM blob_use WHERE session = ?1) AND no <= ?3 ORDER BY no "
                                "LIMIT 1",
                                -1, &stmt, NULL);
  while (code == SQLITE_OK && status == CK_OK) {
    ck_blob_row row;
    bool drop = false;
    code = step(stmt, session, no, INT64_MAX);
    if (code != SQLITE_ROW) break;
    no = sqlite3_column_int64(stmt, 0);
    code = SQLITE_OK;
    if (!ck_sqlite_take_blob(&row, stmt))
      status = ck_error_set(err, CK_E_CORRUPT,
                            "store %s: a kept file is not what was written: its check differs",
                            self->store->path);
    if (status == CK_OK) status = self->with->file(&drop, self->with->self, session, &row, err);
    if (status == CK_OK && drop) status = drop_file(self, &row, no, err);
  }
  if (status == CK_OK && code != SQLITE_DONE) status = failed(self->store, code, err);
  sqlite3_finalize(stmt);
  return status;
}

/* ---- sessions ---- */

static ck_status raise_epoch(const scrubbing *self, int64_t session, ck_error *err) {
  ck_head_row head;
  ck_status status =
      run(self->store, "UPDATE session SET epoch = epoch + 1 WHERE no = ?1", session, err);
  if (status == CK_OK) status = ck_sqlite_read_head(&head, self->store, session, err);
  if (status != CK_OK || !head.seq) return status;
  status = self->with->head(self->with->self, session, &head, err);
  return status == CK_OK ? ck_sqlite_put_head(self->store, session, &head, err) : status;
}

static ck_status scrub_session(scrubbing *self, int64_t session, ck_error *err) {
  const ck_row_scrub *with = self->with;
  bool changed = false;
  ck_event_row record = {0};
  size_t count = sizeof of_session / sizeof *of_session;
  ck_status status = ck_inventory_touch_session(self->store, session, err);
  if (status == CK_OK) status = with->begin(with->self, session, err);
  if (status == CK_OK) status = scrub_rows(self, session, err);
  if (status == CK_OK) status = ck_sqlite_drop_counted(self->store, session, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = scrub_table(self, &of_session[i], session, err);
  if (status == CK_OK) status = with->end(&changed, &record, with->self, session, err);
  if (status != CK_OK || !changed) return status;
  status = raise_epoch(self, session, err);
  if (status == CK_OK && record.seq)
    status = ck_sqlite_put_events(self->store, session, &record, 1, err);
  return status == CK_OK ? run(self->store, of_session[count - 1].sign, session, err) : status;
}

static ck_status scrub_all(scrubbing *self, ck_error *err) {
  ck_status status = ck_sqlite_check_key(self->store, err);
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    status = ck_sqlite_check_lease(self->store, self->leases[i], err);
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    status = scrub_files_of(self, self->leases[i].session, err);
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    status = scrub_session(self, self->leases[i].session, err);
  return status == CK_OK ? scrub_facts(self, err) : status;
}

ck_status ck_sqlite_scrub(void *to, const ck_lease *leases, size_t count, const ck_row_scrub *with,
                          ck_error *err) {
  ck_sqlite *self = to;
  scrubbing work = {.store = self, .with = with, .leases = leases, .count = count};
  work.bytes = (ck_bytes_change){.change = scrub_bytes, .self = &work, .err = err};
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  int code = ck_bytes_change_add(self->writer->db, "scrub", &work.bytes);
  status = code == SQLITE_OK ? scrub_all(&work, err) : failed(self, code, err);
  bool undo = status == CK_OK && with->dry_run;
  status = ck_sqlite_end(self, undo ? CK_E_CANCELLED : status, err);
  ck_bytes_change_add(self->writer->db, "scrub", NULL);
  return undo && status == CK_E_CANCELLED ? CK_OK : status;
}
