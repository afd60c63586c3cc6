/* test_writer.c - what is queued is committed: whoever waits or does not, in order, from many
 * threads, and never after a failure; the queue holds so many bytes and no more. */
/* link: -Wl,--wrap=ck_store_commit,--wrap=pthread_cond_wait */
#include "core/runtime/commit/channel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/runtime/commit/writer_private.h"
#include "core/runtime/session/session_private.h"
#include "core/store/verify.h"
#include "tests/tap.h"

enum { MANY = 6000, THREADS = 8, STEPS = 200, HANG_MS = 60000 };

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

/* Only the writer thread commits here: peeking wakes nobody. */
static bool is_begun(ck_session *session, uint64_t ticket) {
  ck_error err = CK_ERROR_INIT;
  for (int ms = 0; ms < HANG_MS; ms++) {
    if (ck_channel_peek(session->channel, ticket, &err) == CK_OK) return true;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return false;
}

/* Sessions of one thread, each of which waits for its steps, as soon as it has taken the others'.
 */
static void test_side_by_side(void) {
  ck_runtime *runtime = open_runtime("memory:");
  ck_session *sessions[THREADS];
  ck_saved saved[THREADS];
  ck_error err = CK_ERROR_INIT;
  bool good = true;
  for (int i = 0; i < THREADS; i++) {
    char id[32];
    snprintf(id, sizeof id, "beside-%d", i);
    sessions[i] = start(runtime, id);
    good &= step(sessions[i], &saved[i]) &&
            ck_session_wait(sessions[i], saved[i].ticket, &err) == CK_OK;
  }
  for (int i = 0; i < THREADS; i++) good &= step(sessions[i], &saved[i]);
  tap_ok(good && is_begun(sessions[0], saved[0].ticket),
         "the writer thread commits what several sessions will wait for, before they do");
  for (int i = 0; i < THREADS; i++) {
    good &= ck_session_wait(sessions[i], saved[i].ticket, &err) == CK_OK;
    ck_session_close(sessions[i]);
  }
  tap_ok(good, "and each of them is answered");
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

/* ---- no memory for a whole round ---- */

/* A store that holds up the first commit until more is queued, and then has no memory for
 * checkpoints. */
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool armed, inside, open;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void hold_up(void) {
  pthread_mutex_lock(&gate.mutex);
  gate.inside = true;
  pthread_cond_broadcast(&gate.changed);
  while (!gate.open) pthread_cond_wait(&gate.changed, &gate.mutex);
  pthread_mutex_unlock(&gate.mutex);
}

/* ---- more than the queue may hold ---- */

enum { FLOOD = 40, FLOOD_BYTES = 1 << 20 };

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  _Atomic(ck_writer *) writer; /* NULL: nothing is held up */
  pthread_t pusher;
  int pushed;
  bool blocked; /* the pusher waits for room */
  int64_t most; /* bytes of one round */
} flood = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  ck_writer *writer = flood.writer;
  if (writer && cond == &writer->drained) {
    pthread_mutex_lock(&flood.mutex);
    flood.blocked = true;
    pthread_cond_broadcast(&flood.changed);
    pthread_mutex_unlock(&flood.mutex);
  }
  return __real_pthread_cond_wait(cond, mutex);
}

/* The first round waits until the pusher waits, or has pushed all. */
static void hold_up_flood(const ck_batch *batches, size_t count) {
  int64_t bytes = 0;
  pthread_mutex_lock(&flood.mutex);
  while (!flood.blocked && flood.pushed < FLOOD && !pthread_equal(pthread_self(), flood.pusher))
    pthread_cond_wait(&flood.changed, &flood.mutex);
  for (size_t i = 0; i < count; i++)
    for (size_t e = 0; e < batches[i].event_count; e++)
      bytes += (int64_t)ck_value_bytes(batches[i].events[e]->body).len;
  if (bytes > flood.most) flood.most = bytes;
  pthread_mutex_unlock(&flood.mutex);
}

ck_status __real_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err) {
  bool fails = false;
  if (gate.armed) hold_up();
  if (flood.writer) hold_up_flood(batches, count);
  for (size_t i = 0; i < count && gate.armed; i++) fails |= batches[i].checkpoint != NULL;
  return fails ? ck_error_no_memory(err) : __real_ck_store_commit(store, batches, count, err);
}

static uint64_t push_fact(ck_session *session) {
  uint64_t ticket;
  ck_value *body;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_copy(&body, ck_bytes_text("{}"), &err) == CK_OK &&
               ck_session_append(session, CK_EVENT_NOTE, NULL, NULL, body, &err) == CK_OK &&
               ck_session_push(&ticket, session, CK_DURABLE_POWER, &err) == CK_OK,
           "push: %s", err.text);
  ck_value_free(body);
  return ticket;
}

static bool count_event(void *to, const ck_event *event) {
  *(int *)to += event->kind == CK_EVENT_NOTE;
  return true;
}

static int facts(ck_runtime *runtime, const char *id) {
  ck_session_record record;
  ck_error err = CK_ERROR_INIT;
  int count = 0;
  tap_must(ck_store_get_session(&record, runtime->store, id, &err) == CK_OK, "record: %s",
           err.text);
  ck_event_query query = {.session = record.no};
  tap_must(ck_store_read_events(runtime->store, &query, count_event, &count, &err) == CK_OK,
           "events: %s", err.text);
  ck_session_record_clear(&record);
  return count;
}

/* One fact is being committed while a second, a checkpoint and a third are queued: one round. */
static void test_no_memory(void) {
  ck_runtime *runtime = open_runtime("memory:");
  ck_session *session = start(runtime, "short");
  ck_error err = CK_ERROR_INIT;
  ck_saved saved;
  gate.armed = true;
  push_fact(session);
  pthread_mutex_lock(&gate.mutex);
  while (!gate.inside) pthread_cond_wait(&gate.changed, &gate.mutex);
  uint64_t second = push_fact(session);
  tap_must(step(session, &saved) && saved.taken, "a boundary takes a checkpoint");
  uint64_t third = push_fact(session);
  gate.open = true;
  pthread_cond_broadcast(&gate.changed);
  pthread_mutex_unlock(&gate.mutex);
  tap_is_status(ck_session_wait(session, second, &err), CK_OK, &err,
                "without memory for a checkpoint, what was queued before it is committed");
  tap_is_status(ck_session_wait(session, saved.ticket, &err), CK_E_NO_MEMORY, &err,
                "the checkpoint is not");
  tap_ok(strstr(err.text, "ulimit -v") != NULL, "which names the remedy: %s", err.text);
  tap_is_status(ck_session_wait(session, third, &err), CK_E_NO_MEMORY, &err,
                "nor what was queued behind it");
  gate.armed = false;
  tap_is_int(facts(runtime, "short"), 2, "the store has what was said to be in it");
  tap_is_int(checkpoints(runtime, "short"), 0, "and no more");
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static void push_long(ck_session *session, ck_value *body) {
  uint64_t ticket;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_append(session, CK_EVENT_NOTE, NULL, NULL, body, &err) == CK_OK &&
               ck_session_push(&ticket, session, CK_DURABLE_PROCESS, &err) == CK_OK,
           "push: %s", err.text);
  pthread_mutex_lock(&flood.mutex);
  flood.pushed++;
  pthread_cond_broadcast(&flood.changed);
  pthread_mutex_unlock(&flood.mutex);
}

static void test_bytes(void) {
  ck_runtime *runtime = open_runtime("memory:");
  ck_session *session = start(runtime, "flood");
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0};
  ck_value *body;
  ck_buffer_append_text(&text, "{\"text\":\"");
  for (int i = 0; i < FLOOD_BYTES; i++) ck_buffer_append_char(&text, 'x');
  ck_buffer_append_text(&text, "\"}");
  tap_must(ck_value_from(&body, &text, &err) == CK_OK, "%s", err.text);
  ck_buffer_clear(&text);
  flood.pusher = pthread_self();
  flood.writer = runtime->writer;
  for (int i = 0; i < FLOOD; i++) push_long(session, body);
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err,
                "%d MB are committed", FLOOD);
  flood.writer = NULL;
  tap_ok(flood.most <= CK_WRITER_BYTES_MAX, "of which %lld KB were queued at once",
         (long long)flood.most / 1024);
  tap_is_int(facts(runtime, "flood"), FLOOD, "all of them");
  ck_value_free(body);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

int main(void) {
  char url[512];
  test_nobody_waits();
  test_side_by_side();
  test_threads("memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("writer.db"));
  test_threads(url);
  test_failed_channel();
  test_no_memory();
  test_bytes();
  return tap_done();
}
