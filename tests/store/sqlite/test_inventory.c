/* test_inventory.c - every way to change what a store holds leaves its inventory right; a row that
 * is taken away past it is missed for ever, whatever is changed later. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "core/store/backup.h"
#include "core/store/fact.h"
#include "core/store/maintenance.h"
#include "core/store/rekey.h"
#include "core/store/request.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static const char *kind;
static char url[400];
static ck_error err;
static const ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = "asked"};

static void run_sql(const char *sql) {
  sqlite3 *db = NULL;
  char *text = NULL;
  int code = sqlite3_open(url + strlen("sqlite:"), &db);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, NULL, NULL, &text);
  tap_must(code == SQLITE_OK && sqlite3_total_changes(db) > 0, "%s: %s", sql, text ? text : "?");
  sqlite3_close(db);
}

static void is_whole(ck_store *store, const char *behind) {
  tap_is_int(fixture_verify(store), 0, "%s: whole behind %s", kind, behind);
}

static void must(ck_status status, const char *what) {
  tap_must(status == CK_OK, "%s: %s", what, err.text);
}

static void put_fact(ck_store *store, const char *key, const char *json) {
  ck_value *value = NULL;
  if (json) must(ck_value_new(&value, ck_bytes_text(json), &err), "a value");
  must(ck_store_put_fact(store, &(ck_fact){.owner = "", .key = key, .value = value, .at_ms = 1},
                         &err),
       "a fact");
  ck_value_free(value);
}

static void test_facts(ck_store *store) {
  put_fact(store, "a", "1");
  put_fact(store, "b", "1");
  put_fact(store, "a", "2");
  is_whole(store, "a fact that was changed");
  put_fact(store, "a", NULL);
  put_fact(store, "none", NULL);
  is_whole(store, "one that was deleted, and one that was not there");
}

static void test_requests(ck_store *store, const fixture *session) {
  char word[] = "pause";
  ck_request taken, request = {.session = session->lease.session, .kind = word};
  bool found;
  must(ck_store_put_request(store, &request, &err), "a request");
  must(ck_store_put_request(store, &request, &err), "another one");
  is_whole(store, "two requests");
  must(ck_store_get_request(&taken, &found, store, session->lease, 0, &err), "one is found");
  is_whole(store, "one that was read");
  must(ck_store_drop_request(store, session->lease, taken.no, &err), "and taken");
  ck_request_clear(&taken);
  is_whole(store, "one that was taken");
  run_sql("DELETE FROM request");
  tap_is_int(fixture_count_problems(store), 1, "%s: the other is missed", kind);
  must(ck_store_put_request(store, &request, &err), "a new one");
  tap_is_int(fixture_count_problems(store), 1, "%s: also when there is a new one", kind);
  run_sql("INSERT INTO request SELECT 2, session, kind, body, \"check\" FROM request LIMIT 1");
  is_whole(store, "its return");
}

static void test_pins(ck_store *store, fixture *session) {
  must(fixture_commit(session, &(fixture_step){.key = "memory.a", .value = "1"}, &err), "a step");
  must(ck_store_pin(store, session->lease, session->parent, true, &err), "a pin");
  must(ck_store_pin(store, session->lease, session->parent, true, &err), "the same again");
  is_whole(store, "a pin");
  must(ck_store_pin(store, session->lease, session->parent, false, &err), "no pin");
  is_whole(store, "a pin that was removed");
  must(ck_store_pin(store, session->lease, session->parent, true, &err), "a pin");
}

static void delete_session(ck_store *store, const char *id, bool detach) {
  ck_session_record record;
  ck_lease lease;
  must(ck_store_get_session(&record, store, id, &err), "its row");
  must(ck_store_lock_session(&lease, store, id, record.epoch, &err), "its lock");
  must(ck_store_delete_session(store, lease, detach, &err), "a deletion");
  ck_session_record_clear(&record);
}

/* `s` has a pin and requests. */
static void test_sessions(ck_store *store) {
  fixture session;
  must(fixture_create(&session, store, "s", &err), "a session");
  is_whole(store, "a session");
  test_requests(store, &session);
  test_pins(store, &session);
  must(fixture_commit(&session, &(fixture_step){.text = "a", .update = &paused}, &err), "a pause");
  is_whole(store, "a pause");
  ck_store_release(store, session.lease);
  must(fixture_acquire(&session, store, "s", &err), "a run");
  is_whole(store, "a resume");
  must(fixture_commit(&session, &(fixture_step){.text = "a", .update = &paused}, &err), "a pause");
  ck_store_release(store, session.lease);
}

/* The rows of a session as they were before its status was set last, in the same run. */
static void test_set_back(ck_store *store) {
  fixture session;
  must(fixture_create(&session, store, "t", &err), "a session");
  char sql[700];
  const char *aside = tap_tmpfile(fixture_key ? "aside_sealed.db" : "aside.db");
#define ASIDE(text) (snprintf(sql, sizeof sql, "ATTACH '%s' AS a; " text, aside), sql)
  run_sql(ASIDE("CREATE TABLE a.t AS SELECT * FROM session WHERE id = 't'; CREATE TABLE a.h AS "
                "SELECT * FROM head WHERE session = (SELECT no FROM a.t); CREATE TABLE a.x (y); "
                "INSERT INTO a.x VALUES (1)"));
  must(fixture_commit(&session, &(fixture_step){.text = "a", .update = &paused}, &err), "a pause");
  run_sql(ASIDE("CREATE TABLE a.t2 AS SELECT * FROM session WHERE id = 't'; CREATE TABLE a.h2 AS "
                "SELECT * FROM head WHERE session = (SELECT no FROM a.t); INSERT OR REPLACE INTO "
                "session SELECT * FROM a.t; INSERT OR REPLACE INTO head SELECT * FROM a.h"));
  tap_is_int(fixture_count_problems(store), 1,
             "%s: a row of while it ran, with its head, in place of that of the pause", kind);
  run_sql(ASIDE("INSERT OR REPLACE INTO session SELECT * FROM a.t2; INSERT OR REPLACE INTO head "
                "SELECT * FROM a.h2"));
#undef ASIDE
  is_whole(store, "its return");
  ck_store_release(store, session.lease);
  delete_session(store, "t", false);
}

static void note_generation(void *to, uint64_t generation) { *(uint64_t *)to = generation; }

/* What a counter outside of the store is told was synced. */
static void test_told(ck_store *store) {
  uint64_t told = 0, generation = 0;
  const ck_backend *backend = &store->backend;
  backend->inventory.watch(backend->self, note_generation, &told);
  put_fact(store, "lazy", "1");
  must(backend->inventory.get_generation(&generation, backend->self, &err), "its generation");
  tap_is_int((int64_t)told, 0, "%s: nothing is told of a commit that is not synced", kind);
  must(ck_store_sync(store, &err), "a sync");
  tap_ok(told == generation, "%s: what is synced is told", kind);
  put_fact(store, "lazy", "2");
  fixture session;
  must(fixture_create(&session, store, "u", &err), "a session");
  tap_ok(told == generation + 2, "%s: a power-durable commit tells of all before it", kind);
  must(fixture_commit(&session, &(fixture_step){.text = "a"}, &err), "an event");
  tap_ok(told == generation + 2, "%s: events change nothing of it", kind);
  for (int i = 0; i < 40; i++)
    must(fixture_commit(
             &session,
             &(fixture_step){.text = "a", .key = "memory.a", .value = "1", .process = i % 4 != 0},
             &err),
         "a step");
  uint64_t now = 0;
  must(backend->inventory.get_generation(&now, backend->self, &err), "its generation");
  tap_ok(now == generation + 2 && told == now, "%s: nor do steps with their checkpoints", kind);
  put_fact(store, "lazy", "3");
  ck_store_release(store, session.lease);
  tap_ok(told == generation + 3, "%s: the end of the last run tells of what it folds", kind);
  backend->inventory.watch(backend->self, NULL, NULL);
}

static void visit_restored(void *to, const ck_restored *one) { *(int64_t *)to += one->made; }

static ck_status count_restored(void *to, const ck_restored *one, ck_error *ignored) {
  (void)ignored;
  visit_restored(to, one);
  return CK_OK;
}

static void test_archive(ck_store *store) {
  ck_backup_report report;
  int64_t made = 0;
  const char *file = tap_tmpfile(fixture_key ? "one_sealed.db" : "one.db");
  char archive[400];
  snprintf(archive, sizeof archive, "sqlite:%s", file);
  remove(file);
  must(ck_store_backup(&report, store, &(ck_backup_order){.file = file, .session = "s"}, &err),
       "a backup of one");
  ck_store *copy = NULL;
  must(ck_store_open(&copy, archive, &(ck_store_options){.read_only = true, .key = fixture_key},
                     &err),
       "the backup");
  is_whole(copy, "a backup of one, in it");
  ck_store_close(copy);
  delete_session(store, "s", false);
  is_whole(store, "a deletion");
  must(ck_store_restore(store, file, count_restored, &made, &err), "it is taken back");
  tap_is_int(made, 1, "%s: one came back", kind);
  is_whole(store, "its return");
}

static void test_rekey(void) {
  ck_rekey_report report;
  ck_key *next = fixture_make_key();
  must(ck_store_rekey(&report, url, &(ck_store_options){.key = fixture_key}, next, NULL, &err),
       "another key");
  const ck_key *before = fixture_key;
  fixture_key = next;
  ck_store *store = fixture_open(url);
  is_whole(store, "another key");
  put_fact(store, "c", "1");
  is_whole(store, "a change with it");
  ck_store_close(store);
  run_sql("DELETE FROM meta WHERE key = 'inventory'");
  store = fixture_open(url);
  tap_is_int(fixture_count_problems(store), 1, "%s: an inventory that is gone is missed", kind);
  ck_store_close(store);
  fixture_key = before;
  ck_key_free(next);
}

static void test_all(const char *name, const ck_key *key) {
  kind = name;
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile(name));
  ck_store *store = fixture_open(url);
  is_whole(store, "nothing");
  test_facts(store);
  test_sessions(store);
  test_set_back(store);
  test_told(store);
  test_archive(store);
  ck_store_close(store);
  test_rekey();
}

int main(void) {
  ck_key *key = fixture_make_key();
  test_all("plain", NULL);
  test_all("sealed", key);
  ck_key_free(key);
  return tap_done();
}
