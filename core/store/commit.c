/* commit.c - turns a round of batches into rows: bodies compressed, checkpoints chained. */
#include <string.h>

#include "core/base/clock.h"
#include "core/base/reserve.h"
#include "core/store/blob.h"
#include "core/store/prepared.h"
#include "core/store/store_core.h"
#include "core/store/format/row.h"

enum { HEAD_MS = 1000 };

/* ---- events ---- */

/* Rows of events, bodies compressed, and their digests; in the arena. */
typedef struct encoded_events {
  ck_event_row *events;
  ck_digest *digests;
} encoded_events;

static ck_status pack_event(ck_event_row *row, ck_store *self, const ck_prepared_event *prepared,
                            ck_error *err) {
  ck_bytes packed;
  if (!ck_compress_wants(&self->compress, row->body.len)) return CK_OK;
  if (prepared && prepared->tried) {
    packed = prepared->packed;
  } else {
    char *to = ck_arena_push(&self->arena, row->body.len);
    if (!to) return ck_error_no_memory(err);
    packed = (ck_bytes){to, ck_compress_encode(&self->compress, to, row->body)};
    ck_arena_trim(&self->arena, to, packed.len);
  }
  if (packed.len == 0) return CK_OK;
  row->encoding = CK_ENCODING_ZSTD;
  row->body = packed;
  return CK_OK;
}

static ck_status encode_event(ck_event_row *row, ck_digest *digest, ck_store *self,
                              const ck_event *event, const ck_prepared_event *prepared,
                              ck_error *err) {
  *row = ck_prepared_row(event);
  *digest = prepared ? prepared->digest : ck_chain_digest_event(row, row->body);
  row->check = ck_chain_check_of_event(digest, event->decision);
  if (row->body.len > (size_t)CK_PLAIN_MAX)
    return ck_error_set(err, CK_E_OVERSIZE,
                        "event %lld: a body of %zu bytes; at most %lld can be kept",
                        (long long)event->seq, row->body.len, (long long)CK_PLAIN_MAX);
  return pack_event(row, self, prepared, err);
}

static ck_status encode_events(encoded_events *out, ck_store *self, ck_event *const *events,
                               size_t count, const ck_prepared_event *prepared, ck_error *err) {
  *out = (encoded_events){0};
  if (count == 0) return CK_OK;
  ck_event_row *rows = ck_arena_push(&self->arena, count * sizeof *rows);
  ck_digest *digests = ck_arena_push(&self->arena, count * sizeof *digests);
  if (!rows || !digests) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) {
    ck_status status =
        encode_event(&rows[i], &digests[i], self, events[i], prepared ? &prepared[i] : NULL, err);
    if (status) return status;
  }
  *out = (encoded_events){.events = rows, .digests = digests};
  return CK_OK;
}

ck_status ck_store_core_encode_blobs(const ck_blob_row **out, ck_store *self, const ck_blob *list,
                                     size_t count, ck_error *err) {
  *out = NULL;
  if (!count) return CK_OK;
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_BLOB, self->url, err);
  if (status) return status;
  ck_blob_row *rows = ck_arena_push(&self->arena, count * sizeof *rows);
  if (!rows) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) {
    if (list[i].bytes.len > CK_PLAIN_MAX)
      return ck_error_set(err, CK_E_OVERSIZE, "a %s of %zu bytes, more than are kept", list[i].kind,
                          list[i].bytes.len);
    rows[i] = (ck_blob_row){.name = ck_digest_of(list[i].bytes),
                            .kind = list[i].kind,
                            .encoding = CK_ENCODING_PLAIN,
                            .plain_len = (int64_t)list[i].bytes.len,
                            .body = list[i].bytes};
  }
  *out = rows;
  return CK_OK;
}

/* ---- loading what a chain continues ---- */

typedef struct tail_walk {
  ck_store *store;
  ck_chain *chain;
  ck_status status;
  ck_error *err;
} tail_walk;

static bool append_stored(void *to, const ck_event_row *row) {
  tail_walk *tail = to;
  ck_row_body body = {.compress = &tail->store->compress, .space = &tail->store->space};
  tail->status = ck_row_open_body(&body, row, tail->err);
  if (tail->status) {
    ck_error_prefix(tail->err, "session %s, event %lld", ck_chain_session(tail->chain),
                    (long long)row->seq);
    return false;
  }
  tail->status = ck_chain_append_event(tail->chain, row->seq, &body.digest, tail->err);
  return tail->status == CK_OK;
}

static ck_status load_tail(ck_store *self, ck_held_lease *held, ck_error *err) {
  int64_t covers, session = held->lease.session;
  if (ck_chain_has_tail(held->chain)) return CK_OK;
  ck_status status = ck_store_core_get_last(&covers, self, session, err);
  if (status) return status;
  tail_walk tail = {self, held->chain, CK_OK, err};
  ck_chain_begin_tail(held->chain, covers);
  status = self->backend.read_events(self->backend.self,
                                     &(ck_event_rows){.session = session, .after = covers},
                                     append_stored, &tail, err);
  if (!status) status = tail.status;
  if (status) ck_chain_drop(held->chain);
  return status;
}

static ck_status load_state(ck_store *self, ck_held_lease *held, int64_t parent, ck_error *err) {
  ck_kept_state of;
  if (ck_chain_is_at(held->chain, parent)) return CK_OK;
  int64_t session = held->lease.session;
  ck_status status = ck_kept_state_get(&of, self, session, parent, err);
  ck_kept_state_drop(&self->kept_state, session);
  if (!status && !of.state && parent == 0)
    status = ck_state_new(&of.state, err);
  else if (!status && !of.state)
    status = ck_store_core_load(&(ck_load_request){.state = &of.state, .digest = &of.digest}, self,
                                session, parent, err);
  if (!status) ck_chain_begin_state(held->chain, of.state, parent, &of.digest, &of.base);
  return status;
}

/* ---- checkpoints ---- */

static ck_status store_payload(ck_checkpoint_row *row, ck_store *self, ck_error *err) {
  ck_bytes plain = ck_buffer_bytes(&self->plain);
  char *to = ck_arena_push(&self->arena, plain.len);
  if (!to) return ck_error_no_memory(err);
  size_t len = ck_compress_encode(&self->compress, to, plain);
  row->encoding = len ? CK_ENCODING_ZSTD : CK_ENCODING_PLAIN;
  if (len == 0) memcpy(to, plain.data, len = plain.len);
  ck_arena_trim(&self->arena, to, len);
  row->payload = (ck_bytes){to, len};
  row->payload_digest = ck_digest_of(row->payload);
  return CK_OK;
}

static ck_status encode_checkpoint(ck_checkpoint_row **out, ck_store *self, ck_held_lease *held,
                                   const ck_checkpoint *checkpoint, int64_t timeline,
                                   ck_error *err) {
  ck_status status = load_state(self, held, checkpoint->parent, err);
  if (status) return status;
  ck_checkpoint_row *row = ck_arena_push(&self->arena, sizeof *row);
  if (!row) return ck_error_no_memory(err);
  status = ck_chain_encode(row, &self->plain, held->chain, checkpoint, timeline, err);
  if (!status) status = store_payload(row, self, err);
  if (!status) *out = row;
  return status;
}

/* ---- batches ---- */

static int64_t wall_ms(void) {
  ck_clock clock = ck_clock_system();
  return clock.wall_ms(clock.self);
}

/* The checkpoint covers the events up to its own; later ones belong to the next checkpoint. */
static ck_status chain_batch(ck_checkpoint_row **out, ck_store *self, ck_held_lease *held,
                             const ck_batch *batch, const encoded_events *rows, ck_error *err) {
  const ck_event_row *events = rows->events;
  const ck_checkpoint *checkpoint = batch->checkpoint;
  ck_status status = load_tail(self, held, err);
  for (size_t i = 0; i < batch->event_count && !status; i++) {
    status = ck_chain_append_event(held->chain, events[i].seq, &rows->digests[i], err);
    if (!status && checkpoint && events[i].seq == checkpoint->seq)
      status = encode_checkpoint(out, self, held, checkpoint, events[i].timeline, err);
  }
  if (!status && checkpoint && !*out)
    status =
        ck_error_set(err, CK_E_RANGE, "session %s, checkpoint %s: seq %lld is not among its events",
                     ck_chain_session(held->chain), checkpoint->id, (long long)checkpoint->seq);
  return status;
}

/* For a session that is being created (`record`), the chain begins with the state inherited from
 * its origin; else with what the session holds. */
static ck_status begin_chain(ck_held_lease *held, ck_store *self, const ck_session_record *record,
                             const ck_opening *opening, ck_error *err) {
  ck_session_record there = {0};
  if (record) {
    held->lease.session = record->origin.session;
    ck_chain_begin_tail(held->chain, record->origin.cut);
    return CK_OK;
  }
  ck_status status = ck_store_get_session(&there, self, ck_chain_session(held->chain), err);
  held->lease.session = there.no;
  ck_session_record_clear(&there);
  if (!status) status = load_tail(self, held, err);
  if (!status && opening->event_count && !ck_chain_follows(held->chain, opening->events[0]->seq))
    status = ck_error_set(err, CK_E_RANGE, "session %s: event %lld does not follow its last one",
                          ck_chain_session(held->chain), (long long)opening->events[0]->seq);
  return status;
}

ck_status ck_store_core_encode_opening(ck_row_opening *out, ck_store *self, ck_chain *chain,
                                       uint64_t epoch, const ck_session_record *record,
                                       const ck_opening *opening, ck_error *err) {
  encoded_events rows;
  ck_checkpoint_row *checkpoint = NULL;
  ck_held_lease held = {.chain = chain};
  ck_batch batch = {.events = opening->events,
                    .event_count = opening->event_count,
                    .checkpoint = opening->checkpoint};
  *out = (ck_row_opening){0};
  self->compress.from = opening->compress_from;
  ck_status status = encode_events(&rows, self, opening->events, opening->event_count, NULL, err);
  if (!status && opening->checkpoint) {
    status = begin_chain(&held, self, record, opening, err);
    if (!status) status = chain_batch(&checkpoint, self, &held, &batch, &rows, err);
  }
  const ck_blob_row *blobs = NULL;
  if (!status)
    status = ck_store_core_encode_blobs(&blobs, self, opening->blobs, opening->blob_count, err);
  size_t last = opening->event_count - 1;
  if (!status)
    *out = (ck_row_opening){.timeline = opening->timeline,
                            .events = rows.events,
                            .event_count = opening->event_count,
                            .checkpoint = checkpoint,
                            .update = opening->update,
                            .restarts = opening->restarts,
                            .about = opening->about,
                            .unsealed = opening->unsealed,
                            .blobs = blobs,
                            .blob_count = opening->blob_count};
  if (!status && opening->event_count)
    out->head =
        ck_head_row_of(epoch, opening->update ? opening->update->status : CK_SESSION_RUNNING,
                       rows.events[last].seq, &rows.digests[last]);
  return status;
}

/* A change of status says how far the session has come, and so does a power-durable checkpoint a
 * second after that was said last: what is cut off behind is found. When it is not known here, the
 * row says so. */
static bool wants_head(const ck_row_batch *rows, const ck_held_lease *held,
                       ck_durability durability) {
  if (rows->update) return true;
  bool known = held->next_seq && held->status;
  int64_t since = rows->at_ms - held->head_ms;
  return known && rows->checkpoint && durability == CK_DURABLE_POWER &&
         (since >= HEAD_MS || since < 0);
}

static ck_status encode_head(ck_row_batch *rows, ck_store *self, ck_held_lease *held,
                             ck_error *err) {
  ck_head_row *head = ck_arena_push(&self->arena, sizeof *head);
  if (!head) return ck_error_no_memory(err);
  *head = (ck_head_row){0};
  if (rows->update) held->status = rows->update->status;
  held->head_ms = rows->at_ms;
  if (held->next_seq)
    *head = ck_head_row_of(held->lease.epoch, held->status, held->next_seq, &held->next);
  rows->head = head;
  return CK_OK;
}

static void note_tip(ck_held_lease *held, const encoded_events *rows, size_t count) {
  if (count == 0) return;
  held->next_seq = rows->events[count - 1].seq;
  held->next = rows->digests[count - 1];
}

static ck_status encode_batch(ck_row_batch *rows, ck_store *self, const ck_batch *batch,
                              ck_error *err) {
  ck_held_lease *held = ck_store_core_get_lease(self, batch->lease.session);
  encoded_events events;
  ck_checkpoint_row *checkpoint = NULL;
  if (!held || held->lease.epoch != batch->lease.epoch)
    return ck_error_set(err, CK_E_FENCED, "the lease on session number %lld is not held",
                        (long long)batch->lease.session);
  if (held->failed) return held->failed;
  self->compress.from = held->compress_from;
  ck_status status =
      encode_events(&events, self, batch->events, batch->event_count, batch->prepared, err);
  if (!status) status = chain_batch(&checkpoint, self, held, batch, &events, err);
  if (status) return held->failed = status;
  note_tip(held, &events, batch->event_count);
  rows->events = events.events;
  rows->event_count = batch->event_count;
  rows->checkpoint = checkpoint;
  rows->update = batch->update;
  rows->unsealed = held->unsealed;
  return wants_head(rows, held, batch->durability) ? encode_head(rows, self, held, err) : CK_OK;
}

/* A batch that cannot be encoded is passed to the backend empty: it writes nothing, and the
 * backend's status shows whether the cause is that the session was taken over or does not exist. */
static ck_status encode_round(ck_row_batch *rows, ck_store *self, ck_batch *batches, size_t count,
                              ck_error *err) {
  for (size_t i = 0; i < self->held_count; i++) {
    ck_held_lease *held = &self->held[i];
    held->failed = CK_OK;
    held->next_seq = held->tip_seq;
    held->next = held->tip;
  }
  for (size_t i = 0; i < count; i++) {
    ck_batch *batch = &batches[i];
    batch->stored_bytes = 0;
    rows[i] = (ck_row_batch){.lease = batch->lease};
    rows[i].at_ms = batch->event_count ? batch->events[batch->event_count - 1]->at_ms : wall_ms();
    batch->status = encode_batch(&rows[i], self, batch, err);
    if (batch->status == CK_E_NO_MEMORY) return CK_E_NO_MEMORY;
  }
  return CK_OK;
}

/* Which status the session has is known again with the next one that is set. */
static void forget(ck_held_lease *held) {
  ck_chain_drop(held->chain);
  held->status = 0;
}

static void end_batch(ck_store *self, ck_batch *batch, const ck_row_batch *rows) {
  ck_held_lease *held = ck_store_core_get_lease(self, batch->lease.session);
  if (rows->status) batch->status = rows->status;
  if (batch->status && held) forget(held);
  if (batch->status) return;
  if (held && batch->event_count) {
    held->tip_seq = held->next_seq;
    held->tip = held->next;
  }
  for (size_t i = 0; i < rows->event_count; i++)
    batch->stored_bytes += (int64_t)rows->events[i].body.len;
  if (rows->checkpoint)
    batch->stored_bytes += (int64_t)(rows->checkpoint->payload.len + rows->checkpoint->info.len);
}

static void fail_batches(ck_store *self, ck_batch *batches, size_t count, ck_status status) {
  for (size_t i = 0; i < count; i++) {
    ck_held_lease *held = ck_store_core_get_lease(self, batches[i].lease.session);
    batches[i].status = status;
    batches[i].stored_bytes = 0;
    if (held) forget(held);
  }
}

static ck_durability strongest(const ck_batch *batches, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (batches[i].durability == CK_DURABLE_POWER) return CK_DURABLE_POWER;
  }
  return CK_DURABLE_PROCESS;
}

static ck_status commit_round(ck_store *self, ck_batch *batches, size_t count, ck_error *err) {
  ck_row_batch *rows = ck_arena_push(&self->arena, count * sizeof *rows);
  if (!rows) return ck_error_no_memory(err);
  ck_status status = encode_round(rows, self, batches, count, err);
  if (!status)
    status = self->backend.commit(self->backend.self, rows, count, strongest(batches, count), err);
  if (status) return status;
  for (size_t i = 0; i < count; i++) end_batch(self, &batches[i], &rows[i]);
  return CK_OK;
}

ck_status ck_store_commit(ck_store *self, ck_batch *batches, size_t count, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) {
    for (size_t i = 0; i < count; i++) batches[i].status = status;
    return status;
  }
  if (count > 0) status = commit_round(self, batches, count, err);
  if (status) fail_batches(self, batches, count, status);
  if (status == CK_E_NO_MEMORY && ck_reserve_use()) {
    status = commit_round(self, batches, count, err);
    if (status) fail_batches(self, batches, count, status);
  }
  return ck_store_core_end_write(self, status, err);
}
