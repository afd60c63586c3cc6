/* link.c - the connections of a handle: made, known while they are open, and cut off when no lease
 * of it could be renewed, so that nobody goes on waiting for a server that does not answer. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/store/postgres/postgres.h"

static ck_status refuse(const ck_postgres *self, ck_error *err) {
  return ck_error_set(err, CK_E_LAPSED,
                      "store %s: its lease could not be renewed in time: nothing more is asked of "
                      "the server",
                      self->url.name);
}

static bool is_given_up(ck_postgres *self) {
  pthread_mutex_lock(&self->mutex);
  bool given_up = self->given_up;
  pthread_mutex_unlock(&self->mutex);
  return given_up;
}

/* A descriptor of its own: libpq may close the other one while this one is used, and its number may
 * be another file's then. */
static bool append(ck_postgres *self, ck_postgres_connection *made) {
  made->socket = fcntl(self->pq->socket(made->conn), F_DUPFD_CLOEXEC, 3);
  pthread_mutex_lock(&self->mutex);
  bool fits = !self->given_up;
  made->next_open = self->open;
  self->open = made;
  pthread_mutex_unlock(&self->mutex);
  return fits;
}

/* A server that takes no writes lets nobody take a session over, either. */
ck_status ck_postgres_meet(ck_postgres *self, ck_postgres_connection *by, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_SERVE};
  if (self->read_only || !self->met) return CK_OK;
  ck_status status = ck_postgres_write(NULL, by, &query, "note which server it is", err);
  return status == CK_E_READ_ONLY ? CK_OK : status;
}

ck_status ck_postgres_link(ck_postgres_connection **out, ck_postgres *self, bool read_only,
                           ck_error *err) {
  *out = NULL;
  if (is_given_up(self)) return refuse(self, err);
  ck_status status = ck_postgres_connect(out, &self->url, read_only, err);
  if (status != CK_OK) return status;
  status = append(self, *out) ? CK_OK : refuse(self, err);
  if (status == CK_OK && !read_only) status = ck_postgres_meet(self, *out, err);
  if (status == CK_OK) return CK_OK;
  ck_postgres_unlink(self, *out);
  *out = NULL;
  return status;
}

void ck_postgres_unlink(ck_postgres *self, ck_postgres_connection *connection) {
  if (!connection) return;
  pthread_mutex_lock(&self->mutex);
  ck_postgres_connection **at = &self->open;
  while (*at && *at != connection) at = &(*at)->next_open;
  if (*at) *at = connection->next_open;
  pthread_mutex_unlock(&self->mutex);
  if (connection->socket >= 0) close(connection->socket);
  ck_postgres_disconnect(connection);
}

void ck_postgres_cut_off(ck_postgres *self) {
  self->given_up = true;
  for (const ck_postgres_connection *at = self->open; at; at = at->next_open)
    if (at->socket >= 0) (void)shutdown(at->socket, SHUT_RDWR);
}
