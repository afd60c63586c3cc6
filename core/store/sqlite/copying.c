/* copying.c - the store at one moment, and its rows that only a copy needs. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/archive.h"
#include "core/store/sqlite/reader.h"

static const char doing[] = "copy it";

/* The transaction begins with its first question. */
static ck_status begin_reading(void *to, ck_error *err) {
  ck_sqlite *self = to;
  ck_connection *reader;
  int64_t rows;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  int code = sqlite3_exec(reader->db, "BEGIN", NULL, NULL, NULL);
  if (code != SQLITE_OK) status = ck_sqlite_error(self, reader->db, code, doing, err);
  if (status == CK_OK)
    status = ck_connection_get_int(&rows, self, reader, "SELECT count(*) FROM meta", err);
  if (status == CK_OK)
    self->snapshot = reader;
  else
    ck_sqlite_put_reader(self, reader);
  return status;
}

static void end_reading(void *to) {
  ck_sqlite *self = to;
  ck_connection *reader = self->snapshot;
  if (!reader) return;
  self->snapshot = NULL;
  sqlite3_exec(reader->db, "ROLLBACK", NULL, NULL, NULL);
  ck_sqlite_put_reader(self, reader);
}

static ck_status list_uses(void *to, int64_t session, ck_use_visit visit, void *visitor,
                           ck_error *err) {
  ck_sqlite *self = to;
  ck_reader read;
  bool more = true;
  if (self->schema < 3) return CK_OK;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_LIST_BLOB_USES, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  while (more && status == CK_OK && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_digest name;
    ck_bytes bytes = ck_column_bytes(read.binder.stmt, 0);
    if (bytes.len == CK_DIGEST_SIZE && sqlite3_column_int(read.binder.stmt, 1)) {
      memcpy(name.bytes, bytes.data, CK_DIGEST_SIZE);
      more = visit(visitor, &name);
    } else {
      status = ck_error_set(err, CK_E_CORRUPT,
                            "store %s: a file that session number %lld needs is not what was "
                            "written: its check differs",
                            self->path, (long long)session);
    }
  }
  return ck_reader_end(&read, status, doing, err);
}

static ck_status take_request(ck_request *out, const ck_sqlite *self, int64_t session,
                              sqlite3_stmt *stmt, ck_error *err) {
  const char *kind = ck_column_text(stmt, 1);
  ck_bytes body = ck_column_bytes(stmt, 2);
  *out = (ck_request){.no = sqlite3_column_int64(stmt, 0), .session = session};
  if (!sqlite3_column_int(stmt, 3))
    return ck_error_set(err, CK_E_CORRUPT,
                        "request %lld in store %s is not what was written: its check differs",
                        (long long)out->no, self->path);
  out->kind = strdup(kind ? kind : "");
  if (!out->kind) return ck_error_no_memory(err);
  return body.len ? ck_value_copy(&out->body, body, err) : CK_OK;
}

static ck_status list_requests(void *to, int64_t session, ck_request_visit visit, void *visitor,
                               ck_error *err) {
  ck_sqlite *self = to;
  ck_reader read;
  bool more = true;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_LIST_REQUESTS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  while (more && status == CK_OK && ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_request request;
    status = take_request(&request, self, session, read.binder.stmt, err);
    if (status == CK_OK) more = visit(visitor, &request);
    ck_request_clear(&request);
  }
  return ck_reader_end(&read, status, doing, err);
}

void ck_sqlite_add_copy(ck_backend *backend) {
  backend->copy = (ck_copy_functions){.begin_reading = begin_reading,
                                      .end_reading = end_reading,
                                      .list_uses = list_uses,
                                      .list_requests = list_requests};
}
