/* test_blobs.c - files are kept once, by their content, for the sessions that need them; what is
 * changed, exchanged or sealed with another key is found, and with the last session they go. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/store/blob.h"
#include "core/store/maintenance.h"
#include "core/store/rekey.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static const char *kind;
static char url[400];
static ck_error err;

static const char flow[] = "return flow.agent { prompt = 'canaryflow' }",
                  profile[] = "return { name = 'canaryprofile' }";

static const char *path(void) { return url + strlen("sqlite:"); }

/* As one who has no key: with the checks that are right without one. */
static void run_sql(const char *sql) {
  sqlite3 *db = NULL;
  char *text = NULL;
  int code = sqlite3_open(path(), &db);
  if (code == SQLITE_OK) code = ck_sqlite_add_check(db, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, NULL, NULL, &text);
  tap_must(code == SQLITE_OK, "%s: %s", sql, text ? text : "?");
  sqlite3_close(db);
}

static int64_t number(const char *sql) {
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  int64_t found = -1;
  if (sqlite3_open(path(), &db) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    found = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return found;
}

static int64_t blobs(void) { return number("SELECT count(*) FROM blob"); }
static int64_t uses(void) { return number("SELECT count(*) FROM blob_use"); }

static ck_status put(ck_store *store, ck_lease lease, const char *text) {
  ck_blob one = {"flow", ck_bytes_text(text)};
  return ck_store_put_blobs(store, lease, &one, 1, &err);
}

static ck_status get(ck_store *store, const char *text, bool *same) {
  ck_buffer out = {0};
  ck_digest digest = ck_digest_of(ck_bytes_text(text));
  ck_status status = ck_store_get_blob(&out, store, &digest, &err);
  *same = ck_bytes_equal(ck_buffer_bytes(&out), ck_bytes_text(text));
  ck_buffer_clear(&out);
  return status;
}

static void is_kept(ck_store *store, const char *text, const char *when) {
  bool same;
  tap_is_status(get(store, text, &same), CK_OK, &err, "%s: %s: it is there", kind, when);
  tap_ok(same, "%s: %s: byte for byte", kind, when);
}

static void is_gone(ck_store *store, const char *text, const char *when) {
  bool same;
  tap_is_status(get(store, text, &same), CK_E_NOT_FOUND, &err, "%s: %s: it is gone", kind, when);
}

static fixture make(ck_store *store, const char *id) {
  fixture made;
  tap_must(fixture_create(&made, store, id, &err) == CK_OK, "a session: %s", err.text);
  return made;
}

/* ---- keeping ---- */

static void test_once(ck_store *store) {
  fixture one = make(store, "one"), two = make(store, "two");
  is_gone(store, flow, "before it was put");
  tap_is_status(put(store, one.lease, flow), CK_OK, &err, "%s: a flow is kept", kind);
  is_kept(store, flow, "kept");
  ck_blob both[] = {{"flow", ck_bytes_text(flow)}, {"profile", ck_bytes_text(profile)}};
  tap_is_status(ck_store_put_blobs(store, one.lease, both, 2, &err), CK_OK, &err,
                "%s: again, with a profile", kind);
  tap_is_status(put(store, two.lease, flow), CK_OK, &err, "%s: and for another session", kind);
  is_kept(store, profile, "the profile");
  tap_is_status(put(store, two.lease, ""), CK_OK, &err, "%s: an empty one", kind);
  is_kept(store, "", "the empty one");
  tap_is_int(blobs(), 3, "%s: each is there once", kind);
  tap_is_int(uses(), 4, "%s: and needed by whom put it", kind);
  ck_lease stale = {one.lease.session, one.lease.epoch + 1};
  tap_is_status(put(store, stale, "other"), CK_E_FENCED, &err, "%s: an outdated owner", kind);
  tap_is_int(blobs(), 3, "%s: leaves nothing", kind);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
}

static ck_status open_with(ck_lease *lease, ck_store *store, const char *text) {
  ck_blob one = {"image", ck_bytes_text(text)};
  char profile_name[] = "default", flow_name[] = "flow.lua";
  ck_session_record record = {.run = "run_first",
                              .created_ms = 1,
                              .id = "opened",
                              .profile = profile_name,
                              .flow = flow_name};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_first"};
  ck_value *body;
  ck_event *event;
  tap_must(ck_value_new(&body, ck_bytes_text("{}"), &err) == CK_OK, "a body");
  ck_event first = {
      .seq = 1, .timeline = 1, .kind = CK_EVENT_SESSION_STARTED, .scope = "main", .body = body};
  tap_must(ck_event_new(&event, &first, &err) == CK_OK, "an event");
  ck_opening opening = {
      .timeline = &timeline, .events = &event, .event_count = 1, .blobs = &one, .blob_count = 1};
  ck_status status = ck_store_create_session(lease, store, &record, &opening, &err);
  ck_event_free(event);
  ck_value_free(body);
  return status;
}

/* A run that dies behind this moment finds what its input refers to. */
static void test_opened(ck_store *store) {
  ck_lease lease, other;
  tap_is_status(open_with(&lease, store, flow), CK_OK, &err, "%s: a session begins with one", kind);
  is_kept(store, flow, "when the session is there");
  tap_is_int(uses(), 1, "%s: it needs it", kind);
  tap_is_status(open_with(&other, store, profile), CK_E_EXISTS, &err, "%s: under its id", kind);
  tap_is_int(blobs(), 1, "%s: nothing more is kept without a session", kind);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  tap_is_status(ck_store_delete_session(store, lease, false, &err), CK_OK, &err, "%s: deleted",
                kind);
  tap_is_int(blobs(), 0, "%s: it goes with the session", kind);
}

static void test_deleted(ck_store *store) {
  fixture one = make(store, "one"), two = make(store, "two");
  tap_must(put(store, one.lease, flow) == CK_OK && put(store, one.lease, profile) == CK_OK &&
               put(store, two.lease, flow) == CK_OK,
           "kept: %s", err.text);
  tap_is_status(ck_store_delete_session(store, one.lease, false, &err), CK_OK, &err,
                "%s: a session is deleted", kind);
  is_kept(store, flow, "another session needs it");
  is_gone(store, profile, "nobody needs it");
  tap_is_status(ck_store_delete_session(store, two.lease, false, &err), CK_OK, &err,
                "%s: the other one, too", kind);
  tap_is_int(blobs() + uses(), 0, "%s: nothing is left of any", kind);
}

/* ---- changes ---- */

static void test_changed(ck_store *store) {
  bool same;
  fixture one = make(store, "one");
  tap_must(put(store, one.lease, flow) == CK_OK && put(store, one.lease, profile) == CK_OK,
           "kept: %s", err.text);
  static const char sign[] = "UPDATE blob SET \"check\" = row_check('blob', name, kind, encoding, "
                             "plain_len, mac, key_id, body, signatures)";
  run_sql("UPDATE blob SET body = x'00' WHERE no = 1");
  tap_is_status(get(store, flow, &same), CK_E_CORRUPT, &err, "%s: a changed row", kind);
  tap_is_int(fixture_count_problems(store), 1, "%s: is a problem", kind);
  run_sql("UPDATE blob SET body = (SELECT body FROM blob WHERE no = 2), plain_len = (SELECT "
          "plain_len FROM blob WHERE no = 2) WHERE no = 1");
  run_sql(sign);
  tap_is_status(get(store, flow, &same), CK_E_CORRUPT, &err,
                "%s: another body under its name, with the check of one who has no key", kind);
  tap_ok(fixture_count_problems(store) > 0, "%s: is a problem, too", kind);
  run_sql("UPDATE blob SET encoding = 0, body = CAST('return 1' AS BLOB), plain_len = 8");
  run_sql(sign);
  tap_is_status(get(store, profile, &same), CK_E_CORRUPT, &err, "%s: another plain text", kind);
}

static bool file_has(const char *text) {
  static char bytes[1 << 20];
  FILE *file = fopen(path(), "r");
  size_t len = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  return memmem(bytes, len, text, strlen(text));
}

static void test_rekeyed(ck_store *store) {
  fixture one = make(store, "one");
  ck_rekey_report report;
  ck_store *again;
  tap_must(put(store, one.lease, flow) == CK_OK && put(store, one.lease, profile) == CK_OK,
           "kept: %s", err.text);
  ck_store_close(store);
  tap_ok(file_has("canaryflow") == !fixture_key, "%s: readable only without a key", kind);
  ck_key *next = fixture_make_key();
  tap_is_status(
      ck_store_rekey(&report, url, &(ck_store_options){.key = fixture_key}, next, NULL, &err),
      CK_OK, &err, "%s: the key is changed", kind);
  const ck_key *before = fixture_key;
  fixture_key = next;
  again = fixture_open(url);
  is_kept(again, flow, "under the next key");
  is_kept(again, profile, "the profile under the next key");
  tap_is_int(fixture_verify(again), 0, "%s: verify is clean", kind);
  tap_must(fixture_acquire(&one, again, "one", &err) == CK_OK, "acquired: %s", err.text);
  tap_is_status(put(again, one.lease, flow), CK_OK, &err, "%s: kept again", kind);
  tap_is_int(blobs(), 2, "%s: it is the same one", kind);
  ck_store_close(again);
  tap_ok(!file_has("canaryflow"), "%s: nothing of it can be read", kind);
  fixture_key = before;
  ck_key_free(next);
}

static void run(const char *name) {
  static void (*const tests[])(ck_store *) = {test_once, test_opened, test_deleted, test_changed};
  kind = name;
  for (size_t i = 0; i <= sizeof tests / sizeof *tests; i++) {
    snprintf(url, sizeof url, "sqlite:%s/%s%zu.db", tap_tmpdir(), name, i);
    ck_store *store = fixture_open(url);
    if (i == sizeof tests / sizeof *tests) {
      test_rekeyed(store);
    } else {
      tests[i](store);
      ck_store_close(store);
    }
  }
}

static void test_memory(void) {
  ck_store *store = fixture_open("memory:");
  fixture one = make(store, "one");
  tap_is_status(put(store, one.lease, flow), CK_E_UNSUPPORTED, &err,
                "a store in memory keeps no files");
  ck_lease lease;
  tap_is_status(open_with(&lease, store, flow), CK_E_UNSUPPORTED, &err,
                "nor is a session begun with one there");
  ck_store_close(store);
}

int main(void) {
  test_memory();
  run("plain");
  ck_key *key = fixture_make_key();
  fixture_key = key;
  run("sealed");
  ck_key_free(key);
  return tap_done();
}
