/* request.c - requests from other processes to the owner of a session. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/sqlite.h"

static ck_status put_request(void *to, const ck_request *request, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_REQUEST);
  ck_bind_int(&binder, request->session);
  ck_bind_text(&binder, request->kind);
  ck_bind_optional(&binder, request->body ? ck_value_bytes(request->body) : (ck_bytes){NULL, 0});
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = ck_inventory_touch_session(self, request->session, err);
  if (status == CK_OK) status = ck_sqlite_write(self, &binder, "leave a request", err);
  if (status == CK_OK && sqlite3_changes(self->writer->db) == 0)
    status = ck_error_set(err, CK_E_NOT_FOUND, "there is no session number %lld in store %s",
                          (long long)request->session, self->path);
  return ck_sqlite_end(self, status, err);
}

static ck_status fenced(const ck_sqlite *self, ck_lease lease, ck_error *err) {
  return ck_error_set(err, CK_E_FENCED, "session number %lld in store %s was taken by another run",
                      (long long)lease.session, self->path);
}

static ck_status read_request(ck_request *out, ck_sqlite *self, sqlite3_stmt *stmt, ck_error *err) {
  const char *kind = ck_column_text(stmt, 2);
  ck_bytes body = ck_column_bytes(stmt, 3);
  out->no = sqlite3_column_int64(stmt, 1);
  if (!sqlite3_column_int(stmt, 4))
    return ck_error_set(err, CK_E_CORRUPT,
                        "request %lld in store %s is not what was written: its check differs",
                        (long long)out->no, self->path);
  out->kind = strdup(kind ? kind : "");
  if (!out->kind) return ck_error_no_memory(err);
  bool sealed =
      body.len && (unsigned char)*body.data < ' '; /* the mark of sealed values (sealed/sealed.h) */
  if (!body.len) return CK_OK;
  return sealed ? ck_value_copy(&out->body, body, err) : ck_value_new(&out->body, body, err);
}

/* Called at every boundary and nearly always without result: a read, without the lock. */
static ck_status find_request(ck_request *out, bool *found, ck_sqlite *self, ck_lease lease,
                              int64_t after, ck_error *err) {
  ck_connection *reader;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(reader, CK_SQL_GET_REQUEST);
  ck_bind_int(&binder, lease.session);
  ck_bind_int(&binder, after);
  int code = ck_binder_next(&binder);
  bool row = code == SQLITE_ROW;
  if (!row && code != SQLITE_DONE)
    status = ck_sqlite_error(self, reader->db, code, "look for requests", err);
  else if (!row || (uint64_t)sqlite3_column_int64(binder.stmt, 0) != lease.epoch)
    status = fenced(self, lease, err);
  *found = status == CK_OK && sqlite3_column_type(binder.stmt, 1) != SQLITE_NULL;
  if (*found) status = read_request(out, self, binder.stmt, err);
  ck_binder_clear(&binder);
  ck_sqlite_put_reader(self, reader);
  return status;
}

static ck_status get_request(ck_request *out, bool *found, void *to, ck_lease lease, int64_t after,
                             ck_error *err) {
  ck_sqlite *self = to;
  *out = (ck_request){.session = lease.session};
  *found = false;
  ck_status status = self->read_only ? ck_error_set(err, CK_E_READ_ONLY,
                                                    "store %s was opened read-only", self->path)
                                     : find_request(out, found, self, lease, after, err);
  if (status == CK_OK && *found) return CK_OK;
  int64_t damaged = status == CK_E_CORRUPT ? out->no : 0;
  *found = false;
  ck_request_clear(out);
  out->no = damaged;
  return status;
}

static ck_status drop(ck_sqlite *self, ck_lease lease, int64_t no, ck_error *err) {
  ck_sqlite_position position;
  ck_status status = ck_sqlite_get_position(&position, self, lease.session, 0, err);
  if (status == CK_OK && (!position.found || position.epoch != lease.epoch))
    status = fenced(self, lease, err);
  if (status == CK_OK) status = ck_inventory_touch_session(self, lease.session, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_DROP_REQUEST);
  ck_bind_int(&binder, no);
  ck_bind_int(&binder, lease.session);
  return ck_sqlite_write(self, &binder, "take a request out", err);
}

static ck_status drop_request(void *to, ck_lease lease, int64_t no, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  return status == CK_OK ? ck_sqlite_end(self, drop(self, lease, no, err), err) : status;
}

void ck_sqlite_add_requests(ck_backend *backend) {
  backend->put_request = put_request;
  backend->get_request = get_request;
  backend->drop_request = drop_request;
}
