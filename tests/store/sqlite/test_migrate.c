/* test_migrate.c - a store of an older schema is brought to this one only while no other process
 * has it open, or runs a session in it; what an older program would write afterwards is refused by
 * the database itself; read-only it is read as it is. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/store/sqlite/lock.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static const char *path;
static char url[500];
static ck_error err;

static void place(const char *golden) {
  char command[900], name[64];
  snprintf(name, sizeof name, "%s.db", golden);
  path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(command, sizeof command, "cp tests/golden/%s.db %s && chmod 600 %s", golden, path, path);
  tap_must(system(command) == 0, "a copy of tests/golden/%s.db", golden); /* NOLINT: own words */
}

static int64_t ask(sqlite3 *db, const char *sql) {
  sqlite3_stmt *stmt = NULL;
  int64_t answer = -1;
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    answer = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return answer;
}

static int64_t schema(void) {
  sqlite3 *db = NULL;
  tap_must(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, "it opens");
  int64_t found = ask(db, "PRAGMA user_version");
  sqlite3_close(db);
  return found;
}

/* ---- a process that stands in for an older program ---- */

typedef struct stand_in {
  pid_t pid;
  int says, hears; /* pipes to it and from it */
} stand_in;

/* Opened as every version opens its connections: by a first read. Holds `session`'s lock, too, if
 * one is given. */
static void hold(int hears, int says, const char *session) {
  sqlite3 *db = NULL;
  ck_session_lock *lock = NULL;
  char byte = 'n';
  bool held = sqlite3_open(path, &db) == SQLITE_OK && ask(db, "PRAGMA user_version") > 0;
  if (session) held &= ck_session_lock_open(&lock, path, session, &err) == CK_OK;
  if (held) byte = 'y';
  if (session) sqlite3_close(db);
  held = write(says, &byte, 1) == 1 && read(hears, &byte, 1) >= 0;
  _exit(held ? 0 : 1);
}

static stand_in start(const char *session) {
  int to[2], from[2];
  char byte = 0;
  tap_must(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipes");
  stand_in self = {fork(), to[1], from[0]};
  tap_must(self.pid >= 0, "a process");
  if (self.pid == 0) {
    close(to[1]);
    close(from[0]);
    hold(to[0], from[1], session);
  }
  close(to[0]);
  close(from[1]);
  tap_must(read(self.hears, &byte, 1) == 1 && byte == 'y', "it has the store open");
  return self;
}

static void end(stand_in *self) {
  int code = 0;
  close(self->says);
  close(self->hears);
  tap_must(waitpid(self->pid, &code, 0) == self->pid && code == 0, "it ends");
}

static void is_refused(const char *text, const char *what) {
  ck_store *store = NULL;
  int64_t before = schema();
  ck_status status = ck_store_open(&store, url, &(ck_store_options){0}, &err);
  tap_is_status(status, CK_E_BUSY, &err, "%s: it is not brought to this schema", what);
  tap_ok(strstr(err.text, text) && strstr(err.text, path), "%s: which is said: %s", what, err.text);
  tap_is_int(schema(), before, "%s: and stays as it is", what);
  status = ck_store_open(&store, url, &(ck_store_options){.read_only = true}, &err);
  tap_is_status(status, CK_OK, &err, "%s: read-only it opens", what);
  tap_is_int(fixture_verify(store), 0, "%s: and all in it is well", what);
  ck_store_close(store);
}

/* The statement with which versions up to schema 2 begin a run. */
static void test_older_statement(void) {
  sqlite3 *db = NULL;
  tap_must(sqlite3_open(path, &db) == SQLITE_OK, "it opens");
  int code = sqlite3_exec(db, "INSERT INTO timeline VALUES (1, 99, 1, 1, 2, 0, 1, 'r', '', 0)",
                          NULL, NULL, NULL);
  tap_ok(code != SQLITE_OK, "what an older program writes to begin a run is refused: %s",
         sqlite3_errmsg(db));
  sqlite3_close(db);
}

static void test_golden(const char *golden) {
  char what[64];
  place(golden);
  stand_in other = start(NULL);
  snprintf(what, sizeof what, "%s, open in another process", golden);
  is_refused("another process has it open", what);
  end(&other);
  other = start("failing"); /* running, by its row, or not: the row of another one is changed */
  sqlite3 *db = NULL;
  tap_must(sqlite3_open(path, &db) == SQLITE_OK, "it opens");
  sqlite3_exec(db, "UPDATE session SET status = 1 WHERE id = 'failing'", NULL, NULL, NULL);
  bool there = sqlite3_changes(db) == 1;
  sqlite3_close(db);
  if (there) {
    ck_store *store = NULL;
    snprintf(what, sizeof what, "%s, a session run by another process", golden);
    ck_status status = ck_store_open(&store, url, &(ck_store_options){0}, &err);
    tap_is_status(status, CK_E_BUSY, &err, "%s: it is not brought to this schema", what);
    tap_ok(strstr(err.text, "session failing"), "%s: which is named: %s", what, err.text);
  }
  end(&other);
  ck_store *store = fixture_open(url);
  tap_is_int(schema(), CK_STORE_SCHEMA, "%s: it is when they have ended", golden);
  ck_store_close(store);
  test_older_statement();
}

int main(void) {
  if (access("tests/golden/schema2.db", R_OK) != 0) {
    tap_skip("there are no golden stores here");
    return tap_done();
  }
  test_golden("schema1");
  test_golden("schema2");
  return tap_done();
}
