/* read.c - reads sessions, forks, timelines, heads, and what runs executed. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/store/postgres/postgres.h"

/* ---- sessions ---- */

/* The mark of sealed values (sealed/sealed.h), which are opened and checked there. */
static bool is_sealed(ck_bytes bytes) { return bytes.len && (unsigned char)*bytes.data < ' '; }

static ck_status read_input(ck_session_record *out, ck_bytes input, ck_error *err) {
  if (!input.len) return CK_OK;
  if (is_sealed(input)) return ck_value_copy(&out->input, input, err);
  ck_status status = ck_value_new(&out->input, input, err);
  if (status != CK_E_PARSE) return status;
  ck_error_prefix(err, "session %s: its stored input", out->id);
  if (err) err->status = CK_E_CORRUPT;
  return CK_E_CORRUPT;
}

static ck_status read_record(ck_session_record *out, const ck_postgres_row *row, ck_error *err) {
  *out = (ck_session_record){
      .no = ck_postgres_int(row, 0),
      .status = (ck_session_status)ck_postgres_int(row, 2),
      .epoch = (uint64_t)ck_postgres_int(row, 4),
      .timeline = ck_postgres_int(row, 5),
      .created_ms = ck_postgres_int(row, 7),
      .updated_ms = ck_postgres_int(row, 8),
      .origin = {ck_postgres_int(row, 13), ck_postgres_int(row, 14)},
      .restarts = {ck_postgres_int(row, 15), ck_postgres_int(row, 16), ck_postgres_int(row, 17)},
  };
  ck_postgres_id(out->id, row, 1);
  ck_postgres_id(out->run, row, 6);
  const struct {
    char **to;
    int column;
  } texts[] = {{&out->reason, 3},   {&out->profile, 9},      {&out->flow, 10},
               {&out->failure, 12}, {&out->description, 18}, {&out->node, 19}};
  ck_status status = CK_OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && status == CK_OK; i++)
    status = ck_text_copy(texts[i].to, ck_postgres_text(row, texts[i].column), err);
  if (status == CK_OK) status = read_input(out, ck_postgres_bytes(row, 11), err);
  if (status != CK_OK) ck_session_record_clear(out);
  return status;
}

static ck_status get_session(ck_session_record *out, void *to, const char *session_id,
                             ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_SESSION};
  *out = (ck_session_record){0};
  ck_postgres_bind_text(&query, session_id);
  ck_status status = ck_postgres_read(&result, self, &query, "read a session", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  status = row.count ? read_record(out, &row, err)
                     : ck_error_set(err, CK_E_NOT_FOUND, "there is no session %s in store %s",
                                    session_id, self->url.name);
  self->pq->clear(result);
  return status;
}

static ck_status get_identity(ck_identity *out, void *to, int64_t session, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_IDENTITY};
  *out = (ck_identity){0};
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, "read a session", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count) {
    ck_postgres_id(out->id, &row, 0);
    out->origin = (ck_origin){ck_postgres_int(&row, 1), ck_postgres_int(&row, 2)};
    out->created_ms = ck_postgres_int(&row, 3);
  } else {
    status = ck_error_set(err, CK_E_NOT_FOUND, "store %s has no session number %lld",
                          self->url.name, (long long)session);
  }
  self->pq->clear(result);
  return status;
}

/* ---- lists of sessions, page by page: a visitor may ask the store ---- */

typedef struct walk {
  ck_session_visit visit;
  void *to;
  int64_t at; /* the number of the last one */
  bool more;
} walk;

static ck_status visit_page(walk *self, ck_postgres *store, PGresult *page, ck_error *err) {
  ck_status status = CK_OK;
  ck_postgres_row row = ck_postgres_first(store->pq, page);
  if (!row.count) self->more = false;
  for (; row.at < row.count && self->more && status == CK_OK; row.at++) {
    ck_session_record record;
    status = read_record(&record, &row, err);
    if (status != CK_OK) break;
    self->at = record.no;
    self->more = self->visit(self->to, &record);
    ck_session_record_clear(&record);
  }
  store->pq->clear(page);
  return status;
}

static ck_status list_sessions(void *to, const ck_session_query *asked, ck_session_visit visit,
                               void *visitor, ck_error *err) {
  ck_postgres *self = to;
  walk all = {visit, visitor, INT64_MAX, true};
  ck_status status = CK_OK;
  while (status == CK_OK && all.more) {
    PGresult *page;
    ck_postgres_query query = {.sql =
                                   asked->lean ? CK_POSTGRES_LIST_LEAN : CK_POSTGRES_LIST_SESSIONS};
    ck_postgres_bind_int(&query, all.at);
    ck_postgres_bind_int(&query, asked->statuses ? (int64_t)asked->statuses : -1);
    ck_postgres_bind_int(&query, asked->since_ms);
    status = ck_postgres_read(&page, self, &query, "list its sessions", err);
    if (status == CK_OK) status = visit_page(&all, self, page, err);
  }
  return status;
}

static ck_status group_sessions(void *to, ck_session_group_visit visit, void *visitor,
                                ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GROUP};
  ck_status status = ck_postgres_read(&result, self, &query, "count its sessions", err);
  if (status != CK_OK) return status;
  bool more = true;
  for (ck_postgres_row row = ck_postgres_first(self->pq, result); row.at < row.count && more;
       row.at++)
    more = visit(visitor, &(ck_session_group){.status = (ck_session_status)ck_postgres_int(&row, 0),
                                              .reason = ck_postgres_text(&row, 1),
                                              .count = ck_postgres_int(&row, 2),
                                              .updated_ms = ck_postgres_int(&row, 3)});
  self->pq->clear(result);
  return CK_OK;
}

static ck_status list_forks(void *to, int64_t session, ck_session_visit visit, void *visitor,
                            ck_error *err) {
  ck_postgres *self = to;
  walk all = {visit, visitor, 0, true};
  ck_status status = CK_OK;
  while (status == CK_OK && all.more) {
    PGresult *page;
    ck_postgres_query query = {.sql = CK_POSTGRES_LIST_FORKS};
    ck_postgres_bind_int(&query, session);
    ck_postgres_bind_int(&query, all.at);
    status = ck_postgres_read(&page, self, &query, "list forks", err);
    if (status == CK_OK) status = visit_page(&all, self, page, err);
  }
  return status;
}

/* ---- timelines, heads ---- */

static ck_timeline read_timeline(const ck_postgres_row *row) {
  ck_timeline timeline = {.no = ck_postgres_int(row, 0),
                          .parent = ck_postgres_int(row, 1),
                          .cut = ck_postgres_int(row, 2),
                          .begin = ck_postgres_int(row, 3),
                          .checkpoint = ck_postgres_int(row, 4),
                          .attempt = (uint32_t)ck_postgres_int(row, 5)};
  ck_postgres_id(timeline.run, row, 6);
  ck_postgres_id(timeline.parent_run, row, 7);
  return timeline;
}

static ck_status list_timelines(ck_timeline **out, size_t *count, void *to, int64_t session,
                                ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_TIMELINES};
  *out = NULL;
  *count = 0;
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, "list timelines", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  *out = calloc((size_t)row.count + 1, sizeof **out);
  if (!*out) status = ck_error_no_memory(err);
  for (; *out && row.at < row.count; row.at++) (*out)[(*count)++] = read_timeline(&row);
  self->pq->clear(result);
  return status;
}

static ck_status get_head(ck_head_row *out, void *to, int64_t session, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_HEAD};
  *out = (ck_head_row){0};
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, "read the head of a session", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count && ck_postgres_int(&row, 2)) {
    *out = (ck_head_row){.epoch = (uint64_t)ck_postgres_int(&row, 0),
                         .status = (ck_session_status)ck_postgres_int(&row, 1),
                         .seq = ck_postgres_int(&row, 2)};
    if (!ck_head_row_take(out, ck_postgres_bytes(&row, 3), ck_postgres_bytes(&row, 4),
                          ck_postgres_bytes(&row, 5)))
      status = ck_error_set(err, CK_E_CORRUPT, "its head in store %s is not what was written",
                            self->url.name);
  }
  self->pq->clear(result);
  return status;
}

static ck_status get_about(ck_value **out, char run[CK_ID_SIZE], void *to, int64_t session,
                           int64_t timeline, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_ABOUT};
  *out = NULL;
  *run = '\0';
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, timeline);
  ck_status status = ck_postgres_read(&result, self, &query, "read what a run executed", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count) {
    ck_bytes about = ck_postgres_bytes(&row, 0);
    ck_postgres_id(run, &row, 1);
    if (about.len) status = ck_value_copy(out, about, err);
  }
  self->pq->clear(result);
  return status;
}

void ck_postgres_add_reads(ck_backend *backend) {
  backend->get_session = get_session;
  backend->get_identity = get_identity;
  backend->list_sessions = list_sessions;
  backend->worker.group = group_sessions;
  backend->list_forks = list_forks;
  backend->list_timelines = list_timelines;
  backend->get_head = get_head;
  backend->get_about = get_about;
}
