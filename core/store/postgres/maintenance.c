/* maintenance.c - pins, pruning, and deleting a session. */
#include <stdlib.h>

#include "core/store/postgres/postgres.h"

static ck_bytes bytes_of(const ck_digest *digest) {
  return (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE};
}

/* A statement with numbers alone, in the writer's transaction; *rows: how many rows it gave. */
static ck_status run(int *rows, ck_postgres *self, ck_postgres_sql sql, const int64_t *numbers,
                     size_t count, const char *doing, ck_error *err) {
  ck_postgres_query query = {.sql = sql};
  for (size_t i = 0; i < count; i++) ck_postgres_bind_int(&query, numbers[i]);
  return ck_postgres_write(rows, self->writer, &query, doing, err);
}

/* ---- seqs ---- */

static ck_status take_seqs(int64_t **out, size_t *count, const ck_libpq *pq, PGresult *result,
                           ck_error *err) {
  ck_postgres_row row = ck_postgres_first(pq, result);
  *count = 0;
  *out = calloc((size_t)row.count + 1, sizeof **out);
  for (; *out && row.at < row.count; row.at++) (*out)[(*count)++] = ck_postgres_int(&row, 0);
  pq->clear(result);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static ck_status list_seqs(int64_t **out, size_t *count, ck_postgres *self, ck_postgres_sql sql,
                           int64_t session, ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = sql};
  *out = NULL;
  *count = 0;
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, "list checkpoints", err);
  return status == CK_OK ? take_seqs(out, count, self->pq, result, err) : status;
}

static ck_status list_pins(int64_t **out, size_t *count, void *to, int64_t session, ck_error *err) {
  return list_seqs(out, count, to, CK_POSTGRES_LIST_PINS, session, err);
}

static ck_status list_bases(int64_t **out, size_t *count, void *to, int64_t session,
                            ck_error *err) {
  return list_seqs(out, count, to, CK_POSTGRES_LIST_BASES, session, err);
}

/* ---- pins ---- */

static ck_status change_pin(ck_postgres *self, int64_t session, int64_t seq, bool pinned,
                            ck_error *err) {
  static const char doing[] = "pin a checkpoint";
  const int64_t numbers[] = {session, seq};
  int rows;
  ck_status status = run(&rows, self, CK_POSTGRES_HAS_CHECKPOINT, numbers, 2, doing, err);
  if (status == CK_OK && !rows)
    status =
        ck_error_set(err, CK_E_NOT_FOUND,
                     "session number %lld in store %s has no checkpoint of its own at seq %lld",
                     (long long)session, self->url.name, (long long)seq);
  if (status != CK_OK) return status;
  return run(NULL, self, pinned ? CK_POSTGRES_PIN : CK_POSTGRES_UNPIN, numbers, 2, doing, err);
}

static ck_status pin(void *to, ck_lease lease, int64_t seq, bool pinned, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_postgres_check_lease(self, lease, err);
  if (status == CK_OK) status = change_pin(self, lease.session, seq, pinned, err);
  return ck_postgres_end(self, status, err);
}

/* ---- pruning ---- */

static ck_status not_read(const ck_postgres *self, int64_t session, int64_t seq, ck_error *err) {
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: the checkpoint at seq %lld of session number %lld is not the one that was read",
      self->url.name, (long long)seq, (long long)session);
}

static ck_status prune_row(ck_postgres *self, int64_t session, const ck_prune_row *row,
                           ck_error *err) {
  int rows;
  ck_postgres_query query = {.sql = CK_POSTGRES_PRUNE};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, row->seq);
  ck_postgres_bind_blob(&query, bytes_of(&row->digest));
  ck_postgres_bind_int(&query, row->encoding);
  ck_postgres_bind_blob(&query, bytes_of(&row->payload_digest));
  ck_postgres_bind_int(&query, row->stub);
  ck_postgres_bind_optional(&query, row->mac);
  ck_postgres_bind_optional(&query, row->key_id);
  ck_postgres_bind_optional(&query, row->info);
  ck_status status = ck_postgres_write(&rows, self->writer, &query, "prune a checkpoint", err);
  return status != CK_OK || rows == 1 ? status : not_read(self, session, row->seq, err);
}

/* A fork can have continued one of the checkpoints since the prune was planned. It has locked the
 * lease's row, as this transaction has, before it looked for the checkpoint. */
static ck_status check_bases(ck_postgres *self, int64_t session, const ck_prune_row *rows,
                             size_t count, ck_error *err) {
  PGresult *result;
  int64_t *bases;
  size_t base_count;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_BASES};
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_run(&result, self->writer, &query, "look for forks", err);
  ck_postgres_query_clear(&query);
  if (status == CK_OK) status = take_seqs(&bases, &base_count, self->pq, result, err);
  if (status != CK_OK) return status;
  for (size_t i = 0, at = 0; i < count && status == CK_OK; i++) {
    while (at < base_count && bases[at] < rows[i].seq) at++;
    if (rows[i].drop && at < base_count && bases[at] == rows[i].seq)
      status = ck_error_set(
          err, CK_E_BUSY,
          "store %s: nothing was pruned: a fork went on from the checkpoint at seq %lld meanwhile",
          self->url.name, (long long)rows[i].seq);
  }
  free(bases);
  return status;
}

static ck_status prune(void *to, ck_lease lease, const ck_prune_row *rows, size_t count,
                       ck_error *err) {
  ck_postgres *self = to;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_postgres_check_lease(self, lease, err);
  if (status == CK_OK) status = check_bases(self, lease.session, rows, count, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = prune_row(self, lease.session, &rows[i], err);
  return ck_postgres_end(self, status, err);
}

/* ---- deleting ---- */

static const char doing_delete[] = "delete a session";

static ck_status copy_stub(ck_postgres *self, int64_t session, int64_t fork,
                           const ck_prune_row *stub, ck_error *err) {
  int rows;
  ck_postgres_query query = {.sql = CK_POSTGRES_COPY_STUB};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, fork);
  ck_postgres_bind_int(&query, stub->seq);
  ck_postgres_bind_blob(&query, bytes_of(&stub->digest));
  ck_postgres_bind_blob(&query, bytes_of(&stub->payload_digest));
  ck_postgres_bind_int(&query, stub->encoding);
  ck_postgres_bind_optional(&query, stub->mac);
  ck_postgres_bind_optional(&query, stub->key_id);
  ck_postgres_bind_optional(&query, stub->info);
  ck_status status = ck_postgres_write(&rows, self->writer, &query, doing_delete, err);
  return status != CK_OK || rows == 1 ? status : not_read(self, session, stub->seq, err);
}

static ck_status put_event(ck_postgres *self, int64_t session, const ck_event_row *row,
                           ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_EVENT};
  const int64_t numbers[] = {session,    row->seq,      row->timeline,  row->kind,
                             row->at_ms, row->encoding, row->plain_len, row->check};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ck_postgres_bind_int(&query, numbers[i]);
  ck_postgres_bind_text(&query, row->scope);
  ck_postgres_bind_text(&query, row->agent);
  ck_postgres_bind_blob(&query, row->body);
  ck_postgres_bind_optional(&query, row->mac);
  ck_postgres_bind_optional(&query, row->key_id);
  ck_postgres_bind_optional(&query, row->decision);
  return ck_postgres_write(NULL, self->writer, &query, doing_delete, err);
}

/* *after: the seq of the last event of the page; 0: there was none. */
static ck_status move_page(int64_t *after, ck_postgres *self, int64_t session,
                           const ck_dependent_fork *fork, ck_error *err) {
  PGresult *page;
  ck_postgres_query query = {.sql = CK_POSTGRES_EVENTS};
  const int64_t numbers[] = {session, *after, fork->cut, -1};
  for (size_t i = 0; i < 4; i++) ck_postgres_bind_int(&query, numbers[i]);
  ck_postgres_bind_text(&query, NULL);
  ck_postgres_bind_int(&query, 0);
  ck_status status = ck_postgres_run(&page, self->writer, &query, doing_delete, err);
  ck_postgres_query_clear(&query);
  *after = 0;
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, page);
  for (; row.at < row.count && status == CK_OK; row.at++) {
    ck_event_row event = ck_postgres_event_row(&row);
    *after = event.seq;
    status = fork->move(fork->to, &event, err);
    if (status == CK_OK) status = put_event(self, fork->session, &event, err);
  }
  self->pq->clear(page);
  return status;
}

/* One by one where each is sealed again for the fork. */
static ck_status copy_events(ck_postgres *self, int64_t session, const ck_dependent_fork *fork,
                             ck_error *err) {
  const int64_t numbers[] = {session, fork->session, fork->cut};
  if (!fork->move) return run(NULL, self, CK_POSTGRES_COPY_EVENTS, numbers, 3, doing_delete, err);
  int64_t after = 0;
  ck_status status;
  do status = move_page(&after, self, session, fork, err);
  while (status == CK_OK && after);
  return status;
}

static ck_status copy_to_fork(ck_postgres *self, int64_t session, const ck_dependent_fork *fork,
                              ck_error *err) {
  const int64_t older[] = {session, fork->session, fork->timeline};
  const int64_t moved[] = {session, fork->session, fork->origin.session, fork->origin.cut};
  int rows = 0;
  ck_status status = copy_events(self, session, fork, err);
  if (status == CK_OK)
    status = run(NULL, self, CK_POSTGRES_COPY_TIMELINES, older, 3, doing_delete, err);
  for (size_t i = 0; i < fork->stub_count && status == CK_OK; i++)
    status = copy_stub(self, session, fork->session, &fork->stubs[i], err);
  if (status == CK_OK)
    status = run(NULL, self, CK_POSTGRES_COPY_BLOB_USES, older, 2, doing_delete, err);
  if (status == CK_OK)
    status = run(&rows, self, CK_POSTGRES_MOVE_ORIGIN, moved, 4, doing_delete, err);
  if (status != CK_OK || rows == 1) return status;
  return ck_error_set(err, CK_E_BUSY,
                      "store %s: a fork was deleted meanwhile: nothing was deleted, try again",
                      self->url.name);
}

static ck_status check_forks(ck_postgres *self, int64_t session, size_t count, ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_COUNT_FORKS};
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_run(&result, self->writer, &query, doing_delete, err);
  ck_postgres_query_clear(&query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (ck_postgres_int(&row, 0) != (int64_t)count)
    status = ck_error_set(err, CK_E_BUSY,
                          "store %s: a fork was made meanwhile: nothing was deleted, try again",
                          self->url.name);
  self->pq->clear(result);
  return status;
}

static ck_status delete_session(void *to, ck_lease lease, const ck_dependent_fork *forks,
                                size_t count, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_postgres_check_lease(self, lease, err);
  if (status == CK_OK) status = check_forks(self, lease.session, count, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = copy_to_fork(self, lease.session, &forks[i], err);
  if (status == CK_OK)
    status = run(NULL, self, CK_POSTGRES_DELETE, &lease.session, 1, doing_delete, err);
  return ck_postgres_end(self, status, err);
}

void ck_postgres_add_maintenance(ck_backend *backend) {
  backend->pin = pin;
  backend->list_pins = list_pins;
  backend->prune = prune;
  backend->list_bases = list_bases;
  backend->delete_session = delete_session;
}
