/* test_writer.c - what is queued is committed: whoever waits or does not, in order, from many
 * threads, and never after a failure. */
#include "core/runtime/commit/channel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/session/session.h"
#include "core/store/verify.h"
#include "tests/tap.h"

enum { MANY = 6000, THREADS = 8, STEPS = 200 };

static ck_runtime *open_runtime(const char *url) {
  ck_runtime *runtime;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "open: %s", err.text);
  return runtime;
}

static ck_session *start(ck_runtime *runtime, const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "start: %s", err.text);
  return session;
}

static bool step(ck_session *session, ck_saved *saved) {
  ck_error err = CK_ERROR_INIT;
  return ck_session_boundary(saved, session, &(ck_boundary){.kind = CK_BOUNDARY_STEP_COMPLETE},
                             &err) == CK_OK;
}

static bool count_checkpoint(void *to, const ck_checkpoint_info *checkpoint) {
  (void)checkpoint;
  ++*(int *)to;
  return true;
}

static int checkpoints(ck_runtime *runtime, const char *id) {
  ck_session_record record;
  ck_error err = CK_ERROR_INIT;
  int count = 0;
  tap_must(ck_store_get_session(&record, runtime->store, id, &err) == CK_OK, "record: %s",
           err.text);
  tap_must(
      ck_store_list_checkpoints(runtime->store, record.no, count_checkpoint, &count, &err) == CK_OK,
      "list: %s", err.text);
  ck_session_record_clear(&record);
  return count;
}

/* More boundaries than the queue holds, of a session whose policy says sync, and a caller that
 * never waits. */
static void test_nobody_waits(void) {
  ck_runtime *runtime = open_runtime("memory:");
  ck_session *session = start(runtime, "hasty");
  ck_saved saved;
  bool all = true;
  for (int i = 0; i < MANY; i++) all &= step(session, &saved);
  tap_ok(all, "%d boundaries that nobody waits for are accepted", MANY);
  ck_session_close(session);
  tap_is_int(checkpoints(runtime, "hasty"), MANY,
             "and all of them are durable once the session is closed");
  ck_runtime_close(runtime);
}

typedef struct worker {
  ck_runtime *runtime;
  char id[32];
  bool waits, good;
} worker;

static void *work(void *to) {
  worker *self = to;
  ck_error err = CK_ERROR_INIT;
  ck_session *session = start(self->runtime, self->id);
  ck_saved saved = {0};
  self->good = true;
  for (int i = 0; i < STEPS; i++) {
    self->good &= step(session, &saved);
    if (self->waits || i == STEPS - 1)
      self->good &= ck_session_wait(session, saved.ticket, &err) == CK_OK;
  }
  ck_session_close(session);
  return NULL;
}

static void test_threads(const char *url) {
  worker workers[THREADS];
  pthread_t threads[THREADS];
  ck_runtime *runtime = open_runtime(url);
  bool good = true;
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.runtime = runtime, .waits = i % 2};
    snprintf(workers[i].id, sizeof workers[i].id, "thread-%d", i);
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    good &= workers[i].good && checkpoints(runtime, workers[i].id) == STEPS;
  tap_ok(good, "%d threads, some waiting and some not: nothing lost, nothing stuck (%s)", THREADS,
         url);
  ck_verify_report report;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err), CK_OK, &err,
                "the store can be verified");
  tap_is_int(report.problems, 0, "and is clean");
  ck_runtime_close(runtime);
}

/* A job that the store refuses fails its channel for good; others go on. */
static void test_failed_channel(void) {
  ck_runtime *runtime = open_runtime("memory:");
  ck_session *good = start(runtime, "good");
  ck_channel *channel;
  ck_error err = CK_ERROR_INIT;
  uint64_t ticket;
  ck_saved saved;
  tap_must(ck_channel_new(&channel, runtime->writer, (ck_lease){.session = 1, .epoch = 77}, NULL,
                          &err) == CK_OK,
           "channel");
  ck_job job = {.has_update = true, .update_status = CK_SESSION_PAUSED};
  tap_is_status(ck_channel_put(&ticket, channel, &job, &err), CK_OK, &err, "a job is queued");
  tap_is_status(ck_channel_wait(channel, ticket, &err), CK_E_FENCED, &err,
                "an epoch that has passed is reported to a waiting caller");
  job = (ck_job){.has_update = true, .update_status = CK_SESSION_PAUSED};
  tap_is_status(ck_channel_put(&ticket, channel, &job, &err), CK_E_FENCED, &err,
                "and to every later job");
  tap_ok(step(good, &saved) && ck_session_wait(good, saved.ticket, &err) == CK_OK,
         "another session goes on");
  ck_channel_free(channel);
  ck_session_close(good);
  ck_runtime_close(runtime);
}

int main(void) {
  char url[512];
  test_nobody_waits();
  test_threads("memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("writer.db"));
  test_threads(url);
  test_failed_channel();
  return tap_done();
}
