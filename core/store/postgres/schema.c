/* schema.c - makes the tables of a store, or checks those that are there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "core/base/id.h"
#include "core/store/postgres/postgres.h"

static const char doing[] = "open it";
#define OUTPUTS "core/store/postgres/output.sql"

/* A text; NULL in *out: there is no such row. The caller clears the answer. */
static ck_status get_meta(ck_bytes *out, PGresult **result, ck_postgres_connection *by,
                          const char *key, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_META};
  ck_postgres_bind_text(&query, key);
  ck_status status = ck_postgres_run(result, by, &query, doing, err);
  ck_postgres_query_clear(&query);
  *out = (ck_bytes){NULL, 0};
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(by->pq, *result);
  if (row.count) *out = ck_postgres_bytes(&row, 0);
  return CK_OK;
}

static ck_status put_meta(ck_postgres_connection *by, const char *key, ck_bytes value,
                          ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_META};
  ck_postgres_bind_text(&query, key);
  ck_postgres_bind_blob(&query, value);
  return ck_postgres_write(NULL, by, &query, CK_POSTGRES_MAKING, err);
}

/* ---- making ---- */

static ck_status fill(ck_postgres_connection *by, ck_error *err) {
  char number[16];
  uint8_t key[32];
  ck_random_bytes(key, sizeof key);
  snprintf(number, sizeof number, "%d", CK_STORE_SCHEMA);
  ck_status status = put_meta(by, "schema", ck_bytes_text(number), err);
  if (status != CK_OK) return status;
  return put_meta(by, "fingerprint_key", (ck_bytes){(const char *)key, sizeof key}, err);
}

static ck_status exec_file(ck_postgres_connection *by, const char *name, ck_error *err) {
  ck_bytes text = ck_embedded_get(name);
  ck_buffer sql = {0};
  ck_buffer_append_bytes(&sql, text);
  ck_status status = ck_buffer_check(&sql, err);
  if (status == CK_OK) status = ck_postgres_exec(by, sql.data, CK_POSTGRES_MAKING, err);
  ck_buffer_clear(&sql);
  return status;
}

/* Names in ""; the schema's has letters, digits and '_' alone. One that is there is not made:
 * even with IF NOT EXISTS that takes a role that may make schemas in the database. */
static ck_status make_tables(ck_postgres_connection *by, bool has_schema, ck_error *err) {
  char sql[160];
  ck_status status = CK_OK;
  snprintf(sql, sizeof sql, "CREATE SCHEMA IF NOT EXISTS \"%s\"", by->url->schema);
  if (!has_schema) status = ck_postgres_exec(by, sql, CK_POSTGRES_MAKING, err);
  if (status == CK_OK) status = exec_file(by, "core/store/postgres/schema.sql", err);
  if (status == CK_OK) status = exec_file(by, OUTPUTS, err);
  return status == CK_OK ? fill(by, err) : status;
}

/* ---- looking ---- */

/* Of the schema. */
typedef struct tables {
  bool schema; /* it is there itself */
  int64_t count;
  bool meta, output; /* they are among them */
  bool usable;       /* the role may look into it */
} tables;

static ck_status count_tables(tables *out, ck_postgres_connection *by, ck_error *err) {
  char sql[560];
  snprintf(
      sql, sizeof sql,
      "SELECT count(c.oid), count(*) FILTER (WHERE relname = 'meta'), count(*) FILTER (WHERE"
      " relname = 'output'), coalesce(bool_and(pg_catalog.has_schema_privilege(n.oid, 'USAGE')),"
      " true), count(n.oid) > 0 FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c"
      " ON n.oid = c.relnamespace AND c.relkind IN ('r', 'v', 'p') WHERE n.nspname = '%s'",
      by->url->schema);
  PGresult *result = ck_postgres_answer(by, by->pq->sendQuery(by->conn, sql));
  ck_status status = CK_OK;
  *out = (tables){0};
  if (by->pq->resultStatus(result) != PGRES_TUPLES_OK) {
    status = ck_postgres_error(by, result, doing, err);
  } else {
    out->count = atoll(by->pq->getvalue(result, 0, 0));
    out->meta = strcmp(by->pq->getvalue(result, 0, 1), "1") == 0;
    out->output = strcmp(by->pq->getvalue(result, 0, 2), "1") == 0;
    out->usable = *by->pq->getvalue(result, 0, 3) == 't';
    out->schema = *by->pq->getvalue(result, 0, 4) == 't';
  }
  by->pq->clear(result);
  return status;
}

/* Of two processes that find no store, or one without a table, one makes it. */
static ck_status make(ck_postgres_connection *by, ck_error *err) {
  char begin[160];
  tables found = {0};
  snprintf(begin, sizeof begin,
           "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('ckrun %s', 0))", by->url->schema);
  ck_status status = ck_postgres_exec(by, begin, CK_POSTGRES_MAKING, err);
  if (status == CK_OK) status = count_tables(&found, by, err);
  if (status == CK_OK && !found.count)
    status = make_tables(by, found.schema, err);
  else if (status == CK_OK && found.meta && !found.output)
    status = exec_file(by, OUTPUTS, err);
  ck_error ignored = CK_ERROR_INIT;
  if (status == CK_OK) return ck_postgres_exec(by, "COMMIT", CK_POSTGRES_MAKING, err);
  if (ck_postgres_exec(by, "ROLLBACK", CK_POSTGRES_MAKING, &ignored) != CK_OK) return status;
  return status;
}

static ck_status not_a_store(const ck_postgres_connection *by, ck_error *err) {
  return ck_error_set(
      err, CK_E_NOT_A_STORE,
      "store %s: the schema \"%s\" has tables that are not ckrun's: name another one "
      "with ?schema=",
      by->url->name, by->url->schema);
}

static ck_status check_number(ck_postgres_connection *by, ck_error *err) {
  PGresult *result;
  ck_bytes value;
  ck_status status = get_meta(&value, &result, by, "schema", err);
  if (status == CK_E_NOT_A_STORE) return not_a_store(by, err);
  if (status != CK_OK) return status;
  long number = value.data ? strtol(value.data, NULL, 10) : 0;
  if (number <= 0)
    status = not_a_store(by, err);
  else if (number > CK_STORE_SCHEMA)
    status = ck_error_set(err, CK_E_NEWER,
                          "store %s has schema %ld, which a later ckrun made; this one knows %d",
                          by->url->name, number, CK_STORE_SCHEMA);
  by->pq->clear(result);
  return status;
}

static ck_status read_fingerprint_key(ck_postgres *self, ck_postgres_connection *by,
                                      ck_error *err) {
  PGresult *result;
  ck_bytes value;
  ck_status status = get_meta(&value, &result, by, "fingerprint_key", err);
  if (status != CK_OK) return status;
  if (value.data && value.len == sizeof self->fingerprint_key)
    memcpy(self->fingerprint_key, value.data, value.len);
  else
    status =
        ck_error_set(err, CK_E_CORRUPT, "store %s has lost its fingerprint key", self->url.name);
  by->pq->clear(result);
  return status;
}

ck_status ck_postgres_open_schema(ck_postgres *self, ck_postgres_connection *by, bool create,
                                  ck_error *err) {
  tables found;
  ck_status status = count_tables(&found, by, err);
  if (status != CK_OK) return status;
  if (!found.count && !create)
    return ck_error_set(
        err, CK_E_NOT_FOUND,
        "there is no store %s: its schema \"%s\" has no tables; 'ckrun run' makes it",
        self->url.name, self->url.schema);
  if (!found.usable)
    return ck_postgres_refuse_role(by, doing, ck_bytes_text("the role may not use its schema"),
                                   err);
  if (found.count && !found.meta) return not_a_store(by, err);
  if (found.count) status = check_number(by, err);
  bool older = found.count && !found.output && !self->read_only;
  if (status == CK_OK && (!found.count || older)) status = make(by, err);
  self->has_outputs = found.output || !self->read_only;
  if (status == CK_OK && !found.count) status = check_number(by, err);
  return status == CK_OK ? read_fingerprint_key(self, by, err) : status;
}
