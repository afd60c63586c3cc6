/* answer.c - waits for what the server answers, and no longer than it gives a sign of life.
 *
 * A statement may take its time: one that reads a whole store, one that waits for a lock. So when
 * an answer does not come the server is asked, on another connection and by nobody's name, whether
 * it takes any. One that stands still, or cannot be reached any more, does not. */
#include <errno.h>
#include <poll.h>

#include "core/store/postgres/postgres.h"

/* 0: there is something to read, or the connection has ended. */
static bool is_silent(const ck_postgres_connection *self, int64_t until_us) {
  struct pollfd wait = {.fd = self->pq->socket(self->conn), .events = POLLIN};
  int got;
  do {
    int64_t left_ms = (until_us - ck_postgres_now_us() + 999) / 1000;
    got = poll(&wait, 1, left_ms > 0 ? (int)left_ms : 0);
  } while (got < 0 && errno == EINTR);
  return got == 0;
}

/* True: it has given no sign of life since `begun_us`. */
static bool give_up(ck_postgres_connection *self, int64_t begun_us) {
  if (ck_postgres_answers(self->pq, self->url)) return false;
  if (!is_silent(self, 0)) return false;
  self->silent_ms = (ck_postgres_now_us() - begun_us) / 1000;
  self->broken = true;
  return true;
}

PGresult *ck_postgres_next_answer(ck_postgres_connection *self) {
  int64_t begun_us = ck_postgres_now_us(), asked_us = begun_us;
  if (self->silent_ms) return NULL;
  while (self->pq->isBusy(self->conn)) {
    if (!is_silent(self, asked_us + ck_postgres_patience_s(self->url) * 1000000)) {
      if (!self->pq->consumeInput(self->conn)) break;
      continue;
    }
    if (give_up(self, begun_us)) return NULL;
    asked_us = ck_postgres_now_us();
  }
  return self->pq->getResult(self->conn);
}

PGresult *ck_postgres_answer(ck_postgres_connection *self, int sent) {
  PGresult *last = NULL, *next;
  while (sent && (next = ck_postgres_next_answer(self))) {
    self->pq->clear(last);
    last = next;
  }
  if (!self->silent_ms) return last;
  self->pq->clear(last);
  return NULL;
}
