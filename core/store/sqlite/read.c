/* read.c - rows out of the store: sessions, timelines, events, checkpoints, figures. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/sqlite.h"

static ck_bytes column_bytes(sqlite3_stmt *stmt, int column) {
  const char *data = sqlite3_column_blob(stmt, column);
  return (ck_bytes){data, data ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
}

static const char *column_text(sqlite3_stmt *stmt, int column) {
  return (const char *)sqlite3_column_text(stmt, column);
}

/* False when there is a text and no memory for it. */
static bool copy_text(char **out, sqlite3_stmt *stmt, int column) {
  const char *text = column_text(stmt, column);
  *out = text ? strdup(text) : NULL;
  return *out || !text;
}

static void copy_id(char out[CK_ID_SIZE], sqlite3_stmt *stmt, int column) {
  const char *text = column_text(stmt, column);
  size_t len = text ? strnlen(text, CK_ID_SIZE - 1) : 0;
  if (len) memcpy(out, text, len);
  out[len] = '\0';
}

/* One statement on a reading connection: begun, stepped, and ended with what came of it. */
typedef struct reading {
  ck_sqlite *store;
  ck_connection *reader;
  ck_binder binder;
} reading;

static ck_status begin(reading *self, ck_sqlite *store, ck_sql sql, ck_error *err) {
  self->store = store;
  ck_status status = ck_sqlite_get_reader(&self->reader, store, err);
  if (status == CK_OK) self->binder = ck_binder_of(self->reader, sql);
  return status;
}

static ck_status end(reading *self, ck_status status, const char *doing, ck_error *err) {
  int code = self->binder.code;
  if (status == CK_OK && code != SQLITE_ROW && code != SQLITE_DONE)
    status = ck_sqlite_error(self->store, self->reader->db, code, doing, err);
  ck_binder_clear(&self->binder);
  ck_sqlite_put_reader(self->store, self->reader);
  return status;
}

/* ---- sessions and timelines ---- */

static ck_status read_record(ck_session_record *out, sqlite3_stmt *stmt, ck_error *err) {
  *out = (ck_session_record){
      .no = sqlite3_column_int64(stmt, 0),
      .status = (ck_session_status)sqlite3_column_int(stmt, 2),
      .epoch = (uint64_t)sqlite3_column_int64(stmt, 4),
      .timeline = sqlite3_column_int64(stmt, 5),
      .created_ms = sqlite3_column_int64(stmt, 7),
      .updated_ms = sqlite3_column_int64(stmt, 8),
      .origin = {sqlite3_column_int64(stmt, 14), sqlite3_column_int64(stmt, 15)},
      .restarts = {sqlite3_column_int64(stmt, 16), sqlite3_column_int64(stmt, 17),
                   sqlite3_column_int64(stmt, 18)},
  };
  copy_id(out->id, stmt, 1);
  copy_id(out->run, stmt, 6);
  bool copied = copy_text(&out->reason, stmt, 3) && copy_text(&out->profile, stmt, 9) &&
                copy_text(&out->flow, stmt, 10) && copy_text(&out->failure, stmt, 13);
  ck_bytes input = column_bytes(stmt, 11);
  ck_status status = copied ? CK_OK : ck_error_no_memory(err);
  bool sealed =
      input.len && (unsigned char)*input.data < ' '; /* sealed.h: opened and checked there */
  if (status == CK_OK && sealed)
    status = ck_value_copy(&out->input, input, err);
  else if (status == CK_OK && input.len)
    status = ck_value_new(&out->input, input, err);
  if (status == CK_E_PARSE) {
    ck_error_prefix(err, "session %s: its stored input", out->id);
    status = CK_E_CORRUPT;
    if (err) err->status = status;
  }
  if (status != CK_OK) ck_session_record_clear(out);
  return status;
}

static ck_status check_record(ck_session_record *self, const ck_sqlite *store, bool sound,
                              ck_error *err) {
  if (sound) return CK_OK;
  ck_error_set(err, CK_E_CORRUPT,
               "session %s in store %s: its row is not what was written: its check differs",
               self->id, store->path);
  ck_session_record_clear(self);
  return CK_E_CORRUPT;
}

static ck_status get_session(ck_session_record *out, void *to, const char *session_id,
                             ck_error *err) {
  *out = (ck_session_record){0};
  ck_sqlite *self = to;
  reading read;
  ck_status status = begin(&read, self, CK_SQL_GET_SESSION, err);
  if (status != CK_OK) return status;
  ck_bind_text(&read.binder, session_id);
  int code = ck_binder_next(&read.binder);
  if (code == SQLITE_ROW) {
    status = read_record(out, read.binder.stmt, err);
    if (status == CK_OK)
      status = check_record(out, self, sqlite3_column_int(read.binder.stmt, 12) != 0, err);
  } else if (code == SQLITE_DONE)
    status = ck_error_set(err, CK_E_NOT_FOUND, "there is no session %s in store %s", session_id,
                          self->path);
  return end(&read, status, "read a session", err);
}

static ck_status get_identity(ck_identity *out, void *to, int64_t session, ck_error *err) {
  *out = (ck_identity){0};
  ck_sqlite *self = to;
  reading read;
  ck_status status = begin(&read, self, CK_SQL_GET_IDENTITY, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  int code = ck_binder_next(&read.binder);
  if (code == SQLITE_ROW) {
    sqlite3_stmt *stmt = read.binder.stmt;
    copy_id(out->id, stmt, 0);
    out->origin = (ck_origin){sqlite3_column_int64(stmt, 1), sqlite3_column_int64(stmt, 2)};
    out->created_ms = sqlite3_column_int64(stmt, 4);
    if (!sqlite3_column_int(stmt, 3))
      status =
          ck_error_set(err, CK_E_CORRUPT,
                       "session %s in store %s: its row is not what was written: its check differs",
                       out->id, self->path);
  } else if (code == SQLITE_DONE) {
    status = ck_error_set(err, CK_E_NOT_FOUND, "store %s has no session number %lld", self->path,
                          (long long)session);
  }
  return end(&read, status, "read a session", err);
}

static ck_status visit_sessions(void *to, ck_sql sql, int64_t which, ck_session_visit visit,
                                void *visitor, ck_error *err) {
  reading read;
  ck_status status = begin(&read, to, sql, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, which);
  bool more = true;
  while (status == CK_OK && more && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_session_record record;
    status = read_record(&record, read.binder.stmt, err);
    if (status == CK_OK) more = visit(visitor, &record);
    if (status == CK_OK) ck_session_record_clear(&record);
  }
  return end(&read, status, "list its sessions", err);
}

static ck_status list_sessions(void *to, ck_session_status wanted, ck_session_visit visit,
                               void *visitor, ck_error *err) {
  return visit_sessions(to, CK_SQL_LIST_SESSIONS, wanted, visit, visitor, err);
}

static ck_status list_forks(void *to, int64_t session, ck_session_visit visit, void *visitor,
                            ck_error *err) {
  return visit_sessions(to, CK_SQL_LIST_FORKS, session, visit, visitor, err);
}

/* ---- seqs ---- */

/* The first column of all rows; `checked`: the second one says whether the row is sound. */
static ck_status read_seqs(int64_t **out, size_t *count, ck_binder *binder, bool checked,
                           ck_error *err) {
  size_t cap = 0;
  while (ck_binder_next(binder) == SQLITE_ROW) {
    if (checked && !sqlite3_column_int(binder->stmt, 1))
      return ck_error_set(err, CK_E_CORRUPT,
                          "the pin at seq %lld is not what was written: its check differs",
                          (long long)sqlite3_column_int64(binder->stmt, 0));
    if (*count == cap) {
      cap = cap ? cap * 2 : 8;
      int64_t *grown = reallocarray(*out, cap, sizeof **out);
      if (!grown) return ck_error_no_memory(err);
      *out = grown;
    }
    (*out)[(*count)++] = sqlite3_column_int64(binder->stmt, 0);
  }
  return CK_OK;
}

static ck_status drop_seqs(int64_t **out, size_t *count, ck_status status) {
  if (status == CK_OK) return CK_OK;
  free(*out);
  *out = NULL;
  *count = 0;
  return status;
}

ck_status ck_sqlite_read_bases(int64_t **out, size_t *count, ck_sqlite *self,
                               ck_connection *connection, int64_t session, ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_binder binder = ck_binder_of(connection, CK_SQL_LIST_BASES);
  ck_bind_int(&binder, session);
  ck_status status = read_seqs(out, count, &binder, false, err);
  if (status == CK_OK && binder.code != SQLITE_DONE)
    status = ck_sqlite_error(self, connection->db, binder.code, "list what forks go on from", err);
  ck_binder_clear(&binder);
  return drop_seqs(out, count, status);
}

static ck_status list_bases(int64_t **out, size_t *count, void *to, int64_t session,
                            ck_error *err) {
  ck_connection *reader;
  *out = NULL;
  *count = 0;
  ck_status status = ck_sqlite_get_reader(&reader, to, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_read_bases(out, count, to, reader, session, err);
  ck_sqlite_put_reader(to, reader);
  return status;
}

static ck_status list_pins(int64_t **out, size_t *count, void *to, int64_t session, ck_error *err) {
  *out = NULL;
  *count = 0;
  reading read;
  ck_status status = begin(&read, to, CK_SQL_LIST_PINS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  status = read_seqs(out, count, &read.binder, true, err);
  return drop_seqs(out, count, end(&read, status, "list pins", err));
}

static void read_timeline(ck_timeline *out, sqlite3_stmt *stmt) {
  *out = (ck_timeline){
      .no = sqlite3_column_int64(stmt, 0),
      .parent = sqlite3_column_int64(stmt, 1),
      .cut = sqlite3_column_int64(stmt, 2),
      .begin = sqlite3_column_int64(stmt, 3),
      .checkpoint = sqlite3_column_int64(stmt, 4),
      .attempt = (uint32_t)sqlite3_column_int64(stmt, 5),
  };
  copy_id(out->run, stmt, 6);
  copy_id(out->parent_run, stmt, 7);
}

static ck_status list_timelines(ck_timeline **out, size_t *count, void *to, int64_t session,
                                ck_error *err) {
  *out = NULL;
  *count = 0;
  reading read;
  ck_status status = begin(&read, to, CK_SQL_LIST_TIMELINES, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  size_t cap = 0;
  while (status == CK_OK && ck_binder_next(&read.binder) == SQLITE_ROW) {
    if (*count == cap) {
      cap = cap ? cap * 2 : 8;
      ck_timeline *grown = reallocarray(*out, cap, sizeof **out);
      if (grown)
        *out = grown;
      else
        status = ck_error_no_memory(err);
    }
    if (status == CK_OK) read_timeline(&(*out)[(*count)++], read.binder.stmt);
    if (status == CK_OK && !sqlite3_column_int(read.binder.stmt, 8))
      status = ck_error_set(err, CK_E_CORRUPT,
                            "timeline %lld in store %s is not what was written: its check differs",
                            (long long)(*out)[*count - 1].no, read.store->path);
  }
  status = end(&read, status, "list timelines", err);
  if (status != CK_OK) {
    free(*out);
    *out = NULL;
    *count = 0;
  }
  return status;
}

static ck_status last_seq(int64_t *out, void *to, int64_t session, ck_error *err) {
  *out = 0;
  reading read;
  ck_status status = begin(&read, to, CK_SQL_LAST_SEQ, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) *out = sqlite3_column_int64(read.binder.stmt, 0);
  return end(&read, CK_OK, "read its last event", err);
}

static ck_status count_events(int64_t *out, void *to, int64_t session, ck_error *err) {
  *out = 0;
  reading read;
  ck_status status = begin(&read, to, CK_SQL_COUNT_EVENTS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) *out = sqlite3_column_int64(read.binder.stmt, 0);
  return end(&read, CK_OK, "count its events", err);
}

/* ---- events and checkpoints ---- */

static void bind_range(ck_binder *binder, int64_t session, int64_t after, int64_t until) {
  ck_bind_int(binder, session);
  ck_bind_int(binder, after);
  ck_bind_int(binder, until ? until : INT64_MAX);
}

ck_event_row ck_sqlite_event_row(sqlite3_stmt *stmt) {
  const char *scope = column_text(stmt, 4);
  return (ck_event_row){
      .seq = sqlite3_column_int64(stmt, 0),
      .timeline = sqlite3_column_int64(stmt, 1),
      .kind = (ck_event_kind)sqlite3_column_int(stmt, 2),
      .at_ms = sqlite3_column_int64(stmt, 3),
      .scope = scope ? scope : "",
      .agent = column_text(stmt, 5),
      .encoding = sqlite3_column_int(stmt, 6),
      .plain_len = sqlite3_column_int64(stmt, 7),
      .check = sqlite3_column_int64(stmt, 8),
      .body = column_bytes(stmt, 9),
      .mac = column_bytes(stmt, 10),
      .key_id = column_bytes(stmt, 11),
  };
}

static ck_status read_events(void *to, const ck_event_rows *rows, ck_event_row_visit visit,
                             void *visitor, ck_error *err) {
  reading read;
  ck_status status = begin(&read, to, rows->backward ? CK_SQL_EVENTS_BACKWARD : CK_SQL_EVENTS, err);
  if (status != CK_OK) return status;
  bind_range(&read.binder, rows->session, rows->after, rows->until);
  ck_bind_int(&read.binder,
              rows->kinds ? 63 - __builtin_clzll(rows->kinds) : INT64_MAX); /* the highest */
  ck_bind_int(&read.binder, rows->kinds ? (int64_t)rows->kinds : -1);
  ck_bind_text(&read.binder, rows->agent);
  ck_bind_int(&read.binder, (int64_t)rows->others);
  bool more = true;
  while (more && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_event_row row = ck_sqlite_event_row(read.binder.stmt);
    more = visit(visitor, &row);
  }
  return end(&read, CK_OK, "read events", err);
}

/* A digest of another length stays zero, which no content has: the row is then found corrupt by
 * whoever verifies it. */
static ck_digest column_digest(sqlite3_stmt *stmt, int column) {
  ck_digest digest = {{0}};
  ck_bytes bytes = column_bytes(stmt, column);
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
      .mac = column_bytes(stmt, 24),
      .key_id = column_bytes(stmt, 25),
      .info = column_bytes(stmt, 26),
      .payload = {sqlite3_column_blob(stmt, 28), (size_t)sqlite3_column_int64(stmt, 27)},
  };
  copy_id(out->id, stmt, 0);
}

static ck_status read_checkpoints(void *to, const ck_checkpoint_rows *rows,
                                  ck_checkpoint_row_visit visit, void *visitor, ck_error *err) {
  static const ck_sql statements[2][2] = {{CK_SQL_CHECKPOINTS, CK_SQL_CHECKPOINTS_BACKWARD},
                                          {CK_SQL_PAYLOADS, CK_SQL_PAYLOADS_BACKWARD}};
  reading read;
  ck_status status = begin(&read, to, statements[rows->payloads][rows->backward], err);
  if (status != CK_OK) return status;
  bind_range(&read.binder, rows->session, rows->after, rows->until);
  bool more = true;
  while (status == CK_OK && more && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_checkpoint_row row;
    ck_sqlite_read_checkpoint(&row, read.binder.stmt);
    if (rows->payloads && row.payload.len && !row.payload.data) {
      status =
          ck_sqlite_error(read.store, read.reader->db, sqlite3_extended_errcode(read.reader->db),
                          "read a checkpoint's payload", err);
    } else {
      more = visit(visitor, &row);
    }
  }
  return end(&read, status, "read checkpoints", err);
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
      {&out->checkpoints, "SELECT count(*) FROM checkpoint WHERE " CK_SQL_IS_WHOLE},
      {&out->keyframes,
       "SELECT count(*) FROM checkpoint WHERE keyframe = seq AND " CK_SQL_IS_WHOLE},
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

void ck_sqlite_add_reads(ck_backend *backend) {
  backend->get_session = get_session;
  backend->list_sessions = list_sessions;
  backend->get_identity = get_identity;
  backend->list_forks = list_forks;
  backend->list_pins = list_pins;
  backend->list_bases = list_bases;
  backend->list_timelines = list_timelines;
  backend->last_seq = last_seq;
  backend->count_events = count_events;
  backend->read_checkpoints = read_checkpoints;
  backend->read_events = read_events;
  backend->check = ck_sqlite_check;
  backend->get_stats = get_stats;
}
