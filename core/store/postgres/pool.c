/* pool.c - connections for readers: one question each, so that a visitor may ask the store. */
#include "core/store/postgres/postgres.h"

enum { IDLE_MOST = 2 };

ck_status ck_postgres_take(ck_postgres_connection **out, ck_postgres *self, ck_error *err) {
  *out = self->snapshot;
  if (self->snapshot) return CK_OK;
  pthread_mutex_lock(&self->mutex);
  *out = self->pool;
  if (*out) {
    self->pool = (*out)->next;
    self->pool_count--;
  }
  pthread_mutex_unlock(&self->mutex);
  return *out ? CK_OK : ck_postgres_link(out, self, self->read_only, err);
}

void ck_postgres_give(ck_postgres *self, ck_postgres_connection *connection) {
  if (!connection || connection == self->snapshot) return;
  bool kept = !ck_postgres_is_lost(connection);
  pthread_mutex_lock(&self->mutex);
  kept = kept && self->pool_count < IDLE_MOST;
  if (kept) {
    connection->next = self->pool;
    self->pool = connection;
    self->pool_count++;
  }
  pthread_mutex_unlock(&self->mutex);
  if (!kept) ck_postgres_unlink(self, connection);
}

void ck_postgres_close_pool(ck_postgres *self) {
  while (self->pool) {
    ck_postgres_connection *next = self->pool->next;
    ck_postgres_unlink(self, self->pool);
    self->pool = next;
  }
}

/* A connection that was idle can have been lost long ago; all of them are, when the server was
 * started anew. */
ck_status ck_postgres_read(PGresult **out, ck_postgres *self, ck_postgres_query *query,
                           const char *doing, ck_error *err) {
  *out = NULL;
  ck_status status;
  bool lost;
  int tries = IDLE_MOST + 1;
  do {
    ck_postgres_connection *by;
    status = ck_postgres_take(&by, self, err);
    if (status != CK_OK) break;
    status = ck_postgres_run(out, by, query, doing, err);
    lost = ck_postgres_is_lost(by) && !by->silent_ms;
    ck_postgres_give(self, by);
  } while (status != CK_OK && lost && --tries > 0);
  ck_postgres_query_clear(query);
  return status;
}
