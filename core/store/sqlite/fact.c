/* fact.c - facts, in the table fact. */
#include "core/store/sqlite/reader.h"

static ck_status put_fact(void *to, const ck_fact *fact, ck_error *err) {
  ck_sqlite *self = to;
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, fact->value ? CK_SQL_PUT_FACT : CK_SQL_DROP_FACT);
  ck_bind_text(&binder, fact->owner);
  ck_bind_text(&binder, fact->key);
  if (fact->value) ck_bind_blob(&binder, ck_value_bytes(fact->value));
  if (fact->value) ck_bind_int(&binder, fact->at_ms);
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = ck_inventory_take_fact(self, fact->owner, fact->key, err);
  if (status == CK_OK)
    status =
        (fact->value ? ck_sqlite_write_row : ck_sqlite_write)(self, &binder, "keep a fact", err);
  if (status == CK_OK) status = ck_inventory_put_fact(self, fact->owner, fact->key, err);
  return ck_sqlite_end(self, status, err);
}

static ck_status read_fact(ck_value **out, const ck_sqlite *self, ck_binder *binder,
                           const char *key, ck_error *err) {
  ck_bytes value = {sqlite3_column_blob(binder->stmt, 0),
                    (size_t)sqlite3_column_bytes(binder->stmt, 0)};
  if (sqlite3_column_int(binder->stmt, 1)) return ck_value_copy(out, value, err);
  return ck_error_set(err, CK_E_CORRUPT,
                      "fact '%.100s' in store %s is not what was written: its check differs", key,
                      self->path);
}

static ck_status get_fact(ck_value **out, void *to, const char *owner, const char *key,
                          ck_error *err) {
  ck_sqlite *self = to;
  ck_connection *reader;
  *out = NULL;
  if (self->schema < 2) return CK_OK;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(reader, CK_SQL_GET_FACT);
  ck_bind_text(&binder, owner);
  ck_bind_text(&binder, key);
  int code = ck_binder_next(&binder);
  if (code == SQLITE_ROW)
    status = read_fact(out, self, &binder, key, err);
  else if (code != SQLITE_DONE)
    status = ck_sqlite_error(self, reader->db, code, "read a fact", err);
  ck_binder_clear(&binder);
  ck_sqlite_put_reader(self, reader);
  return status;
}

static bool visit_row(ck_status *status, const ck_sqlite *self, ck_binder *binder,
                      ck_fact_visit visit, void *visitor, ck_error *err) {
  sqlite3_stmt *row = binder->stmt;
  ck_fact fact = {.owner = ck_column_text(row, 2),
                  .key = ck_column_text(row, 3),
                  .at_ms = sqlite3_column_int64(row, 4)};
  ck_value *value;
  if (!fact.owner || !fact.key) {
    *status = ck_error_no_memory(err);
    return false;
  }
  *status = read_fact(&value, self, binder, fact.key, err);
  if (*status != CK_OK) return false;
  fact.value = value;
  bool more = visit(visitor, &fact);
  ck_value_free(value);
  return more;
}

static ck_status list_facts(void *to, const ck_fact_query *query, ck_fact_visit visit,
                            void *visitor, ck_error *err) {
  ck_sqlite *self = to;
  ck_reader read;
  if (self->schema < 2) return CK_OK;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_LIST_FACTS, err);
  if (status != CK_OK) return status;
  ck_bind_text(&read.binder, query->prefix ? query->prefix : "");
  ck_bind_text(&read.binder, query->owner ? query->owner : "");
  ck_bind_int(&read.binder, !query->owner);
  while (ck_binder_next(&read.binder) == SQLITE_ROW)
    if (!visit_row(&status, self, &read.binder, visit, visitor, err)) break;
  return ck_reader_end(&read, status, "list its facts", err);
}

void ck_sqlite_add_facts(ck_backend *backend) {
  backend->put_fact = put_fact;
  backend->get_fact = get_fact;
  backend->list_facts = list_facts;
}
