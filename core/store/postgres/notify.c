/* notify.c - LISTEN and NOTIFY: who gives a session back wakes those who wait for one. */
#include <stdio.h>
#include <time.h>

#include "core/store/postgres/postgres.h"

enum { AGAIN_S = 10, CHANNEL_MAX = 48 };

/* Each store of a database has a channel of its own: at most 63 bytes of a name count. */
static void say(char out[128], const ck_postgres *self, const char *verb) {
  snprintf(out, 128, "%s \"ckrun %.*s\"", verb, CHANNEL_MAX, self->url.schema);
}

void ck_postgres_notify(ck_postgres *self) {
  char sql[128];
  ck_error ignored = CK_ERROR_INIT;
  say(sql, self, "NOTIFY");
  if (ck_postgres_exec(self->writer, sql, "tell others", &ignored) != CK_OK) return;
}

static int64_t now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

static void forget(ck_postgres *self) {
  ck_postgres_unlink(self, self->listener);
  self->listener = NULL;
}

static void listen_again(ck_postgres *self) {
  char sql[128];
  ck_error ignored = CK_ERROR_INIT;
  if (now_s() < self->listen_from_s) return;
  ck_status status = ck_postgres_link(&self->listener, self, true, &ignored);
  say(sql, self, "LISTEN");
  if (status == CK_OK) status = ck_postgres_exec(self->listener, sql, "listen", &ignored);
  self->unheard = status == CK_OK;
  if (self->unheard) return;
  forget(self);
  self->listen_from_s = now_s() + AGAIN_S;
}

ck_postgres_connection *ck_postgres_listener(ck_postgres *self) {
  if (self->listener && !self->pq->consumeInput(self->listener->conn)) forget(self);
  if (!self->listener) listen_again(self);
  return self->listener;
}

/* What was told before it listened, or while it was cut off, it has missed. */
static int news(bool *found, void *to) {
  ck_postgres *self = to;
  if (!ck_postgres_listener(self)) return -1;
  *found = self->unheard;
  self->unheard = false;
  PGnotify *told;
  while ((told = self->pq->notifies(self->listener->conn))) {
    *found = true;
    self->pq->freemem(told);
  }
  return self->pq->socket(self->listener->conn);
}

void ck_postgres_add_news(ck_backend *backend) { backend->news = news; }
