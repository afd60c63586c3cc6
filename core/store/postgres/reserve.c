/* reserve.c - a worker that begins a session holds an advisory lock of the server, whose number is
 * made of the session, its epoch and the time, on the connection that waits for news. The server
 * gives it back when that ends; a worker that stands still holds it at a time that has passed. */
#include "core/store/format/reservation_place.h"
#include "core/store/postgres/postgres.h"

/* Without that connection, or an answer, nobody is kept from beginning. */
static bool reserve(int64_t *ticket, void *to, ck_lease as_of) {
  ck_postgres *self = to;
  PGresult *result;
  ck_error ignored = CK_ERROR_INIT;
  ck_postgres_query query = {.sql = CK_POSTGRES_RESERVE};
  ck_postgres_connection *by = ck_postgres_listener(self);
  if (!by) return true;
  ck_postgres_bind_int(&query, ck_reservation_place(self->url.schema, as_of));
  ck_postgres_bind_int(&query, CK_RESERVATION_MS);
  ck_status status = ck_postgres_run(&result, by, &query, "reserve a session", &ignored);
  ck_postgres_query_clear(&query);
  if (status != CK_OK) return true;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  bool mine = ck_postgres_int(&row, 0);
  if (mine) *ticket = ck_postgres_int(&row, 1);
  self->pq->clear(result);
  return mine;
}

static void unreserve(void *to, int64_t ticket) {
  ck_postgres *self = to;
  ck_error ignored = CK_ERROR_INIT;
  ck_postgres_query query = {.sql = CK_POSTGRES_UNRESERVE};
  if (!self->listener) return;
  ck_postgres_bind_int(&query, ticket);
  if (ck_postgres_write(NULL, self->listener, &query, "give it back", &ignored) != CK_OK) return;
}

void ck_postgres_add_reservation(ck_backend *backend) {
  backend->worker.reservation = (ck_reservation_functions){reserve, unreserve};
}
