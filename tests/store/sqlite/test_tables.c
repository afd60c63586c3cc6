/* test_tables.c - a schema that is changed under an open store: a row that SQLite drops is not
 * acknowledged, and verify names the change. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "core/store/verify.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};

static void change(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  char *message = NULL;
  bool ok = sqlite3_open(path, &db) == SQLITE_OK &&
            sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK;
  tap_must(ok, "%s: %s", sql, message ? message : "");
  sqlite3_close(db);
}

static void keep_text(void *to, const char *session, int64_t seq, ck_status status,
                      const char *text) {
  char *all = to;
  (void)session, (void)seq, (void)status;
  strncat(all, text, 1000 - strlen(all) - 1);
}

static void is_told(fixture *session, const char *text) {
  char all[1000] = "";
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  ck_status status = ck_store_verify(&report, session->store, NULL, keep_text, all, &err);
  tap_ok(status == CK_OK && report.problems > 0 && strstr(all, text), "verify tells: %s%s", all,
         err.text);
}

/* A column is added which makes SQLite drop what is written next. */
static void drops(const char *name) {
  char sql[200], text[64];
  const char *path = tap_tmpfile(name);
  char url[500];
  fixture session = {0};
  ck_error err = CK_ERROR_INIT;
  snprintf(url, sizeof url, "sqlite:%s", path);
  if (fixture_create(&session, fixture_open(url), "s", &err) != CK_OK ||
      fixture_commit(&session, &step, &err) != CK_OK)
    tap_must(false, "a session: %s", err.text);
  snprintf(sql, sizeof sql,
           "ALTER TABLE %s ADD COLUMN gone TEXT AS (CASE WHEN seq <= %lld THEN 1 END) NOT NULL ON "
           "CONFLICT IGNORE",
           name, (long long)session.seq);
  snprintf(text, sizeof text, "table '%s' is declared", name);
  change(path, sql);
  ck_status status = fixture_commit(&session, &step, &err);
  tap_ok(status != CK_OK && strstr(err.text, path), "%s: no commit is acknowledged: %s", name,
         err.text);
  tap_is_int(ck_status_exit(status), 7, "as damage");
  is_told(&session, text);
  ck_store_close(session.store);
  ck_store *again = NULL;
  status = ck_store_open(&again, url, &(ck_store_options){0}, &err);
  tap_ok(ck_status_exit(status) == 7 && strstr(err.text, text), "nor is it opened: %s", err.text);
  ck_store_close(again);
}

int main(void) {
  drops("event");
  drops("checkpoint");
  return tap_done();
}
