/* rows.c - reads rows of events and checkpoints in pages, and the figures of the store. */
#include <string.h>

#include "core/store/postgres/postgres.h"

/* ---- numbers ---- */

static ck_status read_number(int64_t *out, ck_postgres *self, ck_postgres_sql sql, int64_t session,
                             ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = sql};
  *out = 0;
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, "count its events", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count) *out = ck_postgres_int(&row, 0);
  self->pq->clear(result);
  return CK_OK;
}

static ck_status last_seq(int64_t *out, void *to, int64_t session, ck_error *err) {
  return read_number(out, to, CK_POSTGRES_LAST_SEQ, session, err);
}

static ck_status count_events(int64_t *out, void *to, int64_t session, ck_error *err) {
  return read_number(out, to, CK_POSTGRES_COUNT_EVENTS, session, err);
}

/* ---- pages ---- */

/* What is left of a range; a page begins behind the last row of the one before. */
typedef struct range {
  int64_t session, after, until;
  bool backward, more;
} range;

static range range_of(int64_t session, int64_t after, int64_t until, bool backward) {
  return (range){session, after, until ? until : INT64_MAX, backward, true};
}

static void bind_range(ck_postgres_query *query, const range *of) {
  ck_postgres_bind_int(query, of->session);
  ck_postgres_bind_int(query, of->after);
  ck_postgres_bind_int(query, of->until);
}

static void move_on(range *of, int64_t seq) {
  if (of->backward)
    of->until = seq - 1;
  else
    of->after = seq;
}

/* ---- events ---- */

ck_event_row ck_postgres_event_row(const ck_postgres_row *row) {
  const char *scope = ck_postgres_text(row, 4);
  return (ck_event_row){
      .seq = ck_postgres_int(row, 0),
      .timeline = ck_postgres_int(row, 1),
      .kind = (ck_event_kind)ck_postgres_int(row, 2),
      .at_ms = ck_postgres_int(row, 3),
      .scope = scope ? scope : "",
      .agent = ck_postgres_text(row, 5),
      .encoding = (int)ck_postgres_int(row, 6),
      .plain_len = ck_postgres_int(row, 7),
      .check = ck_postgres_int(row, 8),
      .body = ck_postgres_bytes(row, 9),
      .mac = ck_postgres_bytes(row, 10),
      .key_id = ck_postgres_bytes(row, 11),
      .decision = ck_postgres_bytes(row, 12),
  };
}

static ck_status read_events(void *to, const ck_event_rows *rows, ck_event_row_visit visit,
                             void *visitor, ck_error *err) {
  ck_postgres *self = to;
  range left = range_of(rows->session, rows->after, rows->until, rows->backward);
  ck_status status = CK_OK;
  while (status == CK_OK && left.more) {
    PGresult *page;
    ck_postgres_query query = {.sql = rows->backward ? CK_POSTGRES_EVENTS_BACKWARD
                                                     : CK_POSTGRES_EVENTS};
    bind_range(&query, &left);
    ck_postgres_bind_int(&query, rows->kinds ? (int64_t)rows->kinds : -1);
    ck_postgres_bind_text(&query, rows->agent);
    ck_postgres_bind_int(&query, (int64_t)rows->others);
    status = ck_postgres_read(&page, self, &query, "read events", err);
    if (status != CK_OK) break;
    ck_postgres_row row = ck_postgres_first(self->pq, page);
    left.more = row.count > 0;
    for (; row.at < row.count && left.more; row.at++) {
      ck_event_row event = ck_postgres_event_row(&row);
      move_on(&left, event.seq);
      left.more = visit(visitor, &event);
    }
    self->pq->clear(page);
  }
  return status;
}

/* ---- checkpoints ---- */

/* A digest of another length becomes zero, which is the digest of no content: verifying the row
 * then finds it corrupt. */
static ck_digest digest_of(const ck_postgres_row *row, int column) {
  ck_digest digest = {{0}};
  ck_bytes bytes = ck_postgres_bytes(row, column);
  if (bytes.len == CK_DIGEST_SIZE) memcpy(digest.bytes, bytes.data, CK_DIGEST_SIZE);
  return digest;
}

ck_checkpoint_row ck_postgres_checkpoint_row(const ck_postgres_row *row) {
  int64_t n[21];
  for (int i = 1; i < 21; i++) n[i] = ck_postgres_int(row, i);
  ck_checkpoint_row checkpoint = {
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
      .events_digest = digest_of(row, 21),
      .payload_digest = digest_of(row, 22),
      .digest = digest_of(row, 23),
      .mac = ck_postgres_bytes(row, 24),
      .key_id = ck_postgres_bytes(row, 25),
      .info = ck_postgres_bytes(row, 26),
      .payload = {ck_postgres_bytes(row, 28).data, (size_t)ck_postgres_int(row, 27)},
  };
  ck_postgres_id(checkpoint.id, row, 0);
  return checkpoint;
}

static ck_status read_checkpoints(void *to, const ck_checkpoint_rows *rows,
                                  ck_checkpoint_row_visit visit, void *visitor, ck_error *err) {
  static const ck_postgres_sql statements[2][2] = {
      {CK_POSTGRES_CHECKPOINTS, CK_POSTGRES_CHECKPOINTS_BACKWARD},
      {CK_POSTGRES_PAYLOADS, CK_POSTGRES_PAYLOADS_BACKWARD}};
  ck_postgres *self = to;
  range left = range_of(rows->session, rows->after, rows->until, rows->backward);
  ck_status status = CK_OK;
  while (status == CK_OK && left.more) {
    PGresult *page;
    ck_postgres_query query = {.sql = statements[rows->payloads][rows->backward]};
    bind_range(&query, &left);
    status = ck_postgres_read(&page, self, &query, "read checkpoints", err);
    if (status != CK_OK) break;
    ck_postgres_row row = ck_postgres_first(self->pq, page);
    left.more = row.count > 0;
    for (; row.at < row.count && left.more; row.at++) {
      ck_checkpoint_row checkpoint = ck_postgres_checkpoint_row(&row);
      move_on(&left, checkpoint.seq);
      left.more = visit(visitor, &checkpoint);
    }
    self->pq->clear(page);
  }
  return status;
}

static ck_status count_checkpoints(ck_checkpoint_count *out, void *to,
                                   const ck_checkpoint_rows *rows, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_COUNT_CHECKPOINTS};
  range all = range_of(rows->session, rows->after, rows->until, false);
  bind_range(&query, &all);
  ck_status status = ck_postgres_read(&result, self, &query, "count its checkpoints", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  out->checkpoints += ck_postgres_int(&row, 0);
  out->keyframes += ck_postgres_int(&row, 1);
  out->stored_bytes += ck_postgres_int(&row, 2);
  out->hidden += ck_postgres_int(&row, 3);
  self->pq->clear(result);
  return CK_OK;
}

/* ---- figures ---- */

static ck_status get_stats(ck_store_stats *out, void *to, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_STATS};
  *out = (ck_store_stats){0};
  ck_status status = ck_postgres_read(&result, self, &query, "read its figures", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  int64_t *const figures[] = {
      &out->sessions,    &out->events,    &out->event_bytes,   &out->event_plain_bytes,
      &out->checkpoints, &out->keyframes, &out->payload_bytes, &out->payload_plain_bytes,
      &out->file_bytes};
  for (int i = 0; i < (int)(sizeof figures / sizeof *figures); i++)
    *figures[i] = ck_postgres_int(&row, i);
  out->schema = CK_STORE_SCHEMA;
  self->pq->clear(result);
  return CK_OK;
}

void ck_postgres_add_rows(ck_backend *backend) {
  backend->last_seq = last_seq;
  backend->count_events = count_events;
  backend->read_events = read_events;
  backend->read_checkpoints = read_checkpoints;
  backend->count_checkpoints = count_checkpoints;
  backend->get_stats = get_stats;
}
