/* commit.c - commits: each session's part is one statement, one session's commit one round trip,
 * several sessions' a transaction in one round trip. */
#include <stdlib.h>

#include "core/store/format/row.h"
#include "core/store/postgres/postgres.h"

static const char doing[] = "commit";
enum { ANY_SEQ = -1, NO_SEQ = -2, TRIES = 3, EVENT_COLUMNS = 13 };

/* ---- the arguments ---- */

/* The seq at which the session must be; NO_SEQ: the batch contradicts itself, and fits nowhere. */
static int64_t expected_seq(const ck_row_batch *batch) {
  const ck_checkpoint_row *checkpoint = batch->checkpoint;
  size_t count = batch->event_count;
  if (count == 0) {
    if (checkpoint) return NO_SEQ;
    return batch->head && batch->head->seq ? batch->head->seq : ANY_SEQ;
  }
  int64_t first = batch->events[0].seq, last = batch->events[count - 1].seq;
  for (size_t i = 1; i < count; i++)
    if (batch->events[i].seq != first + (int64_t)i) return NO_SEQ;
  bool covered = !checkpoint || (checkpoint->seq >= first && checkpoint->seq <= last);
  return covered ? first - 1 : NO_SEQ;
}

static ck_bytes bytes_of(const ck_digest *digest) {
  return (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE};
}

/* No bytes are NULL. */
static ck_bytes optional(ck_bytes bytes) { return bytes.len ? bytes : (ck_bytes){NULL, 0}; }

static void put_event(ck_buffer **to, const ck_event_row *row) {
  const int64_t numbers[] = {row->seq,      row->timeline,  row->kind, row->at_ms,
                             row->encoding, row->plain_len, row->check};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  for (size_t i = 0; i < NUMBERS; i++) ck_postgres_put_int(to[i], numbers[i]);
  ck_postgres_put_text(to[NUMBERS], row->scope);
  ck_postgres_put_text(to[NUMBERS + 1], row->agent);
  ck_postgres_put_bytes(to[NUMBERS + 2], row->body.data ? row->body : ck_bytes_text(""));
  ck_postgres_put_bytes(to[NUMBERS + 3], optional(row->mac));
  ck_postgres_put_bytes(to[NUMBERS + 4], optional(row->key_id));
  ck_postgres_put_bytes(to[NUMBERS + 5], optional(row->decision));
}

/* A column is an array. */
void ck_postgres_bind_events(ck_postgres_query *query, const ck_row_batch *batch) {
  static const ck_postgres_type types[EVENT_COLUMNS] = {
      [7] = CK_POSTGRES_TEXTS,  [8] = CK_POSTGRES_TEXTS,  [9] = CK_POSTGRES_BLOBS,
      [10] = CK_POSTGRES_BLOBS, [11] = CK_POSTGRES_BLOBS, [12] = CK_POSTGRES_BLOBS};
  ck_buffer *columns[EVENT_COLUMNS];
  for (size_t i = 0; i < EVENT_COLUMNS; i++)
    columns[i] = ck_postgres_begin_array(query, types[i], batch->event_count);
  for (size_t i = 0; i < batch->event_count; i++) put_event(columns, &batch->events[i]);
  for (size_t i = 0; i < EVENT_COLUMNS; i++) ck_postgres_end_array(query, columns[i]);
}

void ck_postgres_bind_checkpoint(ck_postgres_query *query, const ck_checkpoint_row *row) {
  static const ck_checkpoint_row none;
  ck_postgres_bind_text(query, row ? row->id : NULL);
  if (!row) row = &none;
  int64_t numbers[CK_CHECKPOINT_ROW_INTS];
  ck_checkpoint_row_ints(numbers, row);
  ck_buffer *array = ck_postgres_begin_array(query, CK_POSTGRES_INTS, CK_CHECKPOINT_ROW_INTS);
  for (size_t i = 0; i < CK_CHECKPOINT_ROW_INTS; i++) ck_postgres_put_int(array, numbers[i]);
  ck_postgres_end_array(query, array);
  ck_postgres_bind_blob(query, bytes_of(&row->events_digest));
  ck_postgres_bind_blob(query, bytes_of(&row->payload_digest));
  ck_postgres_bind_blob(query, bytes_of(&row->digest));
  ck_postgres_bind_optional(query, row->mac);
  ck_postgres_bind_optional(query, row->key_id);
  ck_postgres_bind_blob(query, row->info);
  ck_postgres_bind_blob(query, row->payload);
}

static void bind_session(ck_postgres_query *query, const ck_row_batch *batch) {
  static const ck_session_update no_update;
  static const ck_head_row no_head;
  const ck_session_update *update = batch->update ? batch->update : &no_update;
  const ck_head_row *head = batch->head ? batch->head : &no_head;
  ck_postgres_bind_int(query, batch->update != NULL);
  ck_postgres_bind_int(query, update->status);
  ck_postgres_bind_text(query, update->reason);
  ck_postgres_bind_text(query, update->failure);
  ck_postgres_bind_text(query, update->node);
  ck_postgres_bind_int(query, batch->at_ms);
  ck_postgres_bind_int(query, batch->head != NULL);
  ck_postgres_bind_int(query, (int64_t)head->epoch);
  ck_postgres_bind_int(query, head->status);
  ck_postgres_bind_int(query, head->seq);
  ck_postgres_bind_blob(query, ck_head_row_digest(head));
  ck_postgres_bind_optional(query, ck_head_row_mac(head));
  ck_postgres_bind_optional(query, ck_head_row_key_id(head));
}

typedef struct commit_as {
  int64_t writer, last_seq;
  const char *level; /* of synchronous_commit */
} commit_as;

static void bind_batch(ck_postgres_query *query, const ck_postgres *self, const ck_row_batch *batch,
                       const commit_as *as) {
  int64_t last = batch->event_count ? batch->events[batch->event_count - 1].seq : ANY_SEQ;
  *query = (ck_postgres_query){.sql = CK_POSTGRES_COMMIT};
  ck_postgres_bind_int(query, batch->lease.session);
  ck_postgres_bind_int(query, (int64_t)batch->lease.epoch);
  ck_postgres_bind_int(query, as->writer);
  ck_postgres_bind_int(query, as->last_seq);
  ck_postgres_bind_int(query, last);
  ck_postgres_bind_int(query, batch->checkpoint ? batch->checkpoint->parent : 0);
  ck_postgres_bind_int(query, self->url.lease_ms);
  ck_postgres_bind_text(query, as->level);
  bind_session(query, batch);
  ck_postgres_bind_events(query, batch);
  ck_postgres_bind_checkpoint(query, batch->checkpoint);
}

ck_status ck_postgres_append(bool *fits, ck_postgres *self, const ck_row_batch *batch,
                             int64_t writer, int64_t last_seq, ck_error *err) {
  PGresult *result;
  ck_postgres_query *query = malloc(sizeof *query);
  *fits = false;
  if (!query) return ck_error_no_memory(err);
  bool follows = expected_seq(batch) != NO_SEQ;
  bind_batch(query, self, batch, &(commit_as){writer, follows ? last_seq : NO_SEQ, "on"});
  ck_status status = ck_postgres_run(&result, self->writer, query, doing, err);
  ck_postgres_query_clear(query);
  free(query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  *fits = ck_postgres_int(&row, 0) == 1;
  self->pq->clear(result);
  return CK_OK;
}

/* ---- why a batch was dropped ---- */

static ck_status explain(ck_status *out, ck_postgres *self, const ck_row_batch *batch,
                         ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_EXPLAIN};
  ck_postgres_bind_int(&query, batch->lease.session);
  ck_postgres_bind_int(&query, batch->checkpoint ? batch->checkpoint->parent : 0);
  ck_status status = ck_postgres_read(&result, self, &query, doing, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  int64_t expected = expected_seq(batch);
  if (!row.count)
    *out = CK_E_NOT_FOUND;
  else if ((uint64_t)ck_postgres_int(&row, 0) != batch->lease.epoch ||
           ck_postgres_int(&row, 1) != ck_postgres_writer_of(self, batch->lease))
    *out = CK_E_FENCED;
  else if (expected == ANY_SEQ || expected == ck_postgres_int(&row, 2))
    *out = ck_postgres_int(&row, 3) ? CK_E_FENCED : CK_E_NOT_FOUND;
  else
    *out = CK_E_RANGE;
  self->pq->clear(result);
  return CK_OK;
}

static ck_status explain_dropped(ck_postgres *self, ck_row_batch *batches, size_t count,
                                 ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && status == CK_OK; i++)
    if (batches[i].status == CK_E_FENCED)
      status = explain(&batches[i].status, self, &batches[i], err);
  return status;
}

/* ---- one session ---- */

/* What became of a commit that failed. */
typedef struct outcome {
  bool again;      /* another try can succeed */
  bool unanswered; /* it was sent, and may have been made */
} outcome;

static ck_status take_answer(ck_row_batch *batch, ck_postgres_connection *by, PGresult *result,
                             outcome *how, ck_error *err) {
  ExecStatusType got = by->pq->resultStatus(result);
  ck_status status = CK_OK;
  if (got == PGRES_TUPLES_OK) {
    ck_postgres_row row = ck_postgres_first(by->pq, result);
    batch->status = ck_postgres_int(&row, 0) == 1 ? CK_OK : CK_E_FENCED; /* or else: explain */
  } else {
    how->again = ck_postgres_may_repeat(by, result);
    status = ck_postgres_error(by, result, doing, err);
  }
  return status;
}

/* ---- several: BEGIN, the statements, COMMIT, sent together ---- */

static bool send_word(ck_postgres_connection *by, const char *word) {
  return by->pq->sendQueryParams(by->conn, word, 0, NULL, NULL, NULL, NULL, 1);
}

static bool send_all(ck_postgres *self, ck_row_batch *const *order, size_t count,
                     const char *level) {
  ck_postgres_connection *by = self->writer;
  ck_postgres_query *query = malloc(sizeof *query);
  bool sent = query && by->pq->enterPipelineMode(by->conn) && send_word(by, "BEGIN");
  for (size_t i = 0; i < count && sent; i++) {
    const ck_row_batch *batch = order[i];
    int64_t writer = ck_postgres_writer_of(self, batch->lease);
    bind_batch(query, self, batch, &(commit_as){writer, expected_seq(batch), level});
    sent = !query->failed && ck_postgres_send(by, query);
    ck_postgres_query_clear(query);
  }
  free(query);
  return sent && send_word(by, "COMMIT") && by->pq->pipelineSync(by->conn);
}

/* The answers come in the order of what was sent, each ended by a NULL. `order` has the batches
 * without BEGIN and COMMIT. What follows a failure is answered as aborted. */
static ck_status take_answers(ck_postgres_connection *by, ck_row_batch *const *order, size_t count,
                              outcome *how, ck_error *err) {
  ck_status status = CK_OK;
  bool synced = false, committed = false;
  for (size_t at = 0; !synced && !ck_postgres_is_lost(by);) {
    PGresult *result = ck_postgres_next_answer(by);
    ExecStatusType got = result ? by->pq->resultStatus(result) : PGRES_EMPTY_QUERY;
    synced = got == PGRES_PIPELINE_SYNC;
    bool is_batch = at >= 1 && at <= count;
    if (!result) {
      at++;
      continue;
    }
    if (got == PGRES_TUPLES_OK && is_batch)
      status = take_answer(order[at - 1], by, result, how, err);
    else if (got == PGRES_FATAL_ERROR && status == CK_OK)
      status = take_answer(order[0], by, result, how, err);
    committed |= at == count + 1 && got == PGRES_COMMAND_OK;
    by->pq->clear(result);
  }
  if (status == CK_OK && by->silent_ms) status = ck_postgres_error(by, NULL, doing, err);
  how->unanswered = !committed && ck_postgres_is_lost(by);
  (void)by->pq->exitPipelineMode(by->conn);
  return status;
}

/* A transaction that failed is still open: without the COMMIT nothing of it was written. A
 * connection that cannot be used for that is given up. */
static ck_status drop_transaction(ck_postgres *self, ck_status status) {
  ck_error ignored = CK_ERROR_INIT;
  if (ck_postgres_exec(self->writer, "ROLLBACK", doing, &ignored) == CK_OK) return status;
  ck_postgres_unlink(self, self->writer);
  self->writer = NULL;
  return status;
}

/* ---- one or several ---- */

static ck_status commit_one(ck_postgres *self, ck_row_batch *batch, const char *level, outcome *how,
                            ck_error *err) {
  PGresult *result;
  ck_postgres_connection *by = self->writer;
  ck_postgres_query *query = malloc(sizeof *query);
  if (!query) return ck_error_no_memory(err);
  commit_as as = {ck_postgres_writer_of(self, batch->lease), expected_seq(batch), level};
  bind_batch(query, self, batch, &as);
  ck_status status = query->failed ? ck_error_no_memory(err) : CK_OK;
  if (status == CK_OK && ck_postgres_send(by, query)) {
    while ((result = ck_postgres_next_answer(by))) {
      if (status == CK_OK) status = take_answer(batch, by, result, how, err);
      by->pq->clear(result);
    }
    if (status == CK_OK && by->silent_ms) status = ck_postgres_error(by, NULL, doing, err);
  } else if (status == CK_OK) {
    status = ck_postgres_error(by, NULL, doing, err);
  }
  how->unanswered = ck_postgres_is_lost(by);
  ck_postgres_query_clear(query);
  free(query);
  return status;
}

static ck_status commit_some(ck_postgres *self, ck_row_batch *const *order, size_t count,
                             const char *level, outcome *how, ck_error *err) {
  ck_postgres_connection *by = self->writer;
  if (count == 1) return commit_one(self, order[0], level, how, err);
  bool sent = send_all(self, order, count, level);
  ck_status status =
      sent ? take_answers(by, order, count, how, err) : ck_postgres_error(by, NULL, doing, err);
  return status == CK_OK || how->unanswered ? status : drop_transaction(self, status);
}

/* In the order of their sessions, so that two of these never wait for each other; without those
 * whose lease has lapsed. */
static ck_row_batch **make_order(size_t *made, ck_postgres *self, ck_row_batch *batches,
                                 size_t count) {
  ck_row_batch **order = calloc(count + 1, sizeof *order);
  *made = 0;
  for (size_t i = 0; order && i < count; i++) {
    batches[i].status = ck_postgres_check_lapse(self, batches[i].lease, NULL);
    if (batches[i].status != CK_OK) continue;
    size_t at = (*made)++;
    for (; at > 0 && order[at - 1]->lease.session > batches[i].lease.session; at--)
      order[at] = order[at - 1];
    order[at] = &batches[i];
  }
  return order;
}

/* Statements are prepared before the first is sent: that one is lost then, too, when the connection
 * was lost while it was idle, which is no unknown commit. */
static ck_status prepare(ck_postgres *self, ck_error *err) {
  ck_status status = ck_postgres_check_writer(self, err);
  if (status != CK_OK) return status;
  status = ck_postgres_prepare(self->writer, CK_POSTGRES_COMMIT, doing, err);
  if (status == CK_OK || !ck_postgres_is_lost(self->writer)) return status;
  status = ck_postgres_check_writer(self, err);
  if (status != CK_OK) return status;
  return ck_postgres_prepare(self->writer, CK_POSTGRES_COMMIT, doing, err);
}

ck_status ck_postgres_commit(void *to, ck_row_batch *batches, size_t count,
                             ck_durability durability, ck_error *err) {
  ck_postgres *self = to;
  const char *level = ck_postgres_level(self, durability);
  size_t made;
  ck_row_batch **order = make_order(&made, self, batches, count);
  if (!order) return ck_error_no_memory(err);
  ck_status status = made ? prepare(self, err) : CK_OK;
  outcome how = {.again = status == CK_OK && made};
  int64_t sent_us = 0;
  for (int tries = 0; how.again && tries < TRIES; tries++) {
    how = (outcome){0};
    self->writer->warned = false;
    sent_us = ck_postgres_now_us();
    status = commit_some(self, order, made, level, &how, err);
    if (how.unanswered || (self->writer && self->writer->warned && status == CK_OK)) {
      status = ck_postgres_unknown(self, err);
      break;
    }
  }
  for (size_t i = 0; i < made && status == CK_OK; i++)
    if (order[i]->status == CK_OK) ck_postgres_note_renewed(self, order[i]->lease, sent_us);
  free(order);
  return status == CK_OK ? explain_dropped(self, batches, count, err) : status;
}
