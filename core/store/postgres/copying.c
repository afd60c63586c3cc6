/* copying.c - the store at one moment, and its rows that only a copy needs. */
#include <stdlib.h>
#include <string.h>

#include "core/store/postgres/postgres.h"

static const char doing[] = "copy it";

/* One connection sees it: a copy into a slow place may leave it idle for long. */
static ck_status begin_reading(void *to, ck_error *err) {
  ck_postgres *self = to;
  ck_postgres_connection *by;
  ck_status status = ck_postgres_take(&by, self, err);
  if (status != CK_OK) return status;
  status = ck_postgres_exec(by,
                            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
                            " SET LOCAL idle_in_transaction_session_timeout = 0;"
                            " SELECT count(*) FROM meta",
                            doing, err);
  if (status == CK_OK)
    self->snapshot = by;
  else
    ck_postgres_unlink(self, by);
  return status;
}

static void end_reading(void *to) {
  ck_postgres *self = to;
  ck_postgres_connection *by = self->snapshot;
  self->snapshot = NULL;
  ck_postgres_unlink(self, by);
}

static ck_status list_uses(void *to, int64_t session, ck_use_visit visit, void *visitor,
                           ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_USES};
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, doing, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  bool more = true;
  for (; row.at < row.count && more && status == CK_OK; row.at++) {
    ck_digest name;
    ck_bytes bytes = ck_postgres_bytes(&row, 0);
    if (bytes.len == CK_DIGEST_SIZE) {
      memcpy(name.bytes, bytes.data, CK_DIGEST_SIZE);
      more = visit(visitor, &name);
    } else {
      status = ck_error_set(err, CK_E_CORRUPT,
                            "store %s: a file that session number %lld needs is not what was "
                            "written",
                            self->url.name, (long long)session);
    }
  }
  self->pq->clear(result);
  return status;
}

static ck_status list_requests(void *to, int64_t session, ck_request_visit visit, void *visitor,
                               ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_REQUESTS};
  ck_postgres_bind_int(&query, session);
  ck_status status = ck_postgres_read(&result, self, &query, doing, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  bool more = true;
  for (; row.at < row.count && more && status == CK_OK; row.at++) {
    const char *kind = ck_postgres_text(&row, 1);
    ck_bytes body = ck_postgres_bytes(&row, 2);
    ck_request request = {.no = ck_postgres_int(&row, 0), .session = session};
    request.kind = strdup(kind ? kind : "");
    if (!request.kind) status = ck_error_no_memory(err);
    if (status == CK_OK && body.len) status = ck_value_copy(&request.body, body, err);
    if (status == CK_OK) more = visit(visitor, &request);
    ck_request_clear(&request);
  }
  self->pq->clear(result);
  return status;
}

void ck_postgres_add_copy(ck_backend *backend) {
  backend->copy = (ck_copy_functions){.begin_reading = begin_reading,
                                      .end_reading = end_reading,
                                      .list_uses = list_uses,
                                      .list_requests = list_requests,
                                      .take_back = ck_postgres_take_back};
}
