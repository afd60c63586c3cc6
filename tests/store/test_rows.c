/* test_rows.c - every row has a check: a changed column of a session, its head, a timeline, an
 * event, a request, an entry of meta, or a table that waits for its first writer, is found. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/maintenance.h"
#include "core/store/request.h"
#include "core/store/sqlite/sqlite.h"

static const char *path;
static char url[400];

/* `a` is another file: nothing is added to the store's own schema. */
static void run_sql(const char *sql) {
  sqlite3 *db = NULL;
  char *text = NULL, attach[600];
  snprintf(attach, sizeof attach, "ATTACH '%s' AS a", tap_tmpfile("aside.db"));
  int code = sqlite3_open(path, &db);
  if (code == SQLITE_OK) code = ck_sqlite_add_check(db, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, attach, NULL, NULL, &text);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, NULL, NULL, &text);
  tap_must(code == SQLITE_OK, "%s: %s", sql, text ? text : "?");
  sqlite3_close(db);
}

/* Rows of tables that no version writes to yet, as their first writer will make them. */
static const char later[] =
    "INSERT INTO agent VALUES (1, 'a', row_check('agent', 1, 'a'));"
    "INSERT INTO lease VALUES (1, 'w', 5, NULL, '[]', row_check('lease', 1, 'w', 5, NULL, '[]'));"
    "INSERT INTO session_key VALUES (1, x'01', x'02', row_check('session_key', 1, x'01', x'02'));"
    "INSERT INTO blob VALUES (1, x'01', 'flow', 0, 1, NULL, NULL, row_check('blob', x'01', 'flow', "
    "0, 1, NULL, NULL, x'30', NULL), x'30', NULL);"
    "INSERT INTO blob VALUES (2, x'02', 'flow', 0, 1, NULL, NULL, row_check('blob', x'02', 'flow', "
    "0, 1, NULL, NULL, x'30', NULL), x'30', NULL);"
    "INSERT INTO blob_use VALUES (1, 1, row_check('blob_use', 1, 1));"
    "INSERT INTO blob_use VALUES (1, 2, row_check('blob_use', 1, 2));"
    "INSERT INTO blob_use VALUES (2, 2, row_check('blob_use', 2, 2))";

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
  tap_must(fixture_create(&session, store, "other", &err) == CK_OK, "another: %s", err.text);
  ck_store_close(store);
  run_sql(later);
  store = fixture_open(url);
  tap_is_int(fixture_verify(store), 0, "so are rows that later versions write");
  ck_store_close(store);
}

typedef struct damage {
  const char *table, *column, *change,
      *row; /* of this row, the column becomes what `change` says */
} damage;

#define SESSION(column, change) \
  { "session", column, change, "no = 1" }
#define HEAD(column, change) \
  { "head", column, change, "session = 1" }
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
    SESSION("description", "'another purpose'"),
    SESSION("node", "'another node'"),
    SESSION("\"check\"", "\"check\" + 1"),
    HEAD("epoch", "epoch - 1"),
    HEAD("status", "7"),
    HEAD("seq", "seq - 1"),
    HEAD("digest", "zeroblob(32)"),
    HEAD("digest", "x''"),
    HEAD("pins", "x'01'"),
    HEAD("requests", "x'01'"),
    HEAD("mac", "zeroblob(32)"),
    HEAD("key_id", "zeroblob(8)"),
    HEAD("\"check\"", "0"),
    TIMELINE("parent", "0"),
    TIMELINE("cut", "cut - 1"),
    TIMELINE("\"begin\"", "\"begin\" + 1"),
    TIMELINE("checkpoint", "0"),
    TIMELINE("attempt", "2"),
    TIMELINE("run", "'run_other'"),
    TIMELINE("parent_run", "'run_other'"),
    TIMELINE("about", "CAST('{}' AS BLOB)"),
    TIMELINE("\"check\"", "0"),
    {"request", "kind", "'cancel'", "no = 1"},
    {"request", "body", "x'31'", "no = 1"},
    {"request", "\"check\"", "0", "no = 1"},
    {"event", "decision", "x'01'", "row = 1"},
    {"agent", "name", "'b'", "session = 1"},
    {"lease", "owner", "'x'", "session = 1"},
    {"lease", "expires_ms", "6", "session = 1"},
    {"lease", "due_ms", "6", "session = 1"},
    {"lease", "labels", "NULL", "session = 1"},
    {"session_key", "sealed", "x'03'", "session = 1"},
    {"session_key", "key_id", "x'03'", "session = 1"},
    {"blob", "name", "x'03'", "no = 1"},
    {"blob", "kind", "'file'", "no = 1"},
    {"blob", "encoding", "1", "no = 1"},
    {"blob", "plain_len", "2", "no = 1"},
    {"blob", "mac", "x'03'", "no = 1"},
    {"blob", "key_id", "x'03'", "no = 1"},
    {"blob", "body", "x'31'", "no = 1"},
    {"blob", "signatures", "x'03'", "no = 1"},
    {"blob_use", "session", "2", "blob = 1"},
    {"meta", "value", "'another'", "key = 'uuid'"},
    {"meta", "value", "value + 1", "key = 'recovered'"},
    {"meta", "value", "randomblob(32)", "key = 'fingerprint_key'"},
    {"meta", "\"check\"", "0", "key = 'uuid'"},
};

static void inflict(const damage *with) {
  char sql[400];
  snprintf(
      sql, sizeof sql,
      "CREATE TABLE a.kept AS SELECT * FROM \"%s\" WHERE %s; UPDATE \"%s\" SET %s = %s WHERE %s",
      with->table, with->row, with->table, with->column, with->change, with->row);
  run_sql(sql);
}

static void heal(const damage *with) {
  char sql[400];
  snprintf(sql, sizeof sql,
           "UPDATE \"%s\" SET %s = (SELECT %s FROM kept) WHERE %s; DROP TABLE a.kept", with->table,
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

/* The inventory adds up the checks of these. */
static bool counts(const damage *with) {
  bool of = strcmp(with->table, "session") == 0 || strcmp(with->table, "head") == 0 ||
            strcmp(with->table, "request") == 0;
  return of && strcmp(with->column, "\"check\"") == 0;
}

static void test_damage(const damage *with) {
  bool entry = strcmp(with->table, "meta") == 0;
  bool read = strcmp(with->table, "session") == 0 || strcmp(with->table, "head") == 0 ||
              strcmp(with->table, "timeline") == 0;
  inflict(with);
  ck_store *store = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_open(&store, url, &(ck_store_options){0}, &err);
  if (entry && strstr(with->row, "fingerprint")) {
    tap_is_status(status, CK_E_CORRUPT, &err, "a store without its key is not opened");
  } else {
    tap_must(status == CK_OK, "the store opens: %s", err.text);
    tap_is_int(fixture_count_problems(store), counts(with) ? 2 : 1,
               "%s.%s = %s is reported by verify, once%s", with->table, with->column, with->change,
               counts(with) ? ", and by the inventory" : "");
    if (read) is_refused(store, with);
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
  tap_is_status(ck_store_get_request(&request, &found, store, session.lease, 0, &err), CK_E_CORRUPT,
                &err, "a damaged request is not served");
  heal(&asked);
  tap_is_status(ck_store_get_request(&request, &found, store, session.lease, 0, &err), CK_OK, &err,
                "a sound one is");
  tap_ok(found, "it is found");
  ck_request_clear(&request);
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
}

static int64_t ask(const char *sql) {
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  int64_t answer = -1;
  if (sqlite3_open(path, &db) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    answer = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return answer;
}

/* What a session has in any table goes with it, but not what another one uses, too. */
static void test_deletion(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session;
  ck_store *store = fixture_open(url);
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "a run: %s", err.text);
  tap_is_status(ck_store_delete_session(store, session.lease, false, &err), CK_OK, &err,
                "a session is deleted");
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
  static const char *const tables[] = {"event", "timeline",    "head",     "agent",
                                       "lease", "session_key", "blob_use", "request"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE session = 1", tables[i]);
    tap_is_int(ask(sql), 0, "nothing of it is left in %s", tables[i]);
  }
  tap_is_int(ask("SELECT count(*) FROM blob"), 1, "a blob that it alone used is gone");
  tap_is_int(ask("SELECT no FROM blob"), 2, "one that another session uses is there");
}

int main(void) {
  make_store();
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) test_damage(&damages[i]);
  test_no_blessing();
  test_deletion();
  return tap_done();
}
