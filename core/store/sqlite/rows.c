/* rows.c - reads rows of events and checkpoints, and the figures of the store. */
#include <string.h>

#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/wal.h"

/* ---- events and checkpoints ---- */

static ck_status last_seq(int64_t *out, void *to, int64_t session, ck_error *err) {
  *out = 0;
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_LAST_SEQ, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) *out = sqlite3_column_int64(read.binder.stmt, 0);
  return ck_reader_end(&read, CK_OK, "read its last event", err);
}

static ck_status count_events(int64_t *out, void *to, int64_t session, ck_error *err) {
  *out = 0;
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_COUNT_EVENTS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) *out = sqlite3_column_int64(read.binder.stmt, 0);
  return ck_reader_end(&read, CK_OK, "count its events", err);
}

static void bind_range(ck_binder *binder, int64_t session, int64_t after, int64_t until) {
  ck_bind_int(binder, session);
  ck_bind_int(binder, after);
  ck_bind_int(binder, until ? until : INT64_MAX);
}

ck_event_row ck_sqlite_event_row(sqlite3_stmt *stmt) {
  const char *scope = ck_column_text(stmt, 4);
  return (ck_event_row){
      .seq = sqlite3_column_int64(stmt, 0),
      .timeline = sqlite3_column_int64(stmt, 1),
      .kind = (ck_event_kind)sqlite3_column_int(stmt, 2),
      .at_ms = sqlite3_column_int64(stmt, 3),
      .scope = scope ? scope : "",
      .agent = ck_column_text(stmt, 5),
      .encoding = sqlite3_column_int(stmt, 6),
      .plain_len = sqlite3_column_int64(stmt, 7),
      .check = sqlite3_column_int64(stmt, 8),
      .body = ck_column_bytes(stmt, 9),
      .mac = ck_column_bytes(stmt, 10),
      .key_id = ck_column_bytes(stmt, 11),
      .decision = ck_column_bytes(stmt, 12),
  };
}

static ck_status read_events(void *to, const ck_event_rows *rows, ck_event_row_visit visit,
                             void *visitor, ck_error *err) {
  ck_reader read;
  ck_status status =
      ck_reader_begin(&read, to, rows->backward ? CK_SQL_EVENTS_BACKWARD : CK_SQL_EVENTS, err);
  if (status != CK_OK) return status;
  bind_range(&read.binder, rows->session, rows->after, rows->until);
  ck_bind_int(&read.binder,
              rows->kinds ? 63 - __builtin_clzll(rows->kinds) : INT64_MAX); /* the highest kind */
  ck_bind_int(&read.binder, rows->kinds ? (int64_t)rows->kinds : -1);
  ck_bind_text(&read.binder, rows->agent);
  ck_bind_int(&read.binder, (int64_t)rows->others);
  bool more = true;
  while (more && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_event_row row = ck_sqlite_event_row(read.binder.stmt);
    more = visit(visitor, &row);
  }
  return ck_reader_end(&read, CK_OK, "read events", err);
}

/* A digest of another length becomes zero, which is the digest of no content: verifying the row
 * then finds it corrupt. */
static ck_digest column_digest(sqlite3_stmt *stmt, int column) {
  ck_digest digest = {{0}};
  ck_bytes bytes = ck_column_bytes(stmt, column);
  if (bytes.len == CK_DIGEST_SIZE) memcpy(digest.bytes, bytes.data, CK_DIGEST_SIZE);
  return digest;
}

void ck_sqlite_read_checkpoint(ck_checkpoint_row *out, sqlite3_stmt *stmt) {
  int64_t n[21];
  for (int i = 1; i < 21; i++) n[i] = sqlite3_column_int64(stmt, i);
  *out = (ck_checkpoint_row){
      .seq = n[1],
      .parent = n[2],
      .keyframe = n[3],
      .timeline = n[4],
      .covers = n[5],
      .kind = (ck_boundary_kind)n[6],
      .created_ms = n[7],
      .clean = n[8] != 0,
      .resumable = n[9] != 0,
      .totals = {.cost_micros = n[10],
                 .input_tokens = n[11],
                 .output_tokens = n[12],
                 .model_calls = n[13],
                 .tool_calls = n[14],
                 .unmetered = n[15],
                 .active_us = n[16]},
      .changed = n[17],
      .format = (int)n[18],
      .encoding = (int)n[19],
      .plain_len = n[20],
      .events_digest = column_digest(stmt, 21),
      .payload_digest = column_digest(stmt, 22),
      .digest = column_digest(stmt, 23),
      .mac = ck_column_bytes(stmt, 24),
      .key_id = ck_column_bytes(stmt, 25),
      .info = ck_column_bytes(stmt, 26),
      .payload = {sqlite3_column_blob(stmt, 28), (size_t)sqlite3_column_int64(stmt, 27)},
  };
  ck_column_id(out->id, stmt, 0);
}

static ck_status read_checkpoints(void *to, const ck_checkpoint_rows *rows,
                                  ck_checkpoint_row_visit visit, void *visitor, ck_error *err) {
  static const ck_sql statements[2][2] = {{CK_SQL_CHECKPOINTS, CK_SQL_CHECKPOINTS_BACKWARD},
                                          {CK_SQL_PAYLOADS, CK_SQL_PAYLOADS_BACKWARD}};
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, statements[rows->payloads][rows->backward], err);
  if (status != CK_OK) return status;
  bind_range(&read.binder, rows->session, rows->after, rows->until);
  bool more = true;
  while (status == CK_OK && more && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_checkpoint_row row;
    ck_sqlite_read_checkpoint(&row, read.binder.stmt);
    if (rows->payloads && row.payload.len && !row.payload.data) {
      status = ck_sqlite_error(read.store, read.connection->db,
                               sqlite3_extended_errcode(read.connection->db),
                               "read a checkpoint's payload", err);
    } else {
      more = visit(visitor, &row);
    }
  }
  return ck_reader_end(&read, status, "read checkpoints", err);
}

static ck_status count_checkpoints(ck_checkpoint_count *out, void *to,
                                   const ck_checkpoint_rows *rows, ck_error *err) {
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_COUNT_CHECKPOINTS, err);
  if (status != CK_OK) return status;
  bind_range(&read.binder, rows->session, rows->after, rows->until);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) {
    out->checkpoints += sqlite3_column_int64(read.binder.stmt, 0);
    out->keyframes += sqlite3_column_int64(read.binder.stmt, 1);
    out->stored_bytes += sqlite3_column_int64(read.binder.stmt, 2);
    out->hidden += sqlite3_column_int64(read.binder.stmt, 3);
  }
  return ck_reader_end(&read, CK_OK, "count its checkpoints", err);
}

/* ---- figures ---- */

static ck_status get_stats(ck_store_stats *out, void *to, ck_error *err) {
  *out = (ck_store_stats){0};
  ck_sqlite *self = to;
  ck_connection *reader;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  int64_t schema = 0;
  const struct {
    int64_t *to;
    const char *sql;
  } figures[] = {
      {&out->sessions, "SELECT count(*) FROM session"},
      {&out->events, "SELECT count(*) FROM event"},
      {&out->event_bytes, "SELECT sum(length(body)) FROM event"},
      {&out->event_plain_bytes, "SELECT sum(plain_len) FROM event"},
      {&out->checkpoints, "SELECT count(*) FROM checkpoint WHERE " CK_SQL_NOT_PRUNED},
      {&out->keyframes,
       "SELECT count(*) FROM checkpoint WHERE keyframe = seq AND " CK_SQL_NOT_PRUNED},
      {&out->payload_bytes, "SELECT sum(length(payload)) FROM checkpoint"},
      {&out->payload_plain_bytes, "SELECT sum(plain_len) FROM checkpoint"},
      {&out->file_bytes, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"},
      {&out->free_bytes,
       "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"},
      {&schema, "PRAGMA user_version"},
  };
  for (size_t i = 0; i < sizeof figures / sizeof *figures && status == CK_OK; i++)
    status = ck_connection_get_int(figures[i].to, self, reader, figures[i].sql, err);
  ck_sqlite_put_reader(self, reader);
  out->wal_bytes = ck_wal_bytes(self);
  out->schema = (int)schema;
  if (status != CK_OK) *out = (ck_store_stats){0};
  return status;
}

void ck_sqlite_add_rows(ck_backend *backend) {
  backend->last_seq = last_seq;
  backend->count_events = count_events;
  backend->read_checkpoints = read_checkpoints;
  backend->count_checkpoints = count_checkpoints;
  backend->read_events = read_events;
  backend->check = ck_sqlite_check;
  backend->get_stats = get_stats;
}
