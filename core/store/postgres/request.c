/* request.c - requests from other processes to the owner of a session. */
#include "core/base/text.h"
#include "core/store/postgres/postgres.h"

static ck_status put_request(void *to, const ck_request *request, ck_error *err) {
  ck_postgres *self = to;
  int rows = 1;
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_REQUEST};
  ck_status status = ck_postgres_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  ck_postgres_bind_int(&query, request->session);
  ck_postgres_bind_text(&query, request->kind);
  ck_postgres_bind_optional(&query,
                            request->body ? ck_value_bytes(request->body) : (ck_bytes){NULL, 0});
  status = ck_postgres_check_key(self, err);
  if (status == CK_OK)
    status = ck_postgres_write(&rows, self->writer, &query, "leave a request", err);
  ck_postgres_query_clear(&query);
  if (status == CK_OK && rows == 0)
    status = ck_error_set(err, CK_E_NOT_FOUND, "there is no session number %lld in store %s",
                          (long long)request->session, self->url.name);
  return ck_postgres_end(self, status, err);
}

static void bind_lease(ck_postgres_query *query, ck_postgres *self, ck_lease lease) {
  ck_postgres_bind_int(query, lease.session);
  ck_postgres_bind_int(query, (int64_t)lease.epoch);
  ck_postgres_bind_int(query, ck_postgres_writer_of(self, lease));
}

static ck_status fenced(const ck_postgres *self, ck_lease lease, ck_error *err) {
  return ck_error_set(err, CK_E_FENCED, "session number %lld in store %s was taken by another run",
                      (long long)lease.session, self->url.name);
}

/* Called at every boundary and nearly always without result: a read then. */
static ck_status peek_request(bool *waiting, ck_postgres *self, ck_lease lease, ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_PEEK_REQUEST};
  *waiting = false;
  bind_lease(&query, self, lease);
  ck_status status = ck_postgres_read(&result, self, &query, "look for requests", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count)
    *waiting = ck_postgres_int(&row, 0) != 0;
  else
    status = fenced(self, lease, err);
  self->pq->clear(result);
  return status;
}

static ck_status read_body(ck_value **out, ck_bytes body, ck_error *err) {
  if (!body.len) return CK_OK;
  bool sealed = (unsigned char)*body.data < ' '; /* the mark of sealed values (sealed/sealed.h) */
  return sealed ? ck_value_copy(out, body, err) : ck_value_new(out, body, err);
}

static ck_status take_request(ck_request *out, bool *found, ck_postgres *self, ck_lease lease,
                              ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_TAKE_REQUEST};
  bind_lease(&query, self, lease);
  ck_status status = ck_postgres_run(&result, self->writer, &query, "take a request", err);
  ck_postgres_query_clear(&query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (!ck_postgres_int(&row, 0)) status = fenced(self, lease, err);
  *found = status == CK_OK && ck_postgres_int(&row, 1);
  if (*found) {
    out->no = ck_postgres_int(&row, 1);
    out->session = lease.session;
    status = ck_text_copy(&out->kind, ck_postgres_text(&row, 2), err);
    if (status == CK_OK) status = read_body(&out->body, ck_postgres_bytes(&row, 3), err);
  }
  self->pq->clear(result);
  return status;
}

static ck_status get_request(ck_request *out, bool *found, void *to, ck_lease lease,
                             ck_error *err) {
  ck_postgres *self = to;
  bool waiting;
  *out = (ck_request){0};
  *found = false;
  ck_status status = peek_request(&waiting, self, lease, err);
  if (status != CK_OK || !waiting) return status;
  status = ck_postgres_begin(self, CK_DURABLE_PROCESS, err);
  if (status == CK_OK)
    status = ck_postgres_end(self, take_request(out, found, self, lease, err), err);
  if (status == CK_OK) return CK_OK;
  *found = false;
  ck_request_clear(out);
  *out = (ck_request){0};
  return status;
}

void ck_postgres_add_requests(ck_backend *backend) {
  backend->put_request = put_request;
  backend->get_request = get_request;
}
