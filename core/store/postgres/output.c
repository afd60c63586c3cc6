/* output.c - long outputs of programs, in the table output. */
#include <stdlib.h>
#include <string.h>

#include "core/store/postgres/postgres.h"

static const char doing_read[] = "read a long output", doing_write[] = "keep a long output";

/* ---- reading ---- */

/* *last: the last name of the page, malloc'd, in the place of the one before; NULL: there is none
 * behind it. */
static ck_status list_page(char **last, ck_postgres *self, const char *session_id,
                           ck_output_visit visit, void *visitor, ck_error *err) {
  PGresult *page;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_OUTPUTS};
  ck_postgres_bind_text(&query, *last);
  ck_postgres_bind_text(&query, session_id);
  ck_status status = ck_postgres_read(&page, self, &query, doing_read, err);
  free(*last);
  *last = NULL;
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, page);
  bool more = true;
  for (; row.at < row.count && more; row.at++) {
    const char *name = ck_postgres_text(&row, 0);
    bool ends = row.at + 1 == row.count;
    if (ends) *last = strdup(name);
    if (ends && !*last) status = ck_error_no_memory(err);
    more = status == CK_OK && visit(visitor, name, ck_postgres_int(&row, 1));
  }
  if (!more) free(*last);
  if (!more) *last = NULL;
  self->pq->clear(page);
  return status;
}

static ck_status list(void *to, const char *session_id, ck_output_visit visit, void *visitor,
                      ck_error *err) {
  ck_postgres *self = to;
  char *last = strdup("");
  ck_status status = last ? CK_OK : ck_error_no_memory(err);
  if (!self->has_outputs) {
    free(last);
    return CK_OK;
  }
  while (last && status == CK_OK) status = list_page(&last, self, session_id, visit, visitor, err);
  free(last);
  return status;
}

static ck_status get(void *to, const char *name, int64_t part, ck_output_row_visit visit,
                     void *visitor, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_OUTPUT};
  if (!self->has_outputs) return ck_error_set(err, CK_E_NOT_FOUND, "it is not kept");
  ck_postgres_bind_text(&query, name);
  ck_postgres_bind_int(&query, part);
  ck_status status = ck_postgres_read(&result, self, &query, doing_read, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  const ck_output_row found = {.name = name,
                               .part = part,
                               .last = row.count && ck_postgres_int(&row, 0),
                               .check = row.count ? ck_postgres_int(&row, 1) : 0,
                               .body = row.count ? ck_postgres_bytes(&row, 2) : (ck_bytes){0}};
  if (row.count)
    visit(visitor, &found);
  else
    status = ck_error_set(err, CK_E_NOT_FOUND, "it is not kept");
  self->pq->clear(result);
  return status;
}

/* ---- writing ---- */

static ck_status begin(ck_postgres *self, ck_lease lease, ck_error *err) {
  ck_status status = ck_postgres_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK || !lease.epoch) return status;
  status = ck_postgres_check_lease(self, lease, err);
  if (status == CK_OK) status = ck_postgres_check_key(self, err);
  return status == CK_OK ? CK_OK : ck_postgres_end(self, status, err);
}

static ck_status drop(ck_postgres *self, ck_lease lease, const char *name, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_DROP_OUTPUT};
  ck_postgres_bind_text(&query, name);
  ck_postgres_bind_int(&query, lease.session);
  return ck_postgres_write(NULL, self->writer, &query, doing_write, err);
}

static ck_status put(void *to, ck_lease lease, const ck_output_row *row, ck_error *err) {
  ck_postgres *self = to;
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_OUTPUT};
  ck_status status = begin(self, lease, err);
  if (status != CK_OK) return status;
  if (!row->part) status = drop(self, lease, row->name, err);
  ck_postgres_bind_text(&query, row->name);
  ck_postgres_bind_int(&query, row->part);
  ck_postgres_bind_int(&query, lease.session);
  ck_postgres_bind_int(&query, row->last);
  ck_postgres_bind_int(&query, row->check);
  ck_postgres_bind_blob(&query, row->body);
  if (status == CK_OK) status = ck_postgres_write(NULL, self->writer, &query, doing_write, err);
  ck_postgres_query_clear(&query);
  return ck_postgres_end(self, status, err);
}

/* Made once more, nothing has the name any more, and nothing is lost. */
static ck_status change_name(ck_postgres *self, ck_lease lease, const char *name, const char *as,
                             ck_error *err) {
  PGresult *result;
  ck_postgres_query find = {.sql = CK_POSTGRES_GET_OUTPUT};
  ck_postgres_query query = {.sql = CK_POSTGRES_MOVE_OUTPUT};
  ck_postgres_bind_text(&find, name);
  ck_postgres_bind_int(&find, 0);
  ck_status status = ck_postgres_run(&result, self->writer, &find, doing_write, err);
  ck_postgres_query_clear(&find);
  if (status != CK_OK) return status;
  bool there = self->pq->ntuples(result) > 0;
  self->pq->clear(result);
  if (!there) return CK_OK;
  status = drop(self, lease, as, err);
  ck_postgres_bind_text(&query, name);
  ck_postgres_bind_int(&query, lease.session);
  ck_postgres_bind_text(&query, as);
  if (status == CK_OK) status = ck_postgres_write(NULL, self->writer, &query, doing_write, err);
  ck_postgres_query_clear(&query);
  return status;
}

static ck_status move(void *to, ck_lease lease, const char *name, const char *as, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = begin(self, lease, err);
  if (status != CK_OK) return status;
  status = as ? change_name(self, lease, name, as, err) : drop(self, lease, name, err);
  return ck_postgres_end(self, status, err);
}

void ck_postgres_add_outputs(ck_backend *backend) {
  backend->output = (ck_output_functions){.list = list, .get = get, .put = put, .move = move};
}
