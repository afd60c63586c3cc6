/* test_prepare.c - what a thread digests and packs ahead, while jobs of other sessions wait, is in
 * the store as if the thread that commits had done it; a session that is alone leaves it all to
 * that thread. */
/* link: -Wl,--wrap=ck_store_commit */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/commit/writer_private.h"
#include "core/runtime/session/session_private.h"
#include "core/store/verify.h"
#include "tests/tap.h"

enum { SESSIONS = 12, AHEAD_FROM = CK_WRITER_CROWD + 1, BODIES = 3, BODY = 2000 };

/* The first round waits until all are queued. */
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool held, inside;
  int prepared, plain; /* batches since */
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

ck_status __real_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err) {
  pthread_mutex_lock(&gate.mutex);
  gate.inside = true;
  pthread_cond_broadcast(&gate.changed);
  while (gate.held) pthread_cond_wait(&gate.changed, &gate.mutex);
  for (size_t i = 0; i < count; i++) {
    gate.prepared += batches[i].prepared != NULL;
    gate.plain += batches[i].prepared == NULL;
  }
  pthread_mutex_unlock(&gate.mutex);
  return __real_ck_store_commit(store, batches, count, err);
}

static void close_gate(void) {
  pthread_mutex_lock(&gate.mutex);
  gate.held = true;
  gate.inside = false;
  gate.prepared = gate.plain = 0;
  pthread_mutex_unlock(&gate.mutex);
}

static void wait_inside(void) {
  pthread_mutex_lock(&gate.mutex);
  while (!gate.inside) pthread_cond_wait(&gate.changed, &gate.mutex);
  pthread_mutex_unlock(&gate.mutex);
}

static void open_gate(void) {
  pthread_mutex_lock(&gate.mutex);
  gate.held = false;
  pthread_cond_broadcast(&gate.changed);
  pthread_mutex_unlock(&gate.mutex);
}

/* One that packs well, one that does not, one that is too short for it. */
static ck_value *body_of(int which) {
  ck_value *body;
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0};
  unsigned state = 7;
  ck_buffer_append_text(&text, "{\"text\":\"");
  for (int i = 0; i < BODY && which < 2; i++) {
    state = state * 1664525u + 1013904223u;
    ck_buffer_append_char(&text, which == 0 ? "prose "[i % 6] : (char)('#' + state % 57));
  }
  ck_buffer_append_text(&text, "\"}");
  tap_must(ck_value_from(&body, &text, &err) == CK_OK, "a body: %s", err.text);
  ck_buffer_clear(&text);
  return body;
}

static uint64_t push(ck_session *session, ck_value *const *bodies) {
  uint64_t ticket = 0;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < BODIES; i++)
    tap_must(ck_session_append(session, CK_EVENT_NOTE, NULL, NULL, bodies[i], &err) == CK_OK,
             "append: %s", err.text);
  tap_must(ck_session_push(&ticket, session, CK_DURABLE_POWER, &err) == CK_OK, "push: %s",
           err.text);
  return ticket;
}

static ck_session *start(ck_runtime *runtime, int number) {
  ck_session *session;
  char id[32];
  ck_error err = CK_ERROR_INIT;
  snprintf(id, sizeof id, "prepare-%02d", number);
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "start: %s", err.text);
  return session;
}

typedef struct reading {
  ck_value *const *bodies;
  int notes, same;
} reading;

static bool compare(void *to, const ck_event *event) {
  reading *self = to;
  if (event->kind != CK_EVENT_NOTE) return true;
  ck_bytes has = ck_value_bytes(event->body);
  ck_bytes had = ck_value_bytes(self->bodies[self->notes++ % BODIES]);
  self->same += has.len == had.len && memcmp(has.data, had.data, has.len) == 0;
  return true;
}

static void check_store(ck_runtime *runtime, ck_session *const *sessions, ck_value *const *bodies,
                        const char *where) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  reading all = {.bodies = bodies};
  for (int i = 0; i < SESSIONS; i++) {
    ck_event_query query = {.session = sessions[i]->lease.session};
    tap_must(ck_store_read_events(runtime->store, &query, compare, &all, &err) == CK_OK, "read: %s",
             err.text);
  }
  tap_ok(all.notes == all.same && all.notes >= SESSIONS * BODIES,
         "%s: all that was put is read back: %d of %d", where, all.same, all.notes);
  tap_must(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err) == CK_OK, "verify: %s",
           err.text);
  tap_is_int(report.problems, 0, "%s: and answers for itself", where);
}

/* Sessions of one thread: the first one's events are being committed, then one job of each comes,
 * the later ones behind more than CK_WRITER_CROWD of others. */
static void test_crowd(ck_runtime *runtime, const char *where) {
  ck_session *sessions[SESSIONS];
  ck_value *bodies[BODIES];
  int64_t before[SESSIONS], stored[SESSIONS];
  uint64_t tickets[SESSIONS];
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < BODIES; i++) bodies[i] = body_of(i);
  for (int i = 0; i < SESSIONS; i++) sessions[i] = start(runtime, i);
  for (int i = 0; i < SESSIONS; i++) before[i] = ck_channel_stored_bytes(sessions[i]->channel);
  close_gate();
  for (int i = 0; i < SESSIONS; i++) {
    tickets[i] = push(sessions[i], bodies);
    if (i == 0) wait_inside();
  }
  open_gate();
  bool good = true;
  for (int i = 0; i < SESSIONS; i++) {
    good &= ck_session_wait(sessions[i], tickets[i], &err) == CK_OK;
    stored[i] = ck_channel_stored_bytes(sessions[i]->channel) - before[i];
  }
  tap_ok(good, "%s: all of them are committed", where);
  tap_is_int(gate.prepared, SESSIONS - AHEAD_FROM,
             "%s: whoever came behind the jobs of %d others had prepared its own", where,
             CK_WRITER_CROWD);
  tap_is_int(gate.plain, AHEAD_FROM, "%s: and nobody else", where);
  tap_ok(stored[SESSIONS - 1] == stored[1] && stored[1] < 2 * BODY,
         "%s: it is stored in as many bytes: %lld, %lld", where, (long long)stored[SESSIONS - 1],
         (long long)stored[1]);
  check_store(runtime, sessions, bodies, where);
  for (int i = 0; i < SESSIONS; i++) ck_session_close(sessions[i]);
  for (int i = 0; i < BODIES; i++) ck_value_free(bodies[i]);
}

static void test_alone(ck_runtime *runtime, const char *where) {
  ck_session *session = start(runtime, SESSIONS);
  ck_value *bodies[BODIES];
  uint64_t ticket = 0;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < BODIES; i++) bodies[i] = body_of(i);
  close_gate();
  ticket = push(session, bodies);
  wait_inside();
  for (int i = 0; i < SESSIONS; i++) ticket = push(session, bodies);
  open_gate();
  tap_is_status(ck_session_wait(session, ticket, &err), CK_OK, &err,
                "%s: one that is alone has many jobs committed", where);
  tap_is_int(gate.prepared, 0, "%s: and prepares none: it takes its next step", where);
  for (int i = 0; i < BODIES; i++) ck_value_free(bodies[i]);
  ck_session_close(session);
}

static void test_store(const char *url, const char *where) {
  ck_runtime *runtime;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "open: %s", err.text);
  test_crowd(runtime, where);
  test_alone(runtime, where);
  ck_runtime_close(runtime);
}

int main(void) {
  char url[512];
  test_store("memory:", "in memory");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("prepare.db"));
  test_store(url, "in a file");
  return tap_done();
}
