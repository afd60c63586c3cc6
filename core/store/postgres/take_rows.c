/* take_rows.c - a sink that writes the rows which it is given, in one transaction. */
#include <stdlib.h>
#include <string.h>

#include "core/store/format/arena.h"
#include "core/store/postgres/postgres.h"

static const char doing[] = "copy into it";
enum { PAGE_EVENTS = 200, PAGE_BYTES = 1 << 20 };

/* Events go in pages: a round trip for each would take most of the time. */
typedef struct receiving {
  ck_postgres *store;
  int64_t session;
  ck_event_row events[PAGE_EVENTS];
  size_t count, bytes;
  ck_arena arena; /* what they point to */
} receiving;

static ck_bytes bytes_of(const ck_value *value) {
  return value ? ck_value_bytes(value) : (ck_bytes){NULL, 0};
}

static ck_status put(receiving *self, ck_postgres_query *query, ck_error *err) {
  int rows;
  ck_status status = ck_postgres_write(&rows, self->store->writer, query, doing, err);
  if (status != CK_OK || rows == 1) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s: cannot copy into it: a row of session number %lld belongs to "
                      "nothing that is there",
                      self->store->url.name, (long long)self->session);
}

/* ---- sessions ---- */

static ck_status put_session(void *to, const ck_session_record *record, ck_error *err) {
  receiving *self = to;
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_SESSION};
  self->session = record->no;
  ck_postgres_bind_int(&query, record->no);
  ck_postgres_bind_text(&query, record->id);
  ck_postgres_bind_int(&query, record->status);
  ck_postgres_bind_text(&query, record->reason);
  ck_postgres_bind_int(&query, (int64_t)record->epoch);
  ck_postgres_bind_int(&query, record->timeline);
  ck_postgres_bind_text(&query, record->run);
  ck_postgres_bind_int(&query, record->created_ms);
  ck_postgres_bind_int(&query, record->updated_ms);
  ck_postgres_bind_text(&query, record->profile);
  ck_postgres_bind_text(&query, record->flow);
  ck_postgres_bind_optional(&query, bytes_of(record->input));
  ck_postgres_bind_text(&query, record->failure);
  ck_postgres_bind_int(&query, record->origin.session);
  ck_postgres_bind_int(&query, record->origin.cut);
  ck_postgres_bind_int(&query, record->restarts.count);
  ck_postgres_bind_int(&query, record->restarts.at_ms);
  ck_postgres_bind_int(&query, record->restarts.progress_seq);
  ck_postgres_bind_text(&query, record->description);
  ck_postgres_bind_text(&query, record->node);
  return put(self, &query, err);
}

static ck_status put_timeline(void *to, int64_t session, const ck_timeline *timeline,
                              const ck_value *about, ck_error *err) {
  receiving *self = to;
  return ck_postgres_put_timeline(self->store, session, timeline, bytes_of(about), err);
}

static ck_status put_head(void *to, int64_t session, const ck_head_row *row, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_HEAD};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, (int64_t)row->epoch);
  ck_postgres_bind_int(&query, row->status);
  ck_postgres_bind_int(&query, row->seq);
  ck_postgres_bind_blob(&query, ck_head_row_digest(row));
  ck_postgres_bind_optional(&query, ck_head_row_mac(row));
  ck_postgres_bind_optional(&query, ck_head_row_key_id(row));
  return put(to, &query, err);
}

/* ---- events ---- */

static ck_status send_events(receiving *self, ck_error *err) {
  ck_row_batch page = {.events = self->events, .event_count = self->count};
  if (!self->count) return CK_OK;
  ck_postgres_query *query = calloc(1, sizeof *query);
  if (!query) return ck_error_no_memory(err);
  query->sql = CK_POSTGRES_RECEIVE_EVENTS;
  ck_postgres_bind_int(query, self->session);
  ck_postgres_bind_events(query, &page);
  ck_status status = ck_postgres_write(NULL, self->store->writer, query, doing, err);
  free(query);
  self->count = self->bytes = 0;
  ck_arena_reset(&self->arena);
  return status;
}

static bool keep_bytes(receiving *self, ck_bytes *bytes) {
  if (!bytes->len) return true;
  char *copy = ck_arena_push(&self->arena, bytes->len);
  if (!copy) return false;
  bytes->data = memcpy(copy, bytes->data, bytes->len);
  self->bytes += bytes->len;
  return true;
}

static bool keep_text(receiving *self, const char **text) {
  if (!*text) return true;
  ck_bytes bytes = {*text, strlen(*text) + 1};
  bool kept = keep_bytes(self, &bytes);
  *text = bytes.data;
  return kept;
}

static ck_status put_event(void *to, int64_t session, const ck_event_row *row, ck_error *err) {
  receiving *self = to;
  ck_event_row *kept = &self->events[self->count];
  *kept = *row;
  (void)session;
  if (!keep_text(self, &kept->scope) || !keep_text(self, &kept->agent) ||
      !keep_bytes(self, &kept->body) || !keep_bytes(self, &kept->mac) ||
      !keep_bytes(self, &kept->key_id) || !keep_bytes(self, &kept->decision))
    return ck_error_no_memory(err);
  self->count++;
  bool full = self->count == PAGE_EVENTS || self->bytes >= PAGE_BYTES;
  return full ? send_events(self, err) : CK_OK;
}

/* ---- what else a session has ---- */

static ck_status put_checkpoint(void *to, int64_t session, const ck_checkpoint_row *row,
                                ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_CHECKPOINT};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_checkpoint(&query, row);
  return put(to, &query, err);
}

static ck_status put_pin(void *to, int64_t session, int64_t seq, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_PIN};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, seq);
  return put(to, &query, err);
}

/* It has no row when the file itself could not be read. */
static ck_status put_use(void *to, int64_t session, const ck_digest *name, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_USE};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_blob(&query, (ck_bytes){(const char *)name->bytes, CK_DIGEST_SIZE});
  return put(to, &query, err);
}

static ck_status put_request(void *to, const ck_request *request, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_REQUEST};
  ck_postgres_bind_int(&query, request->session);
  ck_postgres_bind_text(&query, request->kind);
  ck_postgres_bind_optional(&query, bytes_of(request->body));
  return put(to, &query, err);
}

static ck_status end_session(void *to, int64_t session, ck_error *err) {
  receiving *self = to;
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_END};
  ck_status status = send_events(self, err);
  if (status != CK_OK) return status;
  ck_postgres_bind_int(&query, session);
  return put(self, &query, err);
}

static ck_status put_blob(void *to, const ck_blob_row *row, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_BLOB};
  ck_postgres_bind_blob(&query, (ck_bytes){(const char *)row->name.bytes, CK_DIGEST_SIZE});
  ck_postgres_bind_text(&query, row->kind);
  ck_postgres_bind_int(&query, row->encoding);
  ck_postgres_bind_int(&query, row->plain_len);
  ck_postgres_bind_blob(&query, row->body);
  return put(to, &query, err);
}

static ck_status put_fact(void *to, const ck_fact *fact, ck_error *err) {
  receiving *self = to;
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_FACT};
  ck_postgres_bind_text(&query, fact->owner);
  ck_postgres_bind_text(&query, fact->key);
  ck_postgres_bind_blob(&query, bytes_of(fact->value));
  ck_postgres_bind_int(&query, fact->at_ms);
  return ck_postgres_write(NULL, self->store->writer, &query, doing, err);
}

/* ---- back into a store that has others ---- */

static ck_status next_number(void *to, int64_t *out, ck_error *err) {
  receiving *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_NEXT_NUMBER};
  ck_status status = ck_postgres_run(&result, self->store->writer, &query, doing, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->store->pq, result);
  *out = ck_postgres_int(&row, 0);
  self->store->pq->clear(result);
  return CK_OK;
}

static void bind_place(ck_postgres_query *query, ck_lease lease, const ck_checkpoint_row *row) {
  ck_postgres_bind_int(query, lease.session);
  ck_postgres_bind_int(query, row->seq);
  ck_postgres_bind_blob(query, (ck_bytes){(const char *)row->digest.bytes, CK_DIGEST_SIZE});
}

static ck_status return_payload(void *to, ck_lease lease, const ck_checkpoint_row *row,
                                bool *is_same, bool *changed, ck_error *err) {
  receiving *self = to;
  int found = 0, written = 0;
  ck_postgres_query find = {.sql = CK_POSTGRES_IS_CHECKPOINT};
  ck_postgres_query query = {.sql = CK_POSTGRES_RETURN_PAYLOAD};
  *is_same = *changed = false;
  ck_status status = ck_postgres_check_lease(self->store, lease, err);
  bind_place(&find, lease, row);
  if (status == CK_OK) status = ck_postgres_write(&found, self->store->writer, &find, doing, err);
  *is_same = found > 0;
  if (status != CK_OK || !found) return status;
  bind_place(&query, lease, row);
  ck_postgres_bind_int(&query, row->keyframe);
  ck_postgres_bind_int(&query, row->encoding);
  ck_postgres_bind_int(&query, row->plain_len);
  ck_postgres_bind_blob(&query,
                        (ck_bytes){(const char *)row->payload_digest.bytes, CK_DIGEST_SIZE});
  ck_postgres_bind_optional(&query, row->mac);
  ck_postgres_bind_optional(&query, row->key_id);
  ck_postgres_bind_blob(&query, row->info);
  ck_postgres_bind_blob(&query, row->payload);
  status = ck_postgres_write(&written, self->store->writer, &query, doing, err);
  *changed = written > 0;
  return status;
}

static ck_copy_sink sink_of(receiving *self) {
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
                        .fact = put_fact,
                        .number = next_number,
                        .payload = return_payload};
}

/* ---- all ---- */

/* What is read of it is read in its transaction, by its connection. */
ck_status ck_postgres_take_rows(ck_postgres *self, ck_postgres_fill fill, void *with,
                                ck_error *err) {
  receiving *rows = calloc(1, sizeof *rows);
  if (!rows) return ck_error_no_memory(err);
  rows->store = self;
  self->snapshot = self->writer;
  ck_copy_sink sink = sink_of(rows);
  ck_status status = fill(with, &sink, err);
  self->snapshot = NULL;
  ck_arena_clear(&rows->arena);
  free(rows);
  return status;
}

ck_status ck_postgres_take_back(void *to, ck_postgres_fill fill, void *with, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_postgres_exec(self->writer, "SET LOCAL idle_in_transaction_session_timeout = 0",
                            doing, err);
  if (status == CK_OK) status = ck_postgres_check_key(self, err);
  if (status == CK_OK) status = ck_postgres_take_rows(self, fill, with, err);
  return ck_postgres_end(self, status, err);
}
