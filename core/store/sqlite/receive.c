/* receive.c - makes a store of the rows that are given: in a new file, in one transaction. */
#include <stdlib.h>

#include "core/store/sqlite/archive.h"
#include "core/store/sqlite/hands.h"
#include "core/store/sqlite/new_file.h"

static const char doing[] = "copy into it";

static ck_bytes bytes_of(const ck_value *value) {
  return value ? ck_value_bytes(value) : (ck_bytes){NULL, 0};
}

/* ---- rows ---- */

static ck_status put_session(void *to, const ck_session_record *record, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_RECEIVE_SESSION);
  ck_bind_int(&binder, record->no);
  ck_bind_text(&binder, record->id);
  ck_bind_int(&binder, record->status);
  ck_bind_text(&binder, record->reason);
  ck_bind_int(&binder, (int64_t)record->epoch);
  ck_bind_int(&binder, record->timeline);
  ck_bind_text(&binder, record->run);
  ck_bind_int(&binder, record->created_ms);
  ck_bind_int(&binder, record->updated_ms);
  ck_bind_text(&binder, record->profile);
  ck_bind_text(&binder, record->flow);
  ck_bind_optional(&binder, bytes_of(record->input));
  ck_bind_text(&binder, record->failure);
  ck_bind_int(&binder, record->origin.session);
  ck_bind_int(&binder, record->origin.cut);
  ck_bind_int(&binder, record->restarts.count);
  ck_bind_int(&binder, record->restarts.at_ms);
  ck_bind_int(&binder, record->restarts.progress_seq);
  ck_bind_text(&binder, record->description);
  ck_bind_text(&binder, record->node);
  return ck_sqlite_write_row(self, &binder, doing, err);
}

static ck_status put_timeline(void *to, int64_t session, const ck_timeline *timeline,
                              const ck_value *about, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_TIMELINE);
  const int64_t numbers[] = {session,         timeline->no,         timeline->parent, timeline->cut,
                             timeline->begin, timeline->checkpoint, timeline->attempt};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) ck_bind_int(&binder, numbers[i]);
  ck_bind_text(&binder, timeline->run);
  ck_bind_text(&binder, timeline->parent_run);
  ck_bind_optional(&binder, bytes_of(about));
  return ck_sqlite_write_row(self, &binder, doing, err);
}

static ck_status put_head(void *to, int64_t session, const ck_head_row *row, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_HEAD);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, (int64_t)row->epoch);
  ck_bind_int(&binder, row->status);
  ck_bind_int(&binder, row->seq);
  ck_bind_blob(&binder, ck_head_row_digest(row));
  ck_bind_optional(&binder, ck_head_row_mac(row));
  ck_bind_optional(&binder, ck_head_row_key_id(row));
  return ck_sqlite_write_row(self, &binder, doing, err);
}

static ck_status put_event(void *to, int64_t session, const ck_event_row *row, ck_error *err) {
  return ck_sqlite_put_events(to, session, row, 1, err);
}

static ck_status put_checkpoint(void *to, int64_t session, const ck_checkpoint_row *row,
                                ck_error *err) {
  return ck_sqlite_put_checkpoint(to, session, row, err);
}

static ck_status put_pin(void *to, int64_t session, int64_t seq, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_PIN);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, seq);
  return ck_sqlite_write_row(self, &binder, doing, err);
}

/* It has no row when the file itself could not be read. */
static ck_status put_use(void *to, int64_t session, const ck_digest *name, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_BLOB_USE);
  ck_bind_int(&binder, session);
  ck_bind_digest(&binder, name);
  ck_status status = ck_sqlite_write(self, &binder, doing, err);
  if (status != CK_OK || sqlite3_changes64(self->writer->db) == 1) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "a file that session number %lld needs is not what was written",
                      (long long)session);
}

static ck_status put_request(void *to, const ck_request *request, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_REQUEST);
  ck_bind_int(&binder, request->session);
  ck_bind_text(&binder, request->kind);
  ck_bind_optional(&binder, bytes_of(request->body));
  return ck_sqlite_write_row(self, &binder, doing, err);
}

static ck_status end_session(void *to, int64_t session, ck_error *err) {
  (void)to, (void)session, (void)err;
  return CK_OK;
}

static ck_status put_blob(void *to, const ck_blob_row *row, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_BLOB);
  ck_bind_digest(&binder, &row->name);
  ck_bind_text(&binder, row->kind);
  ck_bind_int(&binder, row->encoding);
  ck_bind_int(&binder, row->plain_len);
  ck_bind_blob(&binder, row->body);
  return ck_sqlite_write_row(self, &binder, doing, err);
}

static ck_status put_fact(void *to, const ck_fact *fact, ck_error *err) {
  ck_sqlite *self = to;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_FACT);
  ck_bind_text(&binder, fact->owner);
  ck_bind_text(&binder, fact->key);
  ck_bind_blob(&binder, bytes_of(fact->value));
  ck_bind_int(&binder, fact->at_ms);
  return ck_sqlite_write_row(self, &binder, doing, err);
}

static ck_copy_sink sink_of(ck_sqlite *self) {
  return (ck_copy_sink){.self = self,
                        .session = put_session,
                        .timeline = put_timeline,
                        .head = put_head,
                        .event = put_event,
                        .checkpoint = put_checkpoint,
                        .pin = put_pin,
                        .use = put_use,
                        .request = put_request,
                        .end_session = end_session,
                        .blob = put_blob,
                        .fact = put_fact};
}

/* ---- the store ---- */

typedef struct receiving {
  ck_sqlite draft; /* through one connection, in its transaction */
  const ck_receiving *what;
} receiving;

static ck_status put_meta(ck_sqlite *self, const char *key, ck_bytes value, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_RECEIVE_META);
  ck_bind_text(&binder, key);
  ck_bind_blob(&binder, value);
  return ck_sqlite_write(self, &binder, doing, err);
}

static ck_status put_identity(ck_sqlite *self, const ck_receiving *what, ck_error *err) {
  ck_bytes salt = {(const char *)what->fingerprint_key, CK_SQLITE_KEY_SIZE};
  ck_status status = put_meta(self, "fingerprint_key", salt, err);
  if (status != CK_OK || !what->key_entry.len) return status;
  return put_meta(self, "key", what->key_entry, err);
}

static ck_status fill(void *to, ck_error *err) {
  receiving *self = to;
  ck_backend made = {0};
  ck_copy_sink sink = sink_of(&self->draft);
  ck_sqlite_add_functions(&made, &self->draft);
  ck_status status = put_identity(&self->draft, self->what, err);
  if (status == CK_OK) status = self->what->fill(self->what->to, &sink, &made, err);
  if (status != CK_OK) return status;
  return ck_inventory_make_in(&self->draft, self->draft.writer->db, self->what->generation, err);
}

static ck_status write_draft(void *to, char *path, ck_error *err) {
  receiving *self = to;
  self->draft.path = path;
  ck_status status =
      ck_connection_open(&self->draft.writer, &self->draft, CK_CONNECTION_DRAFT, err);
  if (status != CK_OK) return status;
  self->draft.snapshot = self->draft.writer;
  status = ck_sqlite_make_schema(&self->draft, self->draft.writer->db, fill, self, err);
  ck_connection_close(self->draft.writer);
  return status;
}

ck_status ck_backend_receive_sqlite(const char *path, const ck_receiving *what, ck_error *err) {
  char *whole = NULL;
  receiving self = {.what = what, .draft = {.schema = CK_STORE_SCHEMA, .seal = what->seal}};
  ck_status status = ck_sqlite_resolve(&whole, path, false, err);
  ck_new_file file = {
      .path = whole, .write = write_draft, .self = &self, .before = what->before, .to = what->to};
  if (status == CK_OK) status = ck_sqlite_check_hands(whole, err);
  if (status == CK_OK) status = ck_new_file_make(&file, err);
  free(whole);
  return status;
}
