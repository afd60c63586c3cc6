/* fact.c - facts, in the table fact. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/store/postgres/postgres.h"

static ck_status put_fact(void *to, const ck_fact *fact, ck_error *err) {
  ck_postgres *self = to;
  ck_postgres_query query = {.sql = fact->value ? CK_POSTGRES_PUT_FACT : CK_POSTGRES_DROP_FACT};
  ck_status status = ck_postgres_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  ck_postgres_bind_text(&query, fact->owner);
  ck_postgres_bind_text(&query, fact->key);
  if (fact->value) ck_postgres_bind_blob(&query, ck_value_bytes(fact->value));
  if (fact->value) ck_postgres_bind_int(&query, fact->at_ms);
  status = ck_postgres_check_key(self, err);
  if (status == CK_OK) status = ck_postgres_write(NULL, self->writer, &query, "keep a fact", err);
  ck_postgres_query_clear(&query);
  return ck_postgres_end(self, status, err);
}

static ck_status get_fact(ck_value **out, void *to, const char *owner, const char *key,
                          ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_FACT};
  *out = NULL;
  ck_postgres_bind_text(&query, owner);
  ck_postgres_bind_text(&query, key);
  ck_status status = ck_postgres_read(&result, self, &query, "read a fact", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count) status = ck_value_copy(out, ck_postgres_bytes(&row, 0), err);
  self->pq->clear(result);
  return status;
}

/* Where a page ended: copies, since its answer is gone by then. */
typedef struct place {
  char *owner, *key;
} place;

static ck_status visit_page(bool *more, place *last, const ck_postgres *self, PGresult *page,
                            ck_fact_visit visit, void *visitor, ck_error *err) {
  ck_status status = CK_OK;
  ck_postgres_row row = ck_postgres_first(self->pq, page);
  *more = row.count > 0;
  for (; row.at < row.count && *more && status == CK_OK; row.at++) {
    ck_value *value;
    status = ck_value_copy(&value, ck_postgres_bytes(&row, 2), err);
    if (status != CK_OK) break;
    ck_fact fact = {.owner = ck_postgres_text(&row, 0),
                    .key = ck_postgres_text(&row, 1),
                    .value = value,
                    .at_ms = ck_postgres_int(&row, 3)};
    *more = visit(visitor, &fact);
    status = ck_text_replace(&last->owner, fact.owner, err);
    if (status == CK_OK) status = ck_text_replace(&last->key, fact.key, err);
    ck_value_free(value);
  }
  return status;
}

static ck_status list_facts(void *to, const ck_fact_query *asked, ck_fact_visit visit,
                            void *visitor, ck_error *err) {
  ck_postgres *self = to;
  place last = {0};
  bool more = true;
  ck_status status = CK_OK;
  while (more && status == CK_OK) {
    PGresult *page;
    ck_postgres_query query = {.sql = CK_POSTGRES_LIST_FACTS};
    ck_postgres_bind_text(&query, last.owner ? last.owner : "");
    ck_postgres_bind_text(&query, last.key ? last.key : "");
    ck_postgres_bind_text(&query, asked->owner);
    ck_postgres_bind_text(&query, asked->prefix ? asked->prefix : "");
    status = ck_postgres_read(&page, self, &query, "list its facts", err);
    if (status != CK_OK) break;
    status = visit_page(&more, &last, self, page, visit, visitor, err);
    self->pq->clear(page);
  }
  free(last.owner);
  free(last.key);
  return status;
}

void ck_postgres_add_facts(ck_backend *backend) {
  backend->put_fact = put_fact;
  backend->get_fact = get_fact;
  backend->list_facts = list_facts;
}
