/* test_rows.c - every row has a check: a changed column of a session, timeline, request or entry of
 * meta is found. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/request.h"

static const char *path;
static char url[400];

static void run_sql(const char *sql) {
  sqlite3 *db = NULL;
  char *text = NULL;
  int code = sqlite3_open(path, &db);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, NULL, NULL, &text);
  tap_must(code == SQLITE_OK, "%s: %s", sql, text ? text : "?");
  sqlite3_close(db);
}

/* A session that lived: two runs, a status with a reason, a request that waits. */
static void make_store(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session;
  path = tap_tmpfile("rows.db");
  snprintf(url, sizeof url, "sqlite:%s", path);
  ck_store *store = fixture_open(url);
  const ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = "somebody asked for it"};
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  tap_is_int(fixture_count_problems(store), 0, "a row that was made is sound");
  tap_must(fixture_commit(
               &session,
               &(fixture_step){.text = "t", .key = "memory.k", .value = "1", .update = &paused},
               &err) == CK_OK,
           "a pause");
  tap_is_int(fixture_count_problems(store), 0, "one that was updated too");
  ck_store_release(store, session.lease);
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "a second run: %s", err.text);
  tap_is_int(fixture_count_problems(store), 0, "one that was acquired too");
  tap_must(fixture_commit(&session, &(fixture_step){.text = "t", .update = &paused}, &err) == CK_OK,
           "a pause");
  char kind[] = "pause";
  tap_must(ck_store_put_request(store, &(ck_request){.session = 1, .kind = kind}, &err) == CK_OK,
           "a request: %s", err.text);
  tap_must(ck_store_recover(store, &err) == CK_OK && ck_store_recover(store, &err) == CK_OK,
           "a recovery");
  tap_is_int(fixture_verify(store), 0, "so are requests, and what a recovery leaves");
  ck_store_close(store);
}

typedef struct damage {
  const char *table, *column, *change,
      *row; /* of this row, the column becomes what `change` says */
} damage;

#define SESSION(column, change) \
  { "session", column, change, "no = 1" }
#define TIMELINE(column, change) \
  { "timeline", column, change, "no = 2" }

static const damage damages[] = {
    SESSION("status", "7"),
    SESSION("reason", "'another reason'"),
    SESSION("reason", "NULL"),
    SESSION("epoch", "epoch + 1"),
    SESSION("timeline", "1"),
    SESSION("run", "'run_other'"),
    SESSION("created_ms", "created_ms + 1"),
    SESSION("updated_ms", "updated_ms - 1"),
    SESSION("profile", "'other'"),
    SESSION("flow", "NULL"),
    SESSION("input", "CAST('{\"input\": 2}' AS BLOB)"),
    SESSION("input", "NULL"),
    SESSION("\"check\"", "\"check\" + 1"),
    TIMELINE("parent", "0"),
    TIMELINE("cut", "cut - 1"),
    TIMELINE("\"begin\"", "\"begin\" + 1"),
    TIMELINE("checkpoint", "0"),
    TIMELINE("attempt", "2"),
    TIMELINE("run", "'run_other'"),
    TIMELINE("parent_run", "'run_other'"),
    TIMELINE("\"check\"", "0"),
    {"request", "kind", "'cancel'", "no = 1"},
    {"request", "body", "x'31'", "no = 1"},
    {"request", "\"check\"", "0", "no = 1"},
    {"meta", "value", "'another'", "key = 'uuid'"},
    {"meta", "value", "value + 1", "key = 'recovered'"},
    {"meta", "value", "randomblob(32)", "key = 'fingerprint_key'"},
    {"meta", "\"check\"", "0", "key = 'uuid'"},
};

static void inflict(const damage *with) {
  char sql[400];
  snprintf(sql, sizeof sql,
           "CREATE TABLE kept AS SELECT * FROM \"%s\" WHERE %s; UPDATE \"%s\" SET %s = %s WHERE %s",
           with->table, with->row, with->table, with->column, with->change, with->row);
  run_sql(sql);
}

static void heal(const damage *with) {
  char sql[400];
  snprintf(sql, sizeof sql,
           "UPDATE \"%s\" SET %s = (SELECT %s FROM kept) WHERE %s; DROP TABLE kept", with->table,
           with->column, with->column, with->row);
  run_sql(sql);
}

/* Every reader of the row gets the error, which names the row. */
static void is_refused(ck_store *store, const damage *with) {
  ck_error err = CK_ERROR_INIT;
  fixture session;
  ck_head head;
  bool of_timeline = strcmp(with->table, "timeline") == 0;
  ck_status status = ck_store_get_head(&head, store, "s", &err);
  tap_is_status(status, CK_E_CORRUPT, &err, "a head is not read from it");
  tap_ok(strstr(err.text, of_timeline ? "timeline 2" : "session s"), "which is named: %s",
         err.text);
  tap_is_status(fixture_acquire_at(&session, store, "s", 2, &err), CK_E_CORRUPT, &err,
                "nor is the session acquired");
}

static void test_damage(const damage *with) {
  bool entry = strcmp(with->table, "meta") == 0, request = strcmp(with->table, "request") == 0;
  inflict(with);
  ck_store *store = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_open(&store, url, &(ck_store_options){0}, &err);
  if (entry && strstr(with->row, "fingerprint")) {
    tap_is_status(status, CK_E_CORRUPT, &err, "a store without its key is not opened");
  } else {
    tap_must(status == CK_OK, "the store opens: %s", err.text);
    tap_is_int(fixture_count_problems(store), 1, "%s.%s = %s is reported by verify, once",
               with->table, with->column, with->change);
    if (!entry && !request) is_refused(store, with);
  }
  ck_store_close(store);
  heal(with);
}

/* What makes the store write the row anew must not make it sound. */
static void test_no_blessing(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session;
  ck_request request;
  bool found;
  ck_store *store = fixture_open(url);
  const ck_session_update failed = {.status = CK_SESSION_FAILED, .reason = NULL};
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "a run: %s", err.text);
  const damage row = SESSION("run", "'run_other'"),
               asked = {"request", "kind", "'cancel'", "no = 1"};
  inflict(&row);
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t", .update = &failed}, &err),
                CK_E_CORRUPT, &err, "a damaged row is not updated");
  tap_is_int(fixture_count_problems(store), 1, "so the damage stays visible");
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t"}, &err), CK_OK, &err,
                "events go on");
  heal(&row);
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t", .update = &failed}, &err),
                CK_OK, &err, "a sound one is");
  inflict(&asked);
  tap_is_status(ck_store_get_request(&request, &found, store, session.lease, &err), CK_E_CORRUPT,
                &err, "a damaged request is not served");
  heal(&asked);
  tap_is_status(ck_store_get_request(&request, &found, store, session.lease, &err), CK_OK, &err,
                "a sound one is");
  tap_ok(found, "it is found");
  ck_request_clear(&request);
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
}

int main(void) {
  make_store();
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) test_damage(&damages[i]);
  test_no_blessing();
  return tap_done();
}
