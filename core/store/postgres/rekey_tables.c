/* rekey_tables.c - seals again what is neither event nor checkpoint. */
#include <string.h>

#include "core/store/postgres/rekey.h"

static const char doing[] = "change its key";

ck_status ck_postgres_change_page(bool *more, ck_postgres_walk *self, ck_postgres_query *query,
                                  ck_postgres_change change, ck_error *err) {
  PGresult *page;
  ck_postgres *store = self->store;
  *more = false;
  ck_status status = ck_postgres_run(&page, store->writer, query, doing, err);
  ck_postgres_query_clear(query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(store->pq, page);
  *more = row.count > 0;
  for (; row.at < row.count && status == CK_OK; row.at++, self->rows++)
    status = change(self, &row, err);
  store->pq->clear(page);
  return status;
}

/* A column that is sealed by itself, and its place in the answer and among the new values. */
static ck_status change_bytes(ck_buffer *out, ck_postgres_walk *self, const ck_postgres_row *row,
                              int column, ck_rekey_bytes *what, ck_error *err) {
  what->bytes = ck_postgres_bytes(row, column);
  if (!what->bytes.data) return CK_OK;
  ck_status status = self->with->bytes(out, self->with->self, what, err);
  if (status == CK_OK && !out->data) ck_buffer_append_text(out, "");
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

static ck_status write(ck_postgres_walk *self, ck_postgres_query *query, ck_error *err) {
  return ck_postgres_write(NULL, self->store->writer, query, doing, err);
}

static ck_status change_session(ck_postgres_walk *self, const ck_postgres_row *row, ck_error *err) {
  static const char *const uses[] = {"input", "reason", "description", "node"};
  enum { USES = sizeof uses / sizeof *uses };
  ck_buffer changed[USES] = {{0}};
  ck_status status = CK_OK;
  self->at[0] = ck_postgres_int(row, 0);
  for (int i = 0; i < USES && status == CK_OK; i++) {
    ck_rekey_bytes what = {.use = uses[i],
                           .name = "",
                           .id = ck_postgres_text(row, 1),
                           .created_ms = ck_postgres_int(row, 2),
                           .text = i > 0};
    status = change_bytes(&changed[i], self, row, 3 + i, &what, err);
  }
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_SESSION};
  ck_postgres_bind_int(&query, self->at[0]);
  ck_postgres_bind_optional(&query, ck_buffer_bytes(&changed[0]));
  for (int i = 1; i < USES; i++) ck_postgres_bind_text(&query, changed[i].data);
  if (status == CK_OK) status = write(self, &query, err);
  for (int i = 0; i < USES; i++) ck_buffer_clear(&changed[i]);
  return status;
}

static ck_status change_timeline(ck_postgres_walk *self, const ck_postgres_row *row,
                                 ck_error *err) {
  ck_buffer about = {0};
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_TIMELINE};
  ck_rekey_bytes what = {.use = "about", .name = ck_postgres_text(row, 2), .id = ""};
  self->at[0] = ck_postgres_int(row, 0);
  self->at[1] = ck_postgres_int(row, 1);
  ck_status status = change_bytes(&about, self, row, 3, &what, err);
  ck_postgres_bind_int(&query, self->at[0]);
  ck_postgres_bind_int(&query, self->at[1]);
  ck_postgres_bind_optional(&query, ck_buffer_bytes(&about));
  if (status == CK_OK) status = write(self, &query, err);
  ck_buffer_clear(&about);
  return status;
}

static ck_status change_request(ck_postgres_walk *self, const ck_postgres_row *row, ck_error *err) {
  ck_buffer body = {0};
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_REQUEST};
  ck_rekey_bytes what = {.use = "request",
                         .name = ck_postgres_text(row, 1),
                         .id = ck_postgres_text(row, 2),
                         .created_ms = ck_postgres_int(row, 3)};
  self->at[0] = ck_postgres_int(row, 0);
  ck_status status = change_bytes(&body, self, row, 4, &what, err);
  ck_postgres_bind_int(&query, self->at[0]);
  ck_postgres_bind_optional(&query, ck_buffer_bytes(&body));
  if (status == CK_OK) status = write(self, &query, err);
  ck_buffer_clear(&body);
  return status;
}

/* Facts are sealed for owner and key, the owner's length before it, as sealed/bytes.c has it. */
static ck_status change_fact(ck_postgres_walk *self, const ck_postgres_row *row, ck_error *err) {
  ck_buffer value = {0}, name = {0};
  const char *owner = ck_postgres_text(row, 0), *key = ck_postgres_text(row, 1);
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_FACT};
  ck_buffer_append_format(&name, "%zu:%s%s", strlen(owner), owner, key);
  ck_rekey_bytes what = {.use = "fact", .name = name.data, .id = ""};
  self->at[0]++;
  ck_status status = ck_buffer_check(&name, err);
  if (status == CK_OK) status = change_bytes(&value, self, row, 2, &what, err);
  ck_postgres_bind_text(&query, owner);
  ck_postgres_bind_text(&query, key);
  ck_postgres_bind_blob(&query, ck_buffer_bytes(&value));
  if (status == CK_OK) status = write(self, &query, err);
  ck_buffer_clear(&name);
  ck_buffer_clear(&value);
  return status;
}

static ck_status change_head(ck_postgres_walk *self, const ck_postgres_row *row, ck_error *err) {
  ck_head_row head = {.epoch = (uint64_t)ck_postgres_int(row, 1),
                      .status = (ck_session_status)ck_postgres_int(row, 2),
                      .seq = ck_postgres_int(row, 3)};
  self->at[0] = ck_postgres_int(row, 0);
  if (!ck_head_row_take(&head, ck_postgres_bytes(row, 4), ck_postgres_bytes(row, 5),
                        ck_postgres_bytes(row, 6)))
    return ck_error_set(err, CK_E_CORRUPT,
                        "the head of session number %lld is not what was written",
                        (long long)self->at[0]);
  ck_status status = self->with->head(self->with->self, self->at[0], &head, err);
  if (status != CK_OK) return status;
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_HEAD};
  ck_postgres_bind_int(&query, self->at[0]);
  ck_postgres_bind_blob(&query, ck_head_row_digest(&head));
  ck_postgres_bind_optional(&query, ck_head_row_mac(&head));
  ck_postgres_bind_optional(&query, ck_head_row_key_id(&head));
  return write(self, &query, err);
}

static ck_status change_blob(ck_postgres_walk *self, const ck_postgres_row *row, ck_error *err) {
  ck_blob_row blob;
  self->at[0] = ck_postgres_int(row, 0);
  if (!ck_postgres_take_blob(&blob, row)) return CK_OK;
  ck_status status = self->with->blob(self->with->self, &blob, err);
  if (status != CK_OK) return status;
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_BLOB};
  ck_postgres_bind_int(&query, self->at[0]);
  ck_postgres_bind_blob(&query, (ck_bytes){(const char *)blob.name.bytes, CK_DIGEST_SIZE});
  ck_postgres_bind_int(&query, blob.encoding);
  ck_postgres_bind_blob(&query, blob.body);
  return write(self, &query, err);
}

static const struct {
  ck_postgres_sql next;
  int numbers; /* of `at` */
  ck_postgres_change change;
} tables[] = {{CK_POSTGRES_NEXT_SESSIONS, 1, change_session},
              {CK_POSTGRES_NEXT_TIMELINES, 2, change_timeline},
              {CK_POSTGRES_NEXT_REQUESTS, 1, change_request},
              {CK_POSTGRES_NEXT_FACTS, 1, change_fact},
              {CK_POSTGRES_NEXT_HEADS, 1, change_head},
              {CK_POSTGRES_LIST_BLOBS, 1, change_blob}};

ck_status ck_postgres_rekey_tables(ck_postgres *self, const ck_rekey *with, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < sizeof tables / sizeof *tables && status == CK_OK; i++) {
    ck_postgres_walk walk = {.store = self, .with = with};
    bool more = true;
    while (more && status == CK_OK) {
      ck_postgres_query query = {.sql = tables[i].next};
      for (int n = 0; n < tables[i].numbers; n++) ck_postgres_bind_int(&query, walk.at[n]);
      status = ck_postgres_change_page(&more, &walk, &query, tables[i].change, err);
    }
  }
  return status;
}
