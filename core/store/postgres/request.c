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

static ck_status read_body(ck_request *out, const ck_postgres *self, ck_bytes body, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  if (!body.len) return CK_OK;
  bool sealed = (unsigned char)*body.data < ' '; /* the mark of sealed values (sealed/sealed.h) */
  if (!sealed && ck_json_check(body, &problem) != CK_OK)
    return ck_error_set(err, CK_E_CORRUPT, "request %lld in store %s is not what was written: %s",
                        (long long)out->no, self->url.name, problem.text);
  return ck_value_copy(&out->body, body, err);
}

/* Called at every boundary and nearly always without result: a read. */
static ck_status find_request(ck_request *out, bool *found, ck_postgres *self, ck_lease lease,
                              int64_t after, ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_REQUEST};
  bind_lease(&query, self, lease);
  ck_postgres_bind_int(&query, after);
  ck_status status = ck_postgres_read(&result, self, &query, "look for requests", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (!row.count) status = fenced(self, lease, err);
  out->no = row.count ? ck_postgres_int(&row, 0) : 0;
  *found = out->no != 0;
  if (*found) status = ck_text_copy(&out->kind, ck_postgres_text(&row, 1), err);
  if (*found && status == CK_OK) status = read_body(out, self, ck_postgres_bytes(&row, 2), err);
  self->pq->clear(result);
  return status;
}

static ck_status get_request(ck_request *out, bool *found, void *to, ck_lease lease, int64_t after,
                             ck_error *err) {
  *out = (ck_request){.session = lease.session};
  *found = false;
  ck_status status = find_request(out, found, to, lease, after, err);
  if (status == CK_OK && *found) return CK_OK;
  int64_t damaged = status == CK_E_CORRUPT ? out->no : 0;
  *found = false;
  ck_request_clear(out);
  out->no = damaged;
  return status;
}

static ck_status drop(ck_postgres *self, ck_lease lease, int64_t no, ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_DROP_REQUEST};
  bind_lease(&query, self, lease);
  ck_postgres_bind_int(&query, no);
  ck_status status = ck_postgres_run(&result, self->writer, &query, "take a request out", err);
  ck_postgres_query_clear(&query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (!ck_postgres_int(&row, 0)) status = fenced(self, lease, err);
  self->pq->clear(result);
  return status;
}

static ck_status drop_request(void *to, ck_lease lease, int64_t no, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_PROCESS, err);
  return status == CK_OK ? ck_postgres_end(self, drop(self, lease, no, err), err) : status;
}

void ck_postgres_add_requests(ck_backend *backend) {
  backend->put_request = put_request;
  backend->get_request = get_request;
  backend->drop_request = drop_request;
}
