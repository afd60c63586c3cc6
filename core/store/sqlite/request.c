/* request.c - requests from other processes to the owner of a session. */
#include <stdlib.h>
#include <string.h>

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

/* Called at every boundary and nearly always without result: so first a read, without the lock. */
static ck_status peek_request(bool *waiting, ck_sqlite *self, ck_lease lease, ck_error *err) {
  *waiting = false;
  ck_connection *reader;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(reader, CK_SQL_PEEK_REQUEST);
  ck_bind_int(&binder, lease.session);
  int code = ck_binder_next(&binder);
  if (code == SQLITE_ROW && (uint64_t)sqlite3_column_int64(binder.stmt, 0) == lease.epoch)
    *waiting = sqlite3_column_int(binder.stmt, 1) != 0;
  else if (code == SQLITE_ROW || code == SQLITE_DONE)
    status = fenced(self, lease, err);
  else
    status = ck_sqlite_error(self, reader->db, code, "look for requests", err);
  ck_binder_clear(&binder);
  ck_sqlite_put_reader(self, reader);
  return status;
}

static ck_status read_request(ck_request *out, bool *found, ck_sqlite *self, ck_lease lease,
                              ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_GET_REQUEST);
  ck_bind_int(&binder, lease.session);
  int code = ck_binder_next(&binder);
  *found = code == SQLITE_ROW;
  if (code == SQLITE_DONE) return CK_OK;
  if (code != SQLITE_ROW)
    return ck_sqlite_error(self, self->writer->db, code, "read a request", err);
  if (!sqlite3_column_int(binder.stmt, 3)) {
    ck_error_set(err, CK_E_CORRUPT,
                 "request %lld in store %s is not what was written: its check differs",
                 (long long)sqlite3_column_int64(binder.stmt, 0), self->path);
    ck_binder_clear(&binder);
    return CK_E_CORRUPT;
  }
  const char *kind = (const char *)sqlite3_column_text(binder.stmt, 1);
  ck_bytes body = {sqlite3_column_blob(binder.stmt, 2),
                   (size_t)sqlite3_column_bytes(binder.stmt, 2)};
  out->no = sqlite3_column_int64(binder.stmt, 0);
  out->session = lease.session;
  out->kind = strdup(kind ? kind : "");
  ck_status status = out->kind ? CK_OK : ck_error_no_memory(err);
  bool sealed =
      body.len && (unsigned char)*body.data < ' '; /* the mark of sealed values (sealed/sealed.h) */
  if (status == CK_OK && sealed)
    status = ck_value_copy(&out->body, body, err);
  else if (status == CK_OK && body.len)
    status = ck_value_new(&out->body, body, err);
  ck_binder_clear(&binder);
  return status;
}

static ck_status take_request(ck_request *out, bool *found, ck_sqlite *self, ck_lease lease,
                              ck_error *err) {
  ck_sqlite_position position;
  ck_status status = ck_sqlite_get_position(&position, self, lease.session, 0, err);
  if (status == CK_OK && (!position.found || position.epoch != lease.epoch))
    status = fenced(self, lease, err);
  if (status == CK_OK) status = read_request(out, found, self, lease, err);
  if (status == CK_OK && *found) status = ck_inventory_touch_session(self, lease.session, err);
  if (status != CK_OK || !*found) return status;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_DROP_REQUEST);
  ck_bind_int(&binder, out->no);
  return ck_sqlite_write(self, &binder, "take a request", err);
}

static ck_status get_request(ck_request *out, bool *found, void *to, ck_lease lease,
                             ck_error *err) {
  ck_sqlite *self = to;
  *out = (ck_request){0};
  *found = false;
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  bool waiting;
  ck_status status = peek_request(&waiting, self, lease, err);
  if (status != CK_OK || !waiting) return status;
  status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status == CK_OK)
    status = ck_sqlite_end(self, take_request(out, found, self, lease, err), err);
  if (status == CK_OK) return CK_OK;
  *found = false;
  ck_value_free(out->body);
  free(out->kind);
  *out = (ck_request){0};
  return status;
}

void ck_sqlite_add_requests(ck_backend *backend) {
  backend->put_request = put_request;
  backend->get_request = get_request;
}
