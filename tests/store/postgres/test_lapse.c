/* test_lapse.c - a host that cannot renew its leases stops before they end, whatever the server
 * does: it does not answer, it is away, it gave the session to somebody else. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/store/lapse.h"
#include "core/store/postgres/postgres.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;
static char schema[40];

static ck_store *open_store(const char *name, const char *more) {
  char full[600];
  snprintf(schema, sizeof schema, "%s", name);
  snprintf(full, sizeof full, "%s%s", postgres_server_store(name, "a store"), more);
  return fixture_open(full);
}

static const char *ask(const char *sql) { return postgres_server_ask(schema, sql); }

static fixture create(ck_store *store, const char *id) {
  fixture session;
  if (fixture_create(&session, store, id, &err) != CK_OK) tap_must(false, "%s: %s", id, err.text);
  return session;
}

/* ---- who is told, and when: by the clock that the server has, too ---- */

static int told[2];

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void lapsed(void *to) {
  double at = now_s();
  (void)to;
  tap_must(write(told[1], &at, sizeof at) == sizeof at, "a pipe");
}

static double await_lapse(void) {
  double at;
  struct pollfd ready = {.fd = told[0], .events = POLLIN};
  tap_must(poll(&ready, 1, 60000) == 1, "a lease that is not renewed lapses");
  tap_must(read(told[0], &at, sizeof at) == sizeof at, "a pipe");
  return at;
}

typedef struct writing {
  fixture session;
  ck_status status;
  ck_error err;
} writing;

static void *commit(void *to) {
  writing *self = to;
  fixture_step step = {.text = "waits"};
  self->status = fixture_commit(&self->session, &step, &self->err);
  return NULL;
}

/* Without leases that end nobody is told, and nothing lapses. */
static void test_other_stores(void) {
  ck_store *store = fixture_open("memory:");
  fixture session = create(store, "kept");
  ck_store_watch_lapse(store, lapsed, NULL);
  tap_is_status(ck_store_check_lapse(store, session.lease, &err), CK_OK, &err,
                "in other stores no lease lapses");
  ck_store_watch_lapse(store, NULL, NULL);
  ck_store_close(store);
}

/* The handle goes on, with the same session when that is free. */
static void take_again(ck_store *store) {
  fixture taken;
  tap_is_text(ask("SELECT owner IS NOT NULL FROM lease"), "t",
              "a lease that lapsed is not given back, it ends");
  tap_is_status(fixture_acquire(&taken, store, "one", &err), CK_E_OWNED, &err,
                "until then nobody has the session");
  ask("UPDATE lease SET expires = 'epoch'");
  ck_status status = fixture_acquire(&taken, store, "one", &err);
  tap_must(status == CK_OK, "then it is taken: %s", err.text);
  fixture_step step = {.text = "goes on"};
  tap_is_status(fixture_commit(&taken, &step, &err), CK_OK, &err, "and goes on");
  tap_is_int(fixture_verify(store), 0, "all is well");
  postgres_server_freeze();
  (void)await_lapse();
  ck_store_close(store);
  tap_ok(true, "a store is closed while its server stands still");
  postgres_server_thaw();
}

/* The server holds all its connections and answers nothing. The lease is as long that its signs of
 * life would be waited for, and asked for, longer by far than the lease is renewed. */
static void test_frozen(void) {
  enum { PATIENCE_S = 20, LET_GO_S = 12 };
  ck_store *store = open_store("frozen", "&lease=40&margin=37");
  writing one = {.session = create(store, "one"), .err = CK_ERROR_INIT};
  pthread_t thread;
  ck_store_watch_lapse(store, lapsed, NULL);
  tap_is_status(ck_store_check_lapse(store, one.session.lease, &err), CK_OK, &err,
                "a lease that was just taken has not lapsed");
  /* What is sent from here on the server does when it goes on. */
  double ends = atof(ask("SELECT extract(epoch FROM expires) FROM lease"));
  postgres_server_freeze();
  tap_must(pthread_create(&thread, NULL, commit, &one) == 0, "a thread");
  double at = await_lapse();
  tap_ok(true, "a server that does not answer: its holder is told");
  tap_is_status(ck_store_check_lapse(store, one.session.lease, &err), CK_E_LAPSED, &err,
                "the lease has lapsed");
  struct timespec most;
  clock_gettime(CLOCK_REALTIME, &most);
  most.tv_sec += LET_GO_S;
  tap_must(pthread_timedjoin_np(thread, NULL, &most) == 0,
           "who waits for a commit is let go then, not behind %d s", PATIENCE_S);
  tap_ok(one.status != CK_OK, "who waited for a commit waits no longer: %s", one.err.text);
  fixture_step step = {.text = "behind"};
  ck_status status = fixture_commit(&one.session, &step, &err);
  tap_ok(status != CK_OK, "nothing is written behind it: %s", err.text);
  ck_session_record record;
  tap_is_status(ck_store_get_session(&record, store, "one", &err), CK_E_LAPSED, &err,
                "nor asked of that server");
  ck_store_release(store, one.session.lease);
  postgres_server_thaw();
  tap_ok(ends - at > 1, "it was told %.2f s before the server lets another one have the session",
         ends - at);
  take_again(store);
}

/* The row is another owner's: what this one sends renews nothing. */
static void test_taken(void) {
  ck_store *store = open_store("taken", "&lease=3&margin=2");
  fixture one = create(store, "one");
  ck_store_watch_lapse(store, lapsed, NULL);
  ask("UPDATE lease SET owner = '7 7 another-boot another-ns elsewhere run_x'");
  (void)await_lapse();
  tap_is_status(ck_store_check_lapse(store, one.lease, &err), CK_E_LAPSED, &err,
                "a session that somebody else has: its lease lapses");
  fixture_step step = {.text = "zombie"};
  tap_is_status(fixture_commit(&one, &step, &err), CK_E_LAPSED, &err, "nothing of it is written");
  tap_is_text(ask("SELECT count(*) FROM event"), "1", "by the server's account");
  ck_store_watch_lapse(store, NULL, NULL);
  ck_store_close(store);
}

static void put_lapse(ck_store *store, ck_lease of, const char *restarts, const char *promise) {
  ck_status status = ck_store_put_lapse(store, of, &err);
  tap_must(status == CK_OK, "a lapse is put: %s", err.text);
  tap_is_text(ask("SELECT restarts FROM session"), restarts, "%s", promise);
}

/* Who saw the run end says so: behind it, or when somebody has the session already. */
static void test_put(const char *name, const char *more) {
  ck_store *store = open_store(name, more);
  fixture one = create(store, "one"), next;
  const ck_lease of = one.lease;
  put_lapse(store, of, "0", "a session that was never taken over has nothing to take back");
  ask("UPDATE session SET restarts = 3");
  put_lapse(store, of, "2", "a run that lapsed does not count");
  ask("UPDATE session SET restarts = 1");
  put_lapse(store, of, "0", "the first one neither");
  ask("UPDATE lease SET epoch = epoch + 1; UPDATE session SET restarts = 3");
  put_lapse(store, of, "2", "nor when somebody else has taken the session since");
  ask("UPDATE session SET restarts = 1");
  put_lapse(store, of, "1", "whose own run counts");
  ask("UPDATE lease SET epoch = epoch + 1; UPDATE session SET restarts = 3");
  put_lapse(store, of, "2", "nor when somebody has twice");
  put_lapse(store, of, "2", "but no run that was before those which count");
  put_lapse(store, (ck_lease){of.session, of.epoch + 3}, "2", "nor what was never so");
  ask("UPDATE lease SET epoch = 1; UPDATE session SET status = 2");
  put_lapse(store, of, "2", "nor of a session that does not run");
  ask("UPDATE session SET status = 5, restarts = 4");
  put_lapse(store, of, "3", "but of one that is failing by now");
  ask("UPDATE lease SET expires = 'epoch', owner = NULL; UPDATE session SET status = 1");
  tap_is_status(fixture_acquire(&next, store, "one", &err), CK_OK, &err, "it is taken");
  tap_is_int(fixture_verify(store), 0, "all is well");
  ck_store_release(store, next.lease);
  ck_store_close(store);
}

int main(void) {
  ck_key *key;
  const char *why;
  if (!postgres_server_url(&why)) tap_skip_all("%s", why);
  tap_must(pipe(told) == 0, "a pipe");
  test_other_stores();
  test_frozen();
  test_taken();
  test_put("told", "");
  fixture_key = key = fixture_make_key();
  test_put("told_sealed", "");
  ck_key_free(key);
  return tap_done();
}
