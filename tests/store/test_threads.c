/* test_threads.c - one store, many threads: each reads what it wrote, whoever else writes,
 * checkpoints or recovers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"
#include "core/store/stats.h"

enum { THREADS = 4, ROUNDS = 40 };

typedef struct worker {
  ck_store *store;
  int number;
  ck_status status;
} worker;

static atomic_bool ended;

static void *write_session(void *to) {
  worker *self = to;
  char id[16] = "thread_0";
  id[7] = (char)('0' + self->number);
  fixture session;
  self->status = fixture_create(&session, self->store, id, NULL);
  for (int i = 0; i < ROUNDS && self->status == CK_OK; i++) {
    fixture_step step = {
        .text = "t", .key = i % 4 ? NULL : "memory.a", .value = "1", .process = i % 2 != 0};
    self->status = fixture_commit(&session, &step, NULL);
    if (self->status == CK_OK &&
        fixture_count_events(self->store, session.lease.session) != session.seq)
      self->status = CK_E_FAILED;
  }
  return NULL;
}

static bool ignore_session(void *to, const ck_session_record *record) {
  return to == NULL && record->no > 0;
}

/* What else a process does with its store meanwhile. */
static void *bustle(void *to) {
  worker *self = to;
  for (int i = 0; !ended && self->status == CK_OK; i++) {
    ck_store_stats stats;
    if (i % 8 == 0) self->status = ck_store_recover(self->store, NULL);
    if (self->status == CK_OK) self->status = ck_store_idle(self->store, NULL);
    if (self->status == CK_OK) self->status = ck_store_sync(self->store, NULL);
    if (self->status == CK_OK) self->status = ck_store_get_stats(&stats, self->store, NULL);
    if (self->status == CK_OK)
      self->status = ck_store_list_sessions(self->store, 0, ignore_session, NULL, NULL);
  }
  return NULL;
}

static void run(const char *url) {
  pthread_t threads[THREADS], busy;
  worker workers[THREADS], other = {fixture_open(url), 0, CK_OK};
  ended = false;
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){other.store, i, CK_OK};
    tap_must(pthread_create(&threads[i], NULL, write_session, &workers[i]) == 0, "a thread");
  }
  tap_must(pthread_create(&busy, NULL, bustle, &other) == 0, "a thread");
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    tap_is_status(workers[i].status, CK_OK, NULL, "%.7s thread %d reads what it wrote, every time",
                  url, i);
  }
  ended = true;
  pthread_join(busy, NULL);
  tap_is_status(other.status, CK_OK, NULL, "%.7s while the store is recovered, synced and counted",
                url);
  tap_is_int(fixture_verify(other.store), 0, "%.7s and verify is clean", url);
  ck_store_close(other.store);
}

int main(void) {
  char url[400];
  snprintf(url, sizeof url, "sqlite:%s/threads.db", tap_tmpdir());
  run("memory:");
  run(url);
  const char *server = postgres_server_store("threads", "postgres");
  if (server) run(server);
  return tap_done();
}
