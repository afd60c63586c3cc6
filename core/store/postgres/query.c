/* query.c - encodes arguments, runs prepared statements, decodes answers. */
#include "core/store/postgres/query.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"

static const char *const texts[] = {
#define X(name, text) [name] = text,
    CK_POSTGRES_SQL_TABLE(X)
#undef X
};

/* ---- arguments ---- */

static void put(ck_postgres_query *self, const char *value, size_t len) {
  if (self->count == CK_POSTGRES_ARGUMENTS || len > INT32_MAX) {
    self->failed = true;
    return;
  }
  self->values[self->count] = value;
  self->lengths[self->count++] = (int)len;
}

void ck_postgres_bind_int(ck_postgres_query *self, int64_t number) {
  int at = self->count < CK_POSTGRES_ARGUMENTS ? self->count : 0;
  self->numbers[at] = (int64_t)htobe64((uint64_t)number);
  put(self, (const char *)&self->numbers[at], sizeof(int64_t));
}

void ck_postgres_bind_blob(ck_postgres_query *self, ck_bytes bytes) {
  put(self, bytes.data ? bytes.data : "", bytes.len);
}

void ck_postgres_bind_optional(ck_postgres_query *self, ck_bytes bytes) {
  put(self, bytes.len ? bytes.data : NULL, bytes.len);
}

static bool is_utf8(const char *text, size_t len) {
  while (len) {
    size_t step = ck_utf8_length(text, len);
    if (!step) return false;
    text += step, len -= step;
  }
  return true;
}

static void append_mended(ck_buffer *to, const char *text, size_t len) {
  while (len) {
    size_t step = ck_utf8_length(text, len);
    ck_buffer_append(to, step ? text : "\xEF\xBF\xBD", step ? step : 3);
    text += step ? step : 1;
    len -= step ? step : 1;
  }
}

/* Bytes that are no characters are rare, and only in texts for people: a name of a file in an
 * error, one that was cut. Kept until the query is cleared, since the buffer can move. */
void ck_postgres_bind_text(ck_postgres_query *self, const char *text) {
  size_t len = text ? strlen(text) : 0;
  if (!text || is_utf8(text, len)) {
    put(self, text, len);
    return;
  }
  if (self->array_count == CK_POSTGRES_ARRAYS) {
    self->failed = true;
    return;
  }
  ck_buffer *mended = &self->arrays[self->array_count++];
  append_mended(mended, text, len);
  self->failed |= mended->failed;
  put(self, mended->data, mended->len);
}

static void append_32(ck_buffer *to, uint32_t number) {
  number = htobe32(number);
  ck_buffer_append(to, &number, sizeof number);
}

/* The binary form of an array of one dimension. */
ck_buffer *ck_postgres_begin_array(ck_postgres_query *self, ck_postgres_type type, size_t count) {
  static const uint32_t oids[] = {
      [CK_POSTGRES_INTS] = 20, [CK_POSTGRES_TEXTS] = 25, [CK_POSTGRES_BLOBS] = 17};
  static const uint32_t no_dimension = 0;
  if (self->array_count == CK_POSTGRES_ARRAYS) {
    self->failed = true;
    self->array_count--;
  }
  ck_buffer *array = &self->arrays[self->array_count++];
  append_32(array, count ? 1 : no_dimension);
  append_32(array, 1); /* it can have NULLs */
  append_32(array, oids[type]);
  if (!count) return array;
  append_32(array, (uint32_t)count);
  append_32(array, 1); /* the first index */
  return array;
}

void ck_postgres_put_int(ck_buffer *array, int64_t number) {
  number = (int64_t)htobe64((uint64_t)number);
  append_32(array, sizeof number);
  ck_buffer_append(array, &number, sizeof number);
}

void ck_postgres_put_bytes(ck_buffer *array, ck_bytes bytes) {
  append_32(array, bytes.data ? (uint32_t)bytes.len : UINT32_MAX);
  ck_buffer_append_bytes(array, bytes);
}

void ck_postgres_put_text(ck_buffer *array, const char *text) {
  size_t len = text ? strlen(text) : 0;
  if (!text || is_utf8(text, len)) {
    ck_postgres_put_bytes(array, (ck_bytes){text, len});
    return;
  }
  ck_buffer mended = {0};
  append_mended(&mended, text, len);
  array->failed |= mended.failed;
  ck_postgres_put_bytes(array, ck_buffer_bytes(&mended));
  ck_buffer_clear(&mended);
}

void ck_postgres_end_array(ck_postgres_query *self, ck_buffer *array) {
  self->failed |= array->failed;
  put(self, array->data, array->len);
}

void ck_postgres_query_clear(ck_postgres_query *self) {
  for (int i = 0; i < self->array_count; i++) ck_buffer_clear(&self->arrays[i]);
  *self = (ck_postgres_query){.sql = self->sql};
}

/* ---- running ---- */

static void name_of(char out[16], ck_postgres_sql sql) { snprintf(out, 16, "ck%d", (int)sql); }

ck_status ck_postgres_prepare(ck_postgres_connection *by, ck_postgres_sql sql, const char *doing,
                              ck_error *err) {
  char name[16];
  ck_buffer composed = {0};
  if (by->prepared[sql]) return CK_OK;
  if (sql >= CK_POSTGRES_COMMIT) ck_postgres_write_commit(&composed, sql);
  ck_status status = ck_buffer_check(&composed, err);
  if (status != CK_OK) {
    ck_buffer_clear(&composed);
    return status;
  }
  name_of(name, sql);
  const char *text = sql >= CK_POSTGRES_COMMIT ? composed.data : texts[sql];
  PGresult *result = ck_postgres_answer(by, by->pq->sendPrepare(by->conn, name, text, 0, NULL));
  if (by->pq->resultStatus(result) != PGRES_COMMAND_OK)
    status = ck_postgres_error(by, result, doing, err);
  by->prepared[sql] = status == CK_OK;
  by->pq->clear(result);
  ck_buffer_clear(&composed);
  return status;
}

static const int binary[CK_POSTGRES_ARGUMENTS] = {[0 ... CK_POSTGRES_ARGUMENTS - 1] = 1};

ck_status ck_postgres_run(PGresult **out, ck_postgres_connection *by, ck_postgres_query *query,
                          const char *doing, ck_error *err) {
  char name[16];
  *out = NULL;
  if (query->failed) return ck_error_no_memory(err);
  ck_status status = ck_postgres_prepare(by, query->sql, doing, err);
  if (status != CK_OK) return status;
  name_of(name, query->sql);
  PGresult *result = ck_postgres_answer(by, ck_postgres_send(by, query));
  ExecStatusType got = by->pq->resultStatus(result);
  if (got == PGRES_TUPLES_OK || got == PGRES_COMMAND_OK) {
    *out = result;
    return CK_OK;
  }
  status = ck_postgres_error(by, result, doing, err);
  by->pq->clear(result);
  return status;
}

ck_status ck_postgres_write(int *rows, ck_postgres_connection *by, ck_postgres_query *query,
                            const char *doing, ck_error *err) {
  PGresult *result;
  if (rows) *rows = 0;
  ck_status status = ck_postgres_run(&result, by, query, doing, err);
  if (status == CK_OK && rows) *rows = by->pq->ntuples(result);
  if (status == CK_OK) by->pq->clear(result);
  ck_postgres_query_clear(query);
  return status;
}

bool ck_postgres_send(ck_postgres_connection *by, const ck_postgres_query *query) {
  char name[16];
  name_of(name, query->sql);
  return by->pq->sendQueryPrepared(by->conn, name, query->count, query->values, query->lengths,
                                   binary, 1);
}

/* ---- answers ---- */

ck_postgres_row ck_postgres_first(const ck_libpq *pq, PGresult *result) {
  return (ck_postgres_row){pq, result, 0, result ? pq->ntuples(result) : 0};
}

int64_t ck_postgres_int(const ck_postgres_row *self, int column) {
  int len = self->pq->getlength(self->result, self->at, column);
  const char *value = self->pq->getvalue(self->result, self->at, column);
  uint64_t eight;
  uint32_t four;
  if (self->pq->getisnull(self->result, self->at, column)) return 0;
  if (len == sizeof eight) return memcpy(&eight, value, sizeof eight), (int64_t)be64toh(eight);
  if (len == sizeof four) return memcpy(&four, value, sizeof four), (int32_t)be32toh(four);
  return len == 1 ? *value : 0;
}

const char *ck_postgres_text(const ck_postgres_row *self, int column) {
  if (self->pq->getisnull(self->result, self->at, column)) return NULL;
  return self->pq->getvalue(self->result, self->at, column);
}

ck_bytes ck_postgres_bytes(const ck_postgres_row *self, int column) {
  if (self->pq->getisnull(self->result, self->at, column)) return (ck_bytes){NULL, 0};
  return (ck_bytes){self->pq->getvalue(self->result, self->at, column),
                    (size_t)self->pq->getlength(self->result, self->at, column)};
}

void ck_postgres_id(char out[65], const ck_postgres_row *self, int column) {
  const char *text = ck_postgres_text(self, column);
  snprintf(out, 65, "%s", text ? text : "");
}
