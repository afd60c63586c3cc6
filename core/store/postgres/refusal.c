/* refusal.c - why workers have not begun a session, where the lease's row has its owner's fault:
 * nobody owns such a session, and who takes it clears both. */
#include <stdio.h>
#include <string.h>

#include "core/store/postgres/postgres.h"

/* The epoch that a free session has; 0: it is not free, or cannot be asked for. */
static uint64_t get_free(char *text, size_t size, ck_postgres *self, const char *session_id) {
  PGresult *result;
  uint64_t epoch = 0;
  ck_error ignored = CK_ERROR_INIT;
  ck_postgres_query query = {.sql = CK_POSTGRES_OWNER};
  ck_postgres_bind_text(&query, session_id);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  if (ck_postgres_read(&result, self, &query, "ask for refusals", &ignored) != CK_OK) return 0;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count && ck_postgres_check_free(self, &row, session_id, &ignored) == CK_OK) {
    const char *fault = ck_postgres_text(&row, 7);
    epoch = (uint64_t)ck_postgres_int(&row, 1);
    snprintf(text, size, "%s", fault ? fault : "");
  }
  self->pq->clear(result);
  return epoch;
}

static void get(char out[CK_REFUSALS_SIZE], void *to, const char *session_id) {
  out[0] = 0;
  (void)get_free(out, CK_REFUSALS_SIZE, to, session_id);
}

static void put(void *to, const char *session_id, const char *text) {
  ck_postgres *self = to;
  char before[CK_REFUSALS_SIZE];
  ck_error ignored = CK_ERROR_INIT;
  uint64_t epoch = get_free(before, sizeof before, self, session_id);
  if (!epoch) return;
  ck_postgres_query query = {.sql = CK_POSTGRES_REFUSE};
  ck_postgres_bind_text(&query, session_id);
  ck_postgres_bind_int(&query, (int64_t)epoch);
  ck_postgres_bind_text(&query, text);
  (void)!ck_postgres_note(self, &query, "say why a session is not begun", &ignored);
}

void ck_postgres_add_refusals(ck_backend *backend) {
  backend->worker.refusals = (ck_refusal_functions){put, get};
}
