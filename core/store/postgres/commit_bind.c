/* commit_bind.c - the arguments of a commit's statement, in the order of its text. */
#include "core/store/format/row.h"
#include "core/store/postgres/commit_sql.h"

static ck_bytes bytes_of(const ck_digest *digest) {
  return (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE};
}

/* No bytes are NULL. */
static ck_bytes optional(ck_bytes bytes) { return bytes.len ? bytes : (ck_bytes){NULL, 0}; }

/* An event's columns behind its session: integers, texts, bytes. */
enum {
  EVENT_INTS = 7,
  EVENT_TEXTS = 2,
  EVENT_BLOBS = 4,
  EVENT_COLUMNS = EVENT_INTS + EVENT_TEXTS + EVENT_BLOBS
};
typedef struct event_columns {
  int64_t ints[EVENT_INTS];
  const char *texts[EVENT_TEXTS];
  ck_bytes blobs[EVENT_BLOBS];
} event_columns;

static event_columns columns_of(const ck_event_row *row) {
  return (event_columns){
      .ints = {row->seq, row->timeline, row->kind, row->at_ms, row->encoding, row->plain_len,
               row->check},
      .texts = {row->scope, row->agent},
      .blobs = {row->body.data ? row->body : ck_bytes_text(""), optional(row->mac),
                optional(row->key_id), optional(row->decision)}};
}

static void bind_event(ck_postgres_query *query, const ck_event_row *row) {
  event_columns columns = columns_of(row);
  for (size_t i = 0; i < EVENT_INTS; i++) ck_postgres_bind_int(query, columns.ints[i]);
  for (size_t i = 0; i < EVENT_TEXTS; i++) ck_postgres_bind_text(query, columns.texts[i]);
  ck_postgres_bind_blob(query, columns.blobs[0]);
  for (size_t i = 1; i < EVENT_BLOBS; i++) ck_postgres_bind_optional(query, columns.blobs[i]);
}

static void put_event(ck_buffer **to, const ck_event_row *row) {
  event_columns columns = columns_of(row);
  for (size_t i = 0; i < EVENT_INTS; i++) ck_postgres_put_int(*to++, columns.ints[i]);
  for (size_t i = 0; i < EVENT_TEXTS; i++) ck_postgres_put_text(*to++, columns.texts[i]);
  for (size_t i = 0; i < EVENT_BLOBS; i++) ck_postgres_put_bytes(*to++, columns.blobs[i]);
}

static ck_postgres_type type_of(size_t column) {
  if (column < EVENT_INTS) return CK_POSTGRES_INTS;
  return column < EVENT_INTS + EVENT_TEXTS ? CK_POSTGRES_TEXTS : CK_POSTGRES_BLOBS;
}

void ck_postgres_bind_events(ck_postgres_query *query, const ck_row_batch *batch) {
  ck_buffer *columns[EVENT_COLUMNS];
  for (size_t i = 0; i < EVENT_COLUMNS; i++)
    columns[i] = ck_postgres_begin_array(query, type_of(i), batch->event_count);
  for (size_t i = 0; i < batch->event_count; i++) put_event(columns, &batch->events[i]);
  for (size_t i = 0; i < EVENT_COLUMNS; i++) ck_postgres_end_array(query, columns[i]);
}

void ck_postgres_bind_checkpoint(ck_postgres_query *query, const ck_checkpoint_row *row) {
  int64_t numbers[CK_CHECKPOINT_ROW_INTS];
  ck_checkpoint_row_ints(numbers, row);
  ck_postgres_bind_text(query, row->id);
  for (size_t i = 0; i < CK_CHECKPOINT_ROW_INTS; i++) ck_postgres_bind_int(query, numbers[i]);
  ck_postgres_bind_blob(query, bytes_of(&row->events_digest));
  ck_postgres_bind_blob(query, bytes_of(&row->payload_digest));
  ck_postgres_bind_blob(query, bytes_of(&row->digest));
  ck_postgres_bind_optional(query, row->mac);
  ck_postgres_bind_optional(query, row->key_id);
  ck_postgres_bind_blob(query, row->info);
  ck_postgres_bind_blob(query, row->payload);
}

static void bind_update(ck_postgres_query *query, const ck_row_batch *batch) {
  const ck_session_update *update = batch->update;
  ck_postgres_bind_int(query, update->status);
  ck_postgres_bind_text(query, update->reason);
  ck_postgres_bind_text(query, update->failure);
  ck_postgres_bind_text(query, update->node);
  ck_postgres_bind_int(query, batch->at_ms);
}

static void bind_head(ck_postgres_query *query, const ck_head_row *head) {
  ck_postgres_bind_int(query, (int64_t)head->epoch);
  ck_postgres_bind_int(query, head->status);
  ck_postgres_bind_int(query, head->seq);
  ck_postgres_bind_blob(query, ck_head_row_digest(head));
  ck_postgres_bind_optional(query, ck_head_row_mac(head));
  ck_postgres_bind_optional(query, ck_head_row_key_id(head));
}

void ck_postgres_bind_commit(ck_postgres_query *out, const ck_row_batch *batch,
                             const ck_postgres_commit_as *as) {
  size_t count = batch->event_count;
  *out = (ck_postgres_query){.sql = ck_postgres_commit_of(batch, as)};
  ck_postgres_bind_int(out, batch->lease.session);
  ck_postgres_bind_int(out, (int64_t)batch->lease.epoch);
  ck_postgres_bind_int(out, as->writer);
  ck_postgres_bind_int(out, as->last_seq);
  ck_postgres_bind_int(out, count ? batch->events[count - 1].seq : CK_POSTGRES_ANY_SEQ);
  ck_postgres_bind_int(out, as->lease_ms);
  ck_postgres_bind_text(out, as->level);
  if (ck_postgres_asks_parent(batch, as)) ck_postgres_bind_int(out, batch->checkpoint->parent);
  if (batch->update) bind_update(out, batch);
  if (batch->head) bind_head(out, batch->head);
  if (batch->checkpoint) ck_postgres_bind_checkpoint(out, batch->checkpoint);
  for (size_t i = 0; i < count && count <= CK_POSTGRES_FEW_EVENTS; i++)
    bind_event(out, &batch->events[i]);
  if (count > CK_POSTGRES_FEW_EVENTS) ck_postgres_bind_events(out, batch);
}
