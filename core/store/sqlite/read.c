/* read.c - reads sessions, forks, timelines and pins. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/sqlite/reader.h"

/* Copies a text, or NULL; false without memory. */
static bool copy_text(char **out, sqlite3_stmt *stmt, int column) {
  const char *text = ck_column_text(stmt, column);
  *out = text ? strdup(text) : NULL;
  return *out || !text;
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
  ck_column_id(out->id, stmt, 1);
  ck_column_id(out->run, stmt, 6);
  bool copied = copy_text(&out->reason, stmt, 3) && copy_text(&out->profile, stmt, 9) &&
                copy_text(&out->flow, stmt, 10) && copy_text(&out->failure, stmt, 13) &&
                copy_text(&out->description, stmt, 19) && copy_text(&out->node, stmt, 20);
  ck_bytes input = ck_column_bytes(stmt, 11);
  ck_status status = copied ? CK_OK : ck_error_no_memory(err);
  bool sealed = input.len &&
                (unsigned char)*input.data <
                    ' '; /* the mark of sealed values (sealed/sealed.h), opened and checked there */
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
  ck_reader read;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_GET_SESSION, err);
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
  return ck_reader_end(&read, status, "read a session", err);
}

static ck_status get_identity(ck_identity *out, void *to, int64_t session, ck_error *err) {
  *out = (ck_identity){0};
  ck_sqlite *self = to;
  ck_reader read;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_GET_IDENTITY, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  int code = ck_binder_next(&read.binder);
  if (code == SQLITE_ROW) {
    sqlite3_stmt *stmt = read.binder.stmt;
    ck_column_id(out->id, stmt, 0);
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
  return ck_reader_end(&read, status, "read a session", err);
}

/* Ends `read`. */
static ck_status visit_sessions(ck_reader *read, ck_session_visit visit, void *visitor,
                                ck_error *err) {
  ck_status status = CK_OK;
  bool more = true;
  while (status == CK_OK && more && ck_binder_next(&read->binder) == SQLITE_ROW) {
    ck_session_record record;
    status = read_record(&record, read->binder.stmt, err);
    if (status == CK_OK) more = visit(visitor, &record);
    if (status == CK_OK) ck_session_record_clear(&record);
  }
  return ck_reader_end(read, status, "list its sessions", err);
}

/* JSON writes it as it is; a name of other characters is not looked for here. */
static const char *plain_name(const char *name) {
  for (const char *c = name; c && *c; c++)
    if (*c < ' ' || *c > '~' || strchr("\"\\/", *c)) return NULL;
  return name;
}

static ck_status list_sessions(void *to, const ck_session_query *query, ck_session_visit visit,
                               void *visitor, ck_error *err) {
  ck_reader read;
  bool lean = query->lean && ((const ck_sqlite *)to)->schema == CK_STORE_SCHEMA;
  ck_status status =
      ck_reader_begin(&read, to, lean ? CK_SQL_LIST_LEAN : CK_SQL_LIST_SESSIONS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, (int64_t)(query->statuses ? query->statuses : UINT64_MAX));
  ck_bind_int(&read.binder, query->since_ms);
  if (lean) return visit_sessions(&read, visit, visitor, err);
  ck_bind_text(&read.binder, query->agent);
  ck_bind_int(&read.binder, (int64_t)query->others);
  ck_bind_text(&read.binder, plain_name(query->flow_name));
  const char *named = plain_name(query->agent);
  ck_bind_optional(&read.binder, named ? ck_bytes_text(named) : (ck_bytes){NULL, 0});
  return visit_sessions(&read, visit, visitor, err);
}

static ck_status group_sessions(void *to, ck_session_group_visit visit, void *visitor,
                                ck_error *err) {
  ck_reader read;
  bool more = true;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_GROUP, err);
  if (status != CK_OK) return status;
  sqlite3_stmt *stmt = read.binder.stmt;
  while (more && ck_binder_next(&read.binder) == SQLITE_ROW)
    more = visit(visitor,
                 &(ck_session_group){.status = (ck_session_status)sqlite3_column_int64(stmt, 0),
                                     .reason = ck_column_text(stmt, 1),
                                     .count = sqlite3_column_int64(stmt, 2),
                                     .updated_ms = sqlite3_column_int64(stmt, 3)});
  return ck_reader_end(&read, CK_OK, "count its sessions", err);
}

static ck_status list_forks(void *to, int64_t session, ck_session_visit visit, void *visitor,
                            ck_error *err) {
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_LIST_FORKS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  return visit_sessions(&read, visit, visitor, err);
}

/* ---- seqs ---- */

/* The first column of all rows. `checked`: the second column tells whether the row's check
 * matches. */
static ck_status read_seqs(int64_t **out, size_t *count, ck_binder *binder, bool checked,
                           ck_error *err) {
  size_t cap = 0;
  while (ck_binder_next(binder) == SQLITE_ROW) {
    if (checked && !sqlite3_column_int(binder->stmt, 1))
      return ck_error_set(err, CK_E_CORRUPT,
                          "the pin at seq %lld is not what was written: its check differs",
                          (long long)sqlite3_column_int64(binder->stmt, 0));
    int64_t *grown = ck_array_grow(*out, *count, &cap, sizeof **out);
    if (!grown) return ck_error_no_memory(err);
    *out = grown;
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
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_LIST_PINS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  status = read_seqs(out, count, &read.binder, true, err);
  return drop_seqs(out, count, ck_reader_end(&read, status, "list pins", err));
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
  ck_column_id(out->run, stmt, 6);
  ck_column_id(out->parent_run, stmt, 7);
}

static ck_status list_timelines(ck_timeline **out, size_t *count, void *to, int64_t session,
                                ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_LIST_TIMELINES, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  size_t cap = 0;
  while (status == CK_OK && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_timeline *grown = ck_array_grow(*out, *count, &cap, sizeof **out);
    if (grown)
      *out = grown;
    else
      status = ck_error_no_memory(err);
    if (status == CK_OK) read_timeline(&(*out)[(*count)++], read.binder.stmt);
    if (status == CK_OK && !sqlite3_column_int(read.binder.stmt, 8))
      status = ck_error_set(err, CK_E_CORRUPT,
                            "timeline %lld in store %s is not what was written: its check differs",
                            (long long)(*out)[*count - 1].no, read.store->path);
  }
  status = ck_reader_end(&read, status, "list timelines", err);
  if (status != CK_OK) {
    free(*out);
    *out = NULL;
    *count = 0;
  }
  return status;
}

void ck_sqlite_add_reads(ck_backend *backend) {
  backend->get_session = get_session;
  backend->list_sessions = list_sessions;
  backend->worker.group = group_sessions;
  backend->get_identity = get_identity;
  backend->list_forks = list_forks;
  backend->list_pins = list_pins;
  backend->list_bases = list_bases;
  backend->list_timelines = list_timelines;
}
