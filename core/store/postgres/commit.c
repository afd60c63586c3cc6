/* commit.c - commits: each session's part is one statement, one session's commit one round trip,
 * several sessions' a transaction in one round trip. */
#include <stdlib.h>

#include "core/store/postgres/commit_sql.h"

static const char doing[] = "commit";
enum { ANY_SEQ = CK_POSTGRES_ANY_SEQ, NO_SEQ = -2, TRIES = 3 };

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

ck_status ck_postgres_append(bool *fits, ck_postgres *self, const ck_row_batch *batch,
                             int64_t writer, int64_t last_seq, ck_error *err) {
  PGresult *result;
  ck_postgres_query *query = malloc(sizeof *query);
  *fits = false;
  if (!query) return ck_error_no_memory(err);
  bool follows = expected_seq(batch) != NO_SEQ;
  ck_postgres_commit_as as = {.writer = writer,
                              .last_seq = follows ? last_seq : NO_SEQ,
                              .lease_ms = self->url.lease_ms,
                              .level = ck_postgres_level(self, CK_DURABLE_POWER)};
  ck_postgres_bind_commit(query, batch, &as);
  ck_status status = ck_postgres_run(&result, self->writer, query, doing, err);
  ck_postgres_query_clear(query);
  free(query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  *fits = row.count == 1;
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

/* A batch of those that are committed. */
typedef struct part {
  ck_row_batch *batch;
  ck_postgres_commit_as as;
} part;

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
    batch->status = row.count ? CK_OK : CK_E_FENCED; /* or else: explain */
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

static bool send_all(ck_postgres_connection *by, const part *parts, size_t count) {
  ck_postgres_query *query = malloc(sizeof *query);
  bool sent = query && by->pq->enterPipelineMode(by->conn) && send_word(by, "BEGIN");
  for (size_t i = 0; i < count && sent; i++) {
    ck_postgres_bind_commit(query, parts[i].batch, &parts[i].as);
    sent = !query->failed && ck_postgres_send(by, query);
    ck_postgres_query_clear(query);
  }
  free(query);
  return sent && send_word(by, "COMMIT") && by->pq->pipelineSync(by->conn);
}

/* The answers come in the order of what was sent, each ended by a NULL. `parts` are without
 * BEGIN and COMMIT. What follows a failure is answered as aborted. */
static ck_status take_answers(ck_postgres_connection *by, const part *parts, size_t count,
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
      status = take_answer(parts[at - 1].batch, by, result, how, err);
    else if (got == PGRES_FATAL_ERROR && status == CK_OK)
      status = take_answer(parts[0].batch, by, result, how, err);
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

static ck_status commit_one(ck_postgres_connection *by, const part *what, outcome *how,
                            ck_error *err) {
  PGresult *result;
  ck_postgres_query *query = malloc(sizeof *query);
  if (!query) return ck_error_no_memory(err);
  ck_postgres_bind_commit(query, what->batch, &what->as);
  ck_status status = query->failed ? ck_error_no_memory(err) : CK_OK;
  if (status == CK_OK && ck_postgres_send(by, query)) {
    while ((result = ck_postgres_next_answer(by))) {
      if (status == CK_OK) status = take_answer(what->batch, by, result, how, err);
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

static ck_status commit_some(ck_postgres *self, const part *parts, size_t count, outcome *how,
                             ck_error *err) {
  ck_postgres_connection *by = self->writer;
  if (count == 1) return commit_one(by, parts, how, err);
  bool sent = send_all(by, parts, count);
  ck_status status =
      sent ? take_answers(by, parts, count, how, err) : ck_postgres_error(by, NULL, doing, err);
  return status == CK_OK || how->unanswered ? status : drop_transaction(self, status);
}

/* A checkpoint's row goes with its session alone, so under the lease one that was committed is
 * there. */
static part make_part(const ck_postgres *self, ck_row_batch *batch, const ck_postgres_owned *owned,
                      const char *level) {
  const ck_checkpoint_row *checkpoint = batch->checkpoint;
  return (part){batch,
                {.writer = owned->writer,
                 .last_seq = expected_seq(batch),
                 .has_parent = checkpoint && checkpoint->parent == owned->checkpoint,
                 .lease_ms = self->url.lease_ms,
                 .level = level}};
}

/* In the order of their sessions, so that two of these never wait for each other; without those
 * whose lease has lapsed. */
static part *make_parts(size_t *made, ck_postgres *self, ck_row_batch *batches, size_t count,
                        const char *level) {
  part *parts = calloc(count + 1, sizeof *parts);
  *made = 0;
  for (size_t i = 0; parts && i < count; i++) {
    ck_postgres_owned owned;
    batches[i].status = ck_postgres_get_owned(&owned, self, batches[i].lease);
    if (batches[i].status != CK_OK) continue;
    size_t at = (*made)++;
    for (; at > 0 && parts[at - 1].batch->lease.session > batches[i].lease.session; at--)
      parts[at] = parts[at - 1];
    parts[at] = make_part(self, &batches[i], &owned, level);
  }
  return parts;
}

/* The rows are found by their keys, whatever these are. Left to itself the server may make a plan
 * for every commit, which takes as long as the commit. */
static ck_status plan_once(ck_postgres_connection *by, ck_error *err) {
  if (by->plans_once) return CK_OK;
  ck_status status = ck_postgres_exec(by, "SET plan_cache_mode = force_generic_plan", doing, err);
  by->plans_once = status == CK_OK;
  return status;
}

static ck_status prepare_all(ck_postgres *self, const part *parts, size_t count, ck_error *err) {
  ck_status status = ck_postgres_check_writer(self, err);
  if (status == CK_OK) status = plan_once(self->writer, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = ck_postgres_prepare(self->writer, ck_postgres_commit_of(parts[i].batch, &parts[i].as),
                                 doing, err);
  return status;
}

/* Statements are prepared before the first is sent: that one is lost then, too, when the connection
 * was lost while it was idle, which is no unknown commit. */
static ck_status prepare(ck_postgres *self, const part *parts, size_t count, ck_error *err) {
  ck_status status = prepare_all(self, parts, count, err);
  bool lost = self->writer && ck_postgres_is_lost(self->writer);
  return status == CK_OK || !lost ? status : prepare_all(self, parts, count, err);
}

static void note_made(ck_postgres *self, const part *parts, size_t count, int64_t sent_us) {
  for (size_t i = 0; i < count; i++) {
    const ck_row_batch *batch = parts[i].batch;
    if (batch->status != CK_OK) continue;
    ck_postgres_note_commit(self, batch->lease, batch->checkpoint ? batch->checkpoint->seq : 0,
                            sent_us);
  }
}

ck_status ck_postgres_commit(void *to, ck_row_batch *batches, size_t count,
                             ck_durability durability, ck_error *err) {
  ck_postgres *self = to;
  size_t made;
  part *parts = make_parts(&made, self, batches, count, ck_postgres_level(self, durability));
  if (!parts) return ck_error_no_memory(err);
  ck_status status = made ? prepare(self, parts, made, err) : CK_OK;
  outcome how = {.again = status == CK_OK && made};
  int64_t sent_us = 0;
  for (int tries = 0; how.again && tries < TRIES; tries++) {
    how = (outcome){0};
    self->writer->warned = false;
    sent_us = ck_postgres_now_us();
    status = commit_some(self, parts, made, &how, err);
    if (how.unanswered || (self->writer && self->writer->warned && status == CK_OK)) {
      status = ck_postgres_unknown(self, err);
      break;
    }
  }
  if (status == CK_OK) note_made(self, parts, made, sent_us);
  free(parts);
  return status == CK_OK ? explain_dropped(self, batches, count, err) : status;
}
