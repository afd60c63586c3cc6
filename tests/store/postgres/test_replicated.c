/* test_replicated.c - durability = "replicated": a commit is answered when the standby has applied
 * it, is unknown when the wait for that was given up, and is refused where there is none. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/server.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;
static const char waiters[] = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
static const char events[] = "SELECT count(*) FROM event";

static const char *ask(const char *sql) { return postgres_server_ask("replicated", sql); }
static int applied(void) { return atoi(postgres_server_ask_standby("replicated", events)); }

typedef struct committing {
  pthread_t thread;
  fixture *session;
  enum { STEP, NOTE, BEGINNING } what; /* NOTE: process-durable */
  ck_error err;
  ck_status status;
  _Atomic bool done;
} committing;

static void *commit(void *to) {
  committing *self = to;
  const fixture_step step = {.text = "hello", .key = "memory.a", .value = "1"};
  const fixture_step note = {.text = "hello", .process = true};
  if (self->what == BEGINNING)
    self->status = fixture_create(self->session, self->session->store, "two", &self->err);
  else
    self->status = fixture_commit(self->session, self->what == NOTE ? &note : &step, &self->err);
  self->done = true;
  return NULL;
}

/* Begins one that the standby does not apply; false: it did not wait for that. */
static bool begin_held(committing *self, fixture *session) {
  *self = (committing){.session = session, .what = self->what, .err = CK_ERROR_INIT};
  postgres_server_ask_standby("replicated", "SELECT pg_wal_replay_pause()");
  tap_must(pthread_create(&self->thread, NULL, commit, self) == 0, "a thread");
  while (!self->done && strcmp(ask(waiters), "1") != 0) usleep(2000);
  return !self->done;
}

static void end_held(committing *self) { pthread_join(self->thread, NULL); }

static void resume_standby(void) {
  postgres_server_ask_standby("replicated", "SELECT pg_wal_replay_resume()");
}

static void test_elsewhere(void) {
  ck_store *memory = fixture_open("memory:");
  tap_is_status(ck_store_replicate(memory, &err), CK_E_UNSUPPORTED, &err,
                "a store that is no server's has no standby");
  ck_store_close(memory);
}

static void test_waits(fixture *session) {
  committing one = {.what = STEP};
  tap_ok(begin_held(&one, session), "a commit waits for the standby to apply it");
  resume_standby();
  end_held(&one);
  tap_is_status(one.status, CK_OK, &one.err, "then it is answered");
  tap_is_int(applied(), 3, "and is there at once");
}

static void test_beginning(ck_store *store) {
  fixture session = {.store = store};
  committing one = {.what = BEGINNING};
  tap_ok(begin_held(&one, &session), "the beginning of a session waits for that, too");
  resume_standby();
  end_held(&one);
  tap_is_status(one.status, CK_OK, &one.err, "then it is answered");
  tap_is_int(applied(), 4, "and is there at once");
  ck_store_release(store, session.lease);
}

static void test_process(fixture *session) {
  committing one = {.what = NOTE};
  tap_ok(!begin_held(&one, session), "what is process-durable waits for no standby");
  resume_standby();
  end_held(&one);
  tap_is_status(one.status, CK_OK, &one.err, "and is answered");
}

/* "canceling wait for synchronous replication": a warning, and the commit is answered as made. */
static void test_given_up(ck_store *store, fixture *session) {
  committing one = {.what = STEP};
  tap_ok(begin_held(&one, session), "another one waits");
  ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  end_held(&one);
  tap_is_status(one.status, CK_E_UNKNOWN, &one.err, "one whose wait is cancelled is unknown");
  tap_ok(strstr(one.err.text, "standby"), "and says why: %s", one.err.text);
  resume_standby();
  tap_is_status(ck_store_recover(store, &err), CK_OK, &err, "what became of it is asked");
  tap_is_int(fixture_count_events(store, session->lease.session), 6, "it was made");
  tap_is_int(applied(), 7, "and is at the standby behind that");
}

int main(void) {
  const char *why;
  fixture session;
  test_elsewhere();
  const char *url = postgres_server_store("replicated", "a server with a standby");
  if (!postgres_server_url(&why)) return tap_done();
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "one", &err) == CK_OK, "a session: %s", err.text);
  tap_is_status(ck_store_replicate(store, &err), CK_E_REFUSED, &err,
                "a server that waits for no standby is refused");
  postgres_server_stand_by();
  postgres_server_synchronize();
  tap_is_status(ck_store_replicate(store, &err), CK_OK, &err, "one that waits for it is taken");
  test_waits(&session);
  test_beginning(store);
  test_process(&session);
  test_given_up(store, &session);
  tap_is_int(fixture_verify(store), 0, "all is well");
  ck_store_close(store);
  return tap_done();
}
