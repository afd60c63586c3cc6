/* test_postgres.c - what is PostgreSQL's own: leases by the server's clock, commits without an
 * answer, round trips, and schemas that are no store. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/store/postgres/postgres.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;
static const char *url;
static char schema[40];

static ck_store *open_store(const char *name, const char *more) {
  char full[600];
  snprintf(schema, sizeof schema, "%s", name);
  snprintf(full, sizeof full, "%s%s", postgres_server_store(name, "a store"), more);
  return fixture_open(full);
}

static ck_postgres *inside(ck_store *store) { return store->backend.self; }

static const char *ask(const char *sql) { return postgres_server_ask(schema, sql); }

static fixture create(ck_store *store, const char *id) {
  fixture session;
  if (fixture_create(&session, store, id, &err) != CK_OK) tap_must(false, "%s: %s", id, err.text);
  return session;
}

/* A transaction of somebody else, which has a lease's row until it is ended. */
static ck_postgres_connection *hold_row(ck_store *store, int64_t session) {
  char sql[120];
  ck_postgres_connection *other;
  tap_must(ck_postgres_connect(&other, &inside(store)->url, false, &err) == CK_OK, "%s", err.text);
  snprintf(sql, sizeof sql, "BEGIN; SELECT FROM lease WHERE session = %lld FOR UPDATE",
           (long long)session);
  tap_must(ck_postgres_exec(other, sql, "hold it", &err) == CK_OK, "%s", err.text);
  return other;
}

/* ---- leases ---- */

static bool grows(const char *sql) {
  char before[100];
  snprintf(before, sizeof before, "%s", ask(sql));
  while (strcmp(ask(sql), before) == 0) usleep(20000);
  return strcmp(ask(sql), before) > 0;
}

static void test_renewal(void) {
  ck_store *store = open_store("renewal", "&lease=3");
  fixture one = create(store, "one"), two = create(store, "two");
  tap_ok(grows("SELECT expires FROM lease WHERE session = 1"),
         "a lease is renewed though nothing is committed");
  ck_postgres_connection *other = hold_row(store, one.lease.session);
  tap_ok(grows("SELECT expires FROM lease WHERE session = 2"),
         "also while a commit of another session is open");
  ck_postgres_disconnect(other);
  ck_store_release(store, two.lease);
  tap_is_text(ask("SELECT owner IS NULL AND expires < now() FROM lease WHERE session = 2"), "t",
              "one that was given back is nobody's");
  ck_store_close(store);
}

static void test_owners(void) {
  ck_store *store = open_store("owners", ""), *second = open_store("owners", "");
  fixture first = create(store, "kept"), taken;
  tap_is_status(fixture_acquire(&taken, second, "kept", &err), CK_E_OWNED, &err,
                "another handle does not take it");
  ask("UPDATE lease SET owner = '1 7 another-boot pid:[1] far-away run'");
  tap_is_status(fixture_acquire(&taken, second, "kept", &err), CK_E_OWNED, &err,
                "nor from another machine, whose processes are not seen here");
  tap_ok(strstr(err.text, "far-away") != NULL, "which is named: %s", err.text);
  ask("UPDATE lease SET expires = 'epoch'");
  tap_is_status(fixture_acquire(&taken, second, "kept", &err), CK_OK, &err,
                "when its time has passed anybody does");
  fixture_step step = {.text = "zombie"};
  tap_is_status(fixture_commit(&first, &step, &err), CK_E_FENCED, &err, "the old owner is fenced");
  tap_is_text(ask("SELECT count(*) FROM event WHERE session = 1"), "2", "and writes nothing");
  tap_is_status(ck_store_pin(store, first.lease, 1, true, &err), CK_E_FENCED, &err,
                "nor anything else of the session");
  ck_request request;
  bool found;
  tap_is_status(ck_store_get_request(&request, &found, store, first.lease, 0, &err), CK_E_FENCED,
                &err, "nor reads its requests");
  ck_store_release(store, first.lease);
  tap_is_status(ck_store_check_owner(store, "kept", &err), CK_E_OWNED, &err,
                "nor gives the new owner's lease back");
  ck_store_close(second);
  ck_store_close(store);
}

/* A person's change takes the lease and leaves the epoch: who lost it has that epoch, too. */
static void test_same_epoch(void) {
  ck_store *store = open_store("same", ""), *second = open_store("same", "");
  fixture first = create(store, "same");
  ck_lease lease;
  ask("UPDATE lease SET expires = 'epoch'");
  tap_is_status(ck_store_lock_session(&lease, second, "same", 1, &err), CK_OK, &err,
                "a session whose owner is gone is locked");
  fixture_step step = {.text = "zombie"};
  tap_is_status(fixture_commit(&first, &step, &err), CK_E_FENCED, &err,
                "its owner is fenced, though the epoch is its own");
  ck_store_close(second);
  ck_store_close(store);
}

/* Who held a session when the server went away could not renew that. */
static void test_grace(void) {
  ck_store *store = open_store("grace", "&lease=600"), *second;
  ck_lease lease;
  (void)create(store, "grace");
  ask("UPDATE lease SET owner = '7 7 another-boot another-ns elsewhere run_x'");
  postgres_server_stop();
  postgres_server_start();
  ask("UPDATE lease SET expires = clock_timestamp() - interval '1 ms'");
  tap_is_status(ck_store_check_owner(store, "grace", &err), CK_E_OWNED, &err,
                "behind a start of the server a lease that ended meanwhile lasts");
  ck_status status = ck_store_lock_session(&lease, store, "grace", 1, &err);
  tap_must(status == CK_E_OWNED, "nobody takes it over: %s", err.text);
  tap_ok(strstr(err.text, "elsewhere") != NULL, "its owner is named: %s", err.text);
  second = open_store("grace", "&lease=1");
  do status = ck_store_lock_session(&lease, second, "grace", 1, &err);
  while (status == CK_E_OWNED && usleep(10000) == 0);
  tap_is_status(status, CK_OK, &err, "for the length of a lease: then it can be");
  ck_store_close(second);
  ck_store_close(store);
}

/* ---- commits without an answer ---- */

static void test_restart(void) {
  ck_store *store = open_store("restart", "");
  fixture session = create(store, "restart");
  fixture_step step = {.text = "hello", .key = "memory.a", .value = "1"};
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "a commit");
  postgres_server_stop();
  ck_status status = fixture_commit(&session, &step, &err);
  tap_is_status(status, CK_E_UNKNOWN, &err, "one that the server does not answer is unknown");
  tap_is_status(fixture_commit(&session, &step, &err), CK_E_UNKNOWN, &err,
                "and so is the store, until it is known");
  tap_ok(ck_store_recover(store, &err) != CK_OK, "which cannot be while the server is away: %s",
         err.text);
  postgres_server_start();
  tap_is_status(ck_store_recover(store, &err), CK_OK, &err, "when it is back, it can");
  tap_is_int(fixture_count_events(store, session.lease.session), 3, "nothing was written");
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "then the session goes on");
  tap_is_int(fixture_verify(store), 0, "and all is well");
  ck_store_close(store);
}

typedef struct late {
  fixture session;
  ck_status status;
} late;

static void *commit_late(void *to) {
  late *self = to;
  fixture_step step = {.text = "late"};
  ck_error ignored = CK_ERROR_INIT;
  self->status = fixture_commit(&self->session, &step, &ignored);
  return NULL;
}

/* The server is at the commit when its client loses the connection. What becomes of it is known
 * behind the recover, and does not change any more. */
static void test_late(void) {
  ck_store *store = open_store("late", "");
  late cut = {.session = create(store, "late")};
  char before[40];
  pthread_t thread;
  snprintf(before, sizeof before, "%s", ask("SELECT writer FROM lease"));
  ck_postgres_connection *other = hold_row(store, cut.session.lease.session);
  tap_must(pthread_create(&thread, NULL, commit_late, &cut) == 0, "a thread");
  while (strcmp(ask("SELECT count(*) FROM pg_locks WHERE NOT granted"), "1") != 0) usleep(10000);
  ask("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted");
  pthread_join(thread, NULL);
  tap_is_status(cut.status, CK_E_UNKNOWN, NULL, "a connection that is cut in a commit: unknown");
  ck_postgres_disconnect(other);
  tap_is_status(ck_store_recover(store, &err), CK_OK, &err, "it is asked what became of it");
  tap_is_int(fixture_count_events(store, cut.session.lease.session), 1, "nothing, here");
  tap_ok(strcmp(ask("SELECT writer FROM lease"), before) != 0,
         "and what had been sent fits nowhere any more");
  fixture_step step = {.text = "again"};
  tap_is_status(fixture_commit(&cut.session, &step, &err), CK_OK, &err, "the session goes on");
  ck_store_close(store);
}

/* ---- round trips ---- */

static int waits;
static ck_libpq counted;
static const ck_libpq *real;

static int send_prepared(PGconn *conn, const char *name, int count, const char *const *values,
                         const int *lengths, const int *formats, int format) {
  waits += real->status(conn) == CONNECTION_OK && counted.pipelineSync != NULL;
  return real->sendQueryPrepared(conn, name, count, values, lengths, formats, format);
}

static int send_counted(PGconn *conn, const char *sql) {
  waits++;
  return real->sendQuery(conn, sql);
}

static int sync_counted(PGconn *conn) {
  waits = 1; /* what was sent before it goes with it */
  return real->pipelineSync(conn);
}

static void test_round_trips(void) {
  ck_store *store = open_store("trips", "");
  fixture sessions[] = {create(store, "one"), create(store, "two"), create(store, "three")};
  fixture_step step = {.text = "hello", .key = "memory.a", .value = "1"};
  tap_is_status(fixture_commit(&sessions[0], &step, &err), CK_OK, &err, "prepared");
  real = inside(store)->pq;
  counted = *real;
  counted.sendQueryPrepared = send_prepared;
  counted.sendQuery = send_counted;
  counted.pipelineSync = sync_counted;
  inside(store)->writer->pq = &counted;
  waits = 0;
  tap_is_status(fixture_commit(&sessions[0], &step, &err), CK_OK, &err, "a checkpoint");
  tap_is_int(waits, 1, "is one round trip");
  fixture_batch rows[3];
  ck_batch batches[3];
  for (int i = 0; i < 3; i++) {
    fixture_batch_init(&rows[i], &sessions[i], &step);
    batches[i] = rows[i].batch;
  }
  waits = 0;
  tap_is_status(ck_store_commit(store, batches, 3, &err), CK_OK, &err, "those of three sessions");
  tap_is_int(waits, 1, "are one as well");
  tap_ok(!batches[0].status && !batches[1].status && !batches[2].status, "all of them");
  for (int i = 0; i < 3; i++) fixture_batch_clear(&rows[i]);
  inside(store)->writer->pq = real;
  tap_is_int(fixture_verify(store), 0, "and all is well");
  ck_store_close(store);
}

/* ---- schemas, texts ---- */

static void refused(const char *name, bool create, ck_status expected, const char *what) {
  ck_store *store;
  char full[600];
  snprintf(full, sizeof full, "%s", postgres_server_store(name, "a store"));
  ck_store_options options = {.create = create, .read_only = !create};
  if (!tap_is_status(ck_store_open(&store, full, &options, &err), expected, &err, "%s", what))
    return;
  tap_ok(strstr(err.text, name) != NULL, "is named: %s", err.text);
}

static void test_schemas(void) {
  refused("absent", false, CK_E_NOT_FOUND, "a store that is not there");
  tap_is_text(postgres_server_ask("public", "SELECT count(*) FROM pg_namespace WHERE nspname = "
                                            "'absent'"),
              "0", "and nothing is made");
  postgres_server_ask("public",
                      "CREATE SCHEMA foreign_one; CREATE TABLE foreign_one.thing (a INT)");
  refused("foreign_one", true, CK_E_NOT_A_STORE, "somebody else's tables");
  postgres_server_ask("public",
                      "CREATE ROLE its_owner LOGIN; CREATE SCHEMA owned AUTHORIZATION its_owner");
  ck_store_close(open_store("owned", "&user=its_owner"));
  tap_is_text(ask("SELECT tableowner FROM pg_tables WHERE tablename = 'meta' AND schemaname = "
                  "'owned'"),
              "its_owner", "in a schema that is there its owner makes a store");
  ck_store_close(open_store("newer", ""));
  ask("UPDATE meta SET value = '4' WHERE key = 'schema'");
  refused("newer", true, CK_E_NEWER, "a store of a later ckrun");
}

static void test_texts(void) {
  ck_store *store = open_store("texts", "");
  fixture session = create(store, "texts");
  fixture_step step = {
      .update = &(ck_session_update){.status = CK_SESSION_PAUSED, .reason = "caf\xe9 \xc3\xa9"}};
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err,
                "a reason that is no UTF-8 is no reason to stop");
  ck_session_record record;
  tap_is_status(ck_store_get_session(&record, store, "texts", &err), CK_OK, &err, "it");
  tap_is_text(record.reason, "caf\xef\xbf\xbd \xc3\xa9", "is kept as far as it is");
  ck_session_record_clear(&record);
  ck_store_close(store);
}

/* The server refuses one of them, as when its disk is full: with a trigger of its own. */
static void refuse(const char *state, int64_t session) {
  char sql[600];
  snprintf(sql, sizeof sql,
           "CREATE OR REPLACE FUNCTION ill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF "
           "NEW.session = %lld THEN RAISE EXCEPTION USING ERRCODE = ''%s'', MESSAGE = ''no room''; "
           "END IF; RETURN NEW; END'; CREATE OR REPLACE TRIGGER ill BEFORE INSERT ON checkpoint "
           "FOR EACH ROW EXECUTE FUNCTION ill()",
           (long long)session, state);
  ask(sql);
}

static ck_status commit_two(fixture_batch rows[2], ck_store *store, fixture sessions[2],
                            const fixture_step *step) {
  ck_batch batches[2];
  for (int i = 0; i < 2; i++) fixture_batch_init(&rows[i], &sessions[i], step);
  for (int i = 0; i < 2; i++) batches[i] = rows[i].batch;
  ck_status status = ck_store_commit(store, batches, 2, &err);
  for (int i = 0; i < 2; i++) fixture_batch_clear(&rows[i]);
  return status;
}

static void test_ill(void) {
  static const struct {
    const char *state;
    ck_status status;
  } states[] = {{"53100", CK_E_FULL}, {"58030", CK_E_IO}, {"53200", CK_E_BUSY}};
  ck_store *store = open_store("ill", "");
  fixture sessions[2] = {create(store, "one"), create(store, "two")};
  fixture_step step = {.text = "hello", .key = "memory.a", .value = "1"};
  fixture_batch rows[2];
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    refuse(states[i].state, sessions[1].lease.session);
    tap_is_status(fixture_commit(&sessions[1], &step, &err), states[i].status, &err,
                  "a commit that the server cannot make is none");
    tap_ok(strstr(err.text, "no room (SQLSTATE ") != NULL, "with its words: %s", err.text);
    tap_is_status(commit_two(rows, store, sessions, &step), states[i].status, &err,
                  "nor are those with it");
    tap_is_text(ask("SELECT count(*) FROM event"), "2", "nothing of either is there");
  }
  ask("DROP TRIGGER ill ON checkpoint");
  tap_is_status(fixture_commit(&sessions[1], &step, &err), CK_OK, &err, "then it makes it");
  tap_is_status(fixture_commit(&sessions[0], &step, &err), CK_OK, &err, "and the other");
  tap_is_int(fixture_verify(store), 0, "and all is well");
  ck_store_close(store);
}

int main(void) {
  const char *why;
  url = postgres_server_url(&why);
  if (!url) tap_skip_all("%s", why);
  test_schemas();
  test_texts();
  test_owners();
  test_same_epoch();
  test_grace();
  test_renewal();
  test_round_trips();
  test_late();
  test_ill();
  test_restart();
  return tap_done();
}
