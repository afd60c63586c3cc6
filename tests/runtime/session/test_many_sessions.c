/* test_many_sessions.c - 64 sessions of one process on several threads, one writer: each keeps what
 * it put, whoever else writes, prunes, asks, reads or resumes meanwhile. Under ThreadSanitizer it
 * is a part of the campaign; MANY_SESSIONS_ROUNDS=N makes it longer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/prune.h"
#include "core/runtime/session/requests.h"
#include "core/runtime/session/session.h"
#include "core/store/stats.h"
#include "core/store/verify.h"
#include "tests/tap.h"

/* Each of the threads runs every THREADS-th session; after a resume another thread does. */
enum { SESSIONS = 64, THREADS = 4, LIVES = 2 };

static int rounds = 4;
static ck_runtime *runtime;
static ck_session *session[SESSIONS];
static atomic_bool ended;

typedef struct worker {
  int first, life;
  ck_error err;
} worker;

static const char *id_of(char id[CK_ID_SIZE], int i) {
  snprintf(id, CK_ID_SIZE, "many-%02d", i);
  return id;
}

static ck_status put_number(ck_session *to, int number, ck_error *err) {
  char text[32];
  ck_value *value;
  snprintf(text, sizeof text, "%d", number);
  ck_status status = ck_value_new(&value, ck_bytes_text(text), err);
  if (status == CK_OK) status = ck_session_put(to, "memory.number", value, err);
  ck_value_free(value);
  return status;
}

static ck_status open_session(int i, int life, ck_error *err) {
  char id[CK_ID_SIZE];
  return life ? ck_session_resume(&session[i], runtime, id_of(id, i), &(ck_resume_options){0}, err)
              : ck_session_start(&session[i], runtime, &(ck_session_options){.id = id_of(id, i)},
                                 err);
}

/* Takes what was asked of it, as a loop does between two steps. */
static ck_status take_requests(ck_session *of, ck_error *err) {
  ck_session_request request;
  bool found = true;
  ck_status status = CK_OK;
  while (status == CK_OK && found) {
    status = ck_session_take_request(&request, &found, of, err);
    if (status != CK_OK || !found) break;
    status = ck_session_note_request(of, &request, NULL, err);
    ck_session_request_clear(&request);
  }
  return status;
}

static ck_status step(int i, int number, ck_saved *saved, ck_error *err) {
  ck_boundary boundary = {.kind = CK_BOUNDARY_TOOL_ROUND};
  ck_status status = put_number(session[i], number, err);
  if (status == CK_OK) status = ck_session_boundary(saved, session[i], &boundary, err);
  if (status == CK_OK && number % 2 == 0) status = take_requests(session[i], err);
  return status;
}

/* All of a thread's sessions take a step before it waits for the first of them. */
static void *run_sessions(void *to) {
  worker *self = to;
  ck_saved saved[SESSIONS];
  ck_status status = CK_OK;
  for (int i = self->first; i < SESSIONS && status == CK_OK; i += THREADS)
    status = open_session(i, self->life, &self->err);
  for (int round = 1; round <= rounds && status == CK_OK; round++) {
    int number = self->life * rounds + round;
    for (int i = self->first; i < SESSIONS && status == CK_OK; i += THREADS)
      status = step(i, number, &saved[i], &self->err);
    for (int i = self->first; i < SESSIONS && status == CK_OK; i += THREADS)
      status = ck_session_wait(session[i], saved[i].ticket, &self->err);
  }
  for (int i = self->first; i < SESSIONS && status == CK_OK; i += THREADS)
    status = ck_session_prune_to(session[i], 2, &self->err);
  for (int i = self->first; i < SESSIONS; i += THREADS) {
    ck_session_close(session[i]);
    session[i] = NULL;
  }
  return NULL;
}

static bool ignore_session(void *to, const ck_session_record *record) {
  return to == NULL && record->no > 0;
}

/* What other threads ask of the store and of sessions that are none of theirs; a session may not be
 * there yet, or be at rest. */
static void *bustle(void *to) {
  worker *self = to;
  for (int i = 0; !ended && self->err.status == CK_OK; i = (i + 7) % SESSIONS) {
    ck_error ignored = CK_ERROR_INIT;
    ck_head head = {0};
    ck_store_stats stats;
    char id[CK_ID_SIZE];
    if (ck_store_get_head(&head, runtime->store, id_of(id, i), &ignored) == CK_OK)
      ck_head_clear(&head);
    if (ck_request_pause(runtime->store, id, "enough", &ignored) != CK_OK &&
        ignored.status != CK_E_NOT_FOUND && ignored.status != CK_E_REFUSED)
      self->err = ignored;
    ck_status status = ck_store_list_sessions(runtime->store, 0, ignore_session, NULL, &self->err);
    if (status == CK_OK) status = ck_store_get_stats(&stats, runtime->store, &self->err);
    if (status == CK_OK && i == 0) status = ck_store_idle(runtime->store, &self->err);
    if (status != CK_OK) break;
  }
  return NULL;
}

static void live(int life) {
  pthread_t threads[THREADS], busy;
  worker workers[THREADS], other = {.err = CK_ERROR_INIT};
  ended = false;
  pthread_create(&busy, NULL, bustle, &other);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){(i + life) % THREADS, life, CK_ERROR_INIT};
    pthread_create(&threads[i], NULL, run_sessions, &workers[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    tap_is_status(workers[i].err.status, CK_OK, &workers[i].err, "life %d: thread %d", life, i);
  }
  ended = true;
  pthread_join(busy, NULL);
  tap_is_status(other.err.status, CK_OK, &other.err, "life %d: who asks and reads meanwhile", life);
}

static int number_of(int i) {
  char id[CK_ID_SIZE];
  ck_error err = CK_ERROR_INIT;
  ck_session *found;
  int number = -1;
  if (ck_session_resume(&found, runtime, id_of(id, i), &(ck_resume_options){0}, &err) != CK_OK) {
    tap_diag("%s: %s", id, err.text);
    return -1;
  }
  const ck_value *value = ck_session_get(found, "memory.number");
  if (value) number = atoi(ck_value_bytes(value).data);
  ck_session_close(found);
  return number;
}

static void test_in(const char *url) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  int kept = 0;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "%s: %s", url, err.text);
  for (int life = 0; life < LIVES; life++) live(life);
  for (int i = 0; i < SESSIONS; i++) kept += number_of(i) == LIVES * rounds;
  tap_is_int(kept, SESSIONS, "%.6s: each session kept its last number", url);
  tap_is_status(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err), CK_OK, &err,
                "%.6s: it is verified", url);
  tap_is_int(report.problems, 0, "%.6s: and sound", url);
  ck_runtime_close(runtime);
}

int main(void) {
  char url[512];
  const char *more = getenv("MANY_SESSIONS_ROUNDS");
  if (more) rounds = atoi(more);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("many.db"));
  test_in("memory:");
  test_in(url);
  return tap_done();
}
