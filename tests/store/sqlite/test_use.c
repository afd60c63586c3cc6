/* test_use.c - the number of a use is in every first page that its log holds: whichever program
 * moves the log into the file, the file says what the mark says. Another program is a connection of
 * SQLite's own VFS. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/sqlite/binding.h"

static char url[500];
static const char *path;
static const fixture_step power = {.text = "t", .key = "memory.k", .value = "1"};

static ck_store *open_store(const char *name) {
  path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  return fixture_open(url);
}

static void commit(fixture *session, const char *name) {
  ck_error err;
  tap_is_status(fixture_commit(session, &power, &err), CK_OK, &err, "%s", name);
}

/* One that makes the file grow, and so changes its first page. */
static void grow(fixture *session) {
  ck_error err;
  char text[60001];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + rand() % 26);
  text[0] = text[sizeof text - 2] = '"';
  text[sizeof text - 1] = '\0';
  tap_is_status(fixture_commit(session, &(fixture_step){.key = "memory.big", .value = text}, &err),
                CK_OK, &err, "a commit makes the file grow");
}

static void move_by_other(const char *kind) {
  char sql[64];
  sqlite3 *db = NULL;
  snprintf(sql, sizeof sql, "PRAGMA wal_checkpoint(%s)", kind);
  tap_must(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
               sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK &&
               sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK,
           "another program moves the log into the file (%s)", kind);
  sqlite3_close(db);
}

static ck_use use_of_file(void) {
  uint8_t bytes[CK_USE_SIZE] = {0};
  FILE *file = fopen(path, "re");
  tap_must(
      file && fseek(file, CK_USE_AT, SEEK_SET) == 0 && fread(bytes, sizeof bytes, 1, file) == 1,
      "a header");
  fclose(file);
  return ck_use_decode(bytes);
}

typedef struct pages {
  uint64_t id;
  int same, others; /* first pages with this number and the sign, and without */
  int first_commit; /* those in the log's first commit */
  bool ended;
} pages;

static void note(void *to, const ck_wal_frame *frame) {
  pages *self = to;
  if (frame->holds && frame->page_no == 1) {
    ck_use use = ck_use_decode(frame->page + CK_USE_AT);
    bool same = use.state == CK_USE_LIVE && use.id == self->id;
    self->same += same;
    self->others += !same;
    self->first_commit += same && !self->ended;
  }
  self->ended = self->ended || (frame->holds && frame->pages);
}

static void is_one_use(const char *name) {
  char wal[520];
  ck_error err = CK_ERROR_INIT;
  snprintf(wal, sizeof wal, "%s-wal", path);
  ck_wal_head head = ck_wal_read_head(wal);
  ck_use use = use_of_file();
  ck_mark mark = ck_mark_read_path(path);
  tap_ok(use.state == CK_USE_LIVE && use.id && use.id == mark.id, "%s: file and mark agree", name);
  pages found = {.id = use.id};
  tap_is_status(ck_wal_scan(wal, &head, &(ck_wal_scan_options){0}, note, &found, &err), CK_OK, &err,
                "%s: the log is read", name);
  tap_is_int(found.first_commit, 1, "%s: its first commit has the file's first page", name);
  tap_is_int(found.others, 0, "%s: and all have the number and the sign", name);
}

static bool take(fixture *session, ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  return fixture_acquire(session, store, "s", &err) == CK_OK;
}

static void is_whole(const fixture *session, const char *name) {
  ck_store *store = fixture_open(url);
  tap_is_int(fixture_count_events(store, session->lease.session), session->seq, "%s: all", name);
  tap_is_int(fixture_verify(store), 0, "%s: sound", name);
  ck_store_close(store);
}

static void test_moved(const char *kind) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store(kind);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  ck_store_close(store);
  store = fixture_open(url);
  tap_must(take(&session, store), "it is taken");
  is_one_use("a use");
  grow(&session);
  is_one_use("a use that grew");
  move_by_other(kind);
  tap_ok(use_of_file().id == ck_mark_read_path(path).id, "the file has the number it had");
  tap_ok(use_of_file().state == CK_USE_LIVE, "and its sign");
  is_whole(&session, "meanwhile");
  commit(&session, "the writer goes on");
  is_one_use("another round");
  grow(&session);
  move_by_other(kind);
  commit(&session, "and on");
  ck_store_close(store);
  tap_ok(use_of_file().state == CK_USE_REST, "it rests");
  is_whole(&session, "afterwards");
}

/* Two that have it open: what one of them read before the other began the use is no longer so. */
static void test_two(void) {
  fixture session, other;
  ck_error err = CK_ERROR_INIT;
  ck_store *first = open_store("two.db");
  tap_must(fixture_create(&session, first, "s", &err) == CK_OK, "a session: %s", err.text);
  ck_store_close(first);
  first = fixture_open(url);
  ck_store *second = fixture_open(url);
  tap_must(fixture_create(&other, second, "o", &err) == CK_OK, "a session: %s", err.text);
  is_one_use("the second begins");
  tap_must(take(&session, first), "the first takes its session");
  grow(&session);
  is_one_use("the first goes on");
  grow(&other);
  is_one_use("the second goes on");
  move_by_other("PASSIVE");
  tap_ok(use_of_file().id == ck_mark_read_path(path).id, "the file has the number it had");
  ck_store_close(second);
  commit(&session, "the first alone");
  ck_store_close(first);
  is_whole(&session, "in the end");
}

/* A use that began and committed nothing. */
static void test_nothing(void) {
  fixture session, none;
  ck_error err = CK_ERROR_INIT;
  ck_store *first = open_store("nothing.db");
  tap_must(fixture_create(&session, first, "s", &err) == CK_OK, "a session: %s", err.text);
  ck_store_close(first);
  first = fixture_open(url);
  ck_store *second = fixture_open(url);
  tap_is_status(fixture_acquire_at(&none, first, "s", session.lease.epoch + 7, &err), CK_E_FENCED,
                &err, "the first may not");
  tap_ok(use_of_file().state == CK_USE_LIVE, "its use has begun");
  tap_must(take(&session, second), "the second takes the session");
  is_one_use("another one goes on with it");
  ck_store_close(second);
  tap_is_status(fixture_acquire_at(&none, first, "s", session.lease.epoch + 7, &err), CK_E_FENCED,
                &err, "the first may not");
  ck_store_close(first);
  tap_ok(use_of_file().state == CK_USE_REST, "it rests");
  is_whole(&session, "in the end");
}

/* An older ckrun's log, which goes on: its first pages have no number, and bring that back. */
static void test_goes_on(void) {
  fixture session;
  uint8_t none[CK_USE_SIZE];
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store("goes_on.db");
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  grow(&session);
  for (int i = 0; i < 2; i++) {
    ck_use_encode(none, &(ck_use){.state = i ? CK_USE_REST : CK_USE_LIVE});
    FILE *file = fopen(path, "r+e");
    tap_must(file && fseek(file, CK_USE_AT, SEEK_SET) == 0 && fwrite(none, sizeof none, 1, file),
             "its number goes");
    fclose(file);
    ck_mark mark = ck_mark_read_path(path);
    mark.id = 0;
    char lock[520];
    snprintf(lock, sizeof lock, "%s.lock", path);
    file = fopen(lock, "r+e");
    tap_must(file && ck_mark_write(fileno(file), &mark, false, &err) == CK_OK, "and the mark's");
    fclose(file);
    commit(&session, "a commit gives it one");
    tap_ok(use_of_file().id && use_of_file().id == ck_mark_read_path(path).id, "both have it");
    file = fopen(path, "r+e");
    tap_must(file && fseek(file, CK_USE_AT, SEEK_SET) == 0 && fwrite(none, sizeof none, 1, file),
             "another program brings the page of before back");
    fclose(file);
    is_whole(&session, "before the next commit");
    commit(&session, "the next commit is made");
    is_whole(&session, "after it");
  }
  ck_store_close(store);
  is_whole(&session, "in the end");
}

static void look_at(const char *at) { snprintf(url, sizeof url, "sqlite:%s", path = at); }

/* A round of the log that the mark does not know yet, and one of before beside a later mark. */
static void test_rounds(const char *kind, bool counted) {
  char live[500], earlier[500], later[500];
  fixture session;
  ck_error err = CK_ERROR_INIT;
  snprintf(earlier, sizeof earlier, "%s", tap_tmpfile("earlier.db"));
  snprintf(later, sizeof later, "%s_%s", tap_tmpfile("later.db"), kind);
  ck_store *found, *store = open_store(counted ? "counted.db" : "random.db");
  snprintf(live, sizeof live, "%s", path);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  fixture_copy_file(live, earlier, "-wal");
  move_by_other(kind);
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t", .process = true}, &err),
                CK_OK, &err, "a commit that is not synced begins another round");
  fixture_copy_store(live, later);
  look_at(later);
  is_whole(&session, "a round that the mark does not know");
  look_at(live);
  commit(&session, "a synced commit");
  snprintf(later + strlen(later), 3, "_2");
  fixture_copy_store(live, later);
  if (counted) fixture_copy_file(earlier, later, "-wal");
  look_at(later);
  if (counted)
    tap_is_status(ck_store_open(&found, url, &(ck_store_options){0}, &err), CK_E_CORRUPT, &err,
                  "a round of before");
  else
    is_whole(&session, "its own");
  look_at(live);
  ck_store_close(store);
}

int main(void) {
  test_moved("PASSIVE");
  test_moved("RESTART");
  test_two();
  test_nothing();
  test_goes_on();
  test_rounds("PASSIVE", true);
  test_rounds("TRUNCATE", false);
  return tap_done();
}
