/* test_binding.c - a database, its mark and its log at each moment between two writes of a use, and
 * mixed with those of other uses: what a crash leaves is read whole, what lost a commit is refused
 * by name. The bytes are those of core/store/sqlite/binding.h and mark.h. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/sqlite/binding.h"

enum {
  STEPS = 4,
  AT_REST = 1,
  KILLED = AT_REST + 1 + 2 * STEPS,
  AGAIN = KILLED + 1 + 1 + 2 * STEPS,
  REFUSED = -1,
  WRONG = -2
};

static const fixture_step power = {.text = "t", .key = "memory.k", .value = "1"};
static char url[500], rested[500], killed[500], folded[500], again[500], other[500];
static const char *path;

/* ---- files ---- */

static const char *side(const char *of, const char *suffix) {
  static char names[2][520];
  static int next;
  char *name = names[next++ % 2];
  snprintf(name, sizeof names[0], "%s%s", of, suffix);
  return name;
}

static ck_use use_of(const char *of) {
  uint8_t bytes[CK_USE_SIZE];
  int fd = open(of, O_RDONLY | O_CLOEXEC);
  tap_must(fd >= 0 && pread(fd, bytes, sizeof bytes, CK_USE_AT) == sizeof bytes, "a header");
  close(fd);
  return ck_use_decode(bytes);
}

static void set_bytes(const char *suffix, int64_t at, const void *bytes, size_t len) {
  int fd = open(side(path, suffix), O_WRONLY | O_CLOEXEC);
  tap_must(fd >= 0 && pwrite(fd, bytes, len, at) == (ssize_t)len, "it is written");
  close(fd);
}

static void set_use(ck_use_state state, uint64_t id) {
  uint8_t bytes[CK_USE_SIZE];
  ck_use_encode(bytes, &(ck_use){state, id});
  set_bytes("", CK_USE_AT, bytes, sizeof bytes);
}

static ck_mark mark_of(const char *of) { return ck_mark_read_path(of); }

static void set_mark(ck_mark mark) {
  ck_error err = CK_ERROR_INIT;
  int fd = open(side(path, ".lock"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  tap_must(fd >= 0 && ck_mark_write(fd, &mark, false, &err) == CK_OK, "a mark");
  close(fd);
}

/* As an older ckrun writes it. */
static void set_old_mark(ck_mark mark) {
  set_mark(mark);
  tap_must(truncate(side(path, ".lock"), 32) == 0, "a mark of 32 bytes");
}

static void empty_log(void) {
  static const char zeros[32];
  set_bytes("-wal", 0, zeros, sizeof zeros);
}

static bool log_is_empty(void) {
  return ck_wal_read_head(side(path, "-wal")).state == CK_WAL_EMPTY;
}

/* ---- what is found ---- */

static int64_t count(bool read_only, ck_error *err) {
  ck_store *store;
  ck_session_record record = {0};
  *err = (ck_error)CK_ERROR_INIT;
  if (ck_store_open(&store, url, &(ck_store_options){.read_only = read_only}, err) != CK_OK)
    return err->status == CK_E_CORRUPT && strstr(err->text, path) ? REFUSED : WRONG;
  int64_t events = WRONG;
  if (ck_store_get_session(&record, store, "s", err) == CK_OK)
    events = fixture_count_events(store, record.no);
  ck_session_record_clear(&record);
  if (fixture_count_problems(store) != 0) events = WRONG;
  ck_store_close(store);
  return events;
}

static void finds(int64_t want, const char *name) {
  ck_error err;
  tap_is_int(count(true, &err), want, "%s, to read: %s", name, err.text);
  tap_is_int(count(false, &err), want, "%s: %s", name, err.text);
}

static void go_on(void) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open(url);
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "it is taken: %s", err.text);
  ck_store_close(store);
}

static void begin(const char *name, const char *from) {
  path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  if (from) fixture_copy_store(from, path);
}

/* ---- the moments of a use ---- */

static void die_writing(char *image, const char *name) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    ck_store *store = fixture_open(url);
    if (fixture_acquire(&session, store, "s", &err) != CK_OK) _exit(1);
    for (int i = 0; i < STEPS; i++)
      if (fixture_commit(&session, &power, &err) != CK_OK) _exit(1);
    _exit(9);
  }
  int status;
  tap_must(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 9, "a writer dies");
  fixture_copy_store(path, strcpy(image, tap_tmpfile(name)));
}

static void make_images(void) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < 2; i++) {
    begin(i ? "made.db" : "made_other.db", NULL);
    ck_store *store = fixture_open(url);
    tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
    ck_store_close(store);
    if (i) fixture_copy_store(path, strcpy(rested, tap_tmpfile("rested.db")));
    die_writing(i ? killed : other, i ? "killed.db" : "other.db");
  }
  go_on();
  fixture_copy_store(path, strcpy(folded, tap_tmpfile("folded.db")));
  die_writing(again, "again.db");
}

static void test_states(void) {
  ck_use before = use_of(rested), during = use_of(killed), after = use_of(folded);
  ck_mark mark = mark_of(killed), rest = mark_of(folded);
  tap_ok(before.state == CK_USE_REST && during.state == CK_USE_LIVE && after.state == CK_USE_REST,
         "in use it is signed, at rest it is not");
  tap_ok(before.id && during.id && before.id != during.id, "each use has its own number");
  tap_ok(mark.state == CK_MARK_LIVE && mark.id == during.id && !mark.begins, "the mark has it too");
  tap_ok(rest.state == CK_MARK_FOLDED && rest.id == after.id, "also at rest");
  tap_ok(after.id == during.id, "who goes on with a killed one's log goes on with its number");
}

/* The mark of the killed use as it was before its first commit. */
static ck_mark begun(void) {
  ck_mark mark = mark_of(killed), before = mark_of(rested);
  mark.state = CK_MARK_BEGUN;
  mark.frames = 0;
  mark.before = before.id;
  mark.begins = true;
  memcpy(mark.salt, before.salt, CK_SALT_SIZE);
  return mark;
}

static void test_beginning(void) {
  begin("mark_first.db", rested);
  set_mark(begun());
  finds(AT_REST, "killed between the mark and the header");
  set_use(CK_USE_LIVE, begun().id);
  finds(AT_REST, "killed between the header and the first commit");
  go_on();
  finds(AT_REST + 1, "and it goes on");
  begin("mark_last.db", killed);
  set_mark(begun());
  finds(KILLED, "the mark of the first commit did not come to the disk");
  tap_must(unlink(side(path, "-wal")) == 0, "its log is removed");
  finds(REFUSED, "the same without its log");
}

/* The zeros of a fold did not come to the disk, and the next use began. */
static void test_old_log(void) {
  ck_mark mark = begun();
  ck_wal_head head = ck_wal_read_head(side(killed, "-wal"));
  begin("old_log.db", folded);
  fixture_copy_file(killed, path, "-wal");
  set_bytes("-wal", 32 + 4120 * 2 + 1000, "\xff\xfe", 2);
  mark.before = use_of(folded).id;
  mark.id = 4711;
  memcpy(mark.salt, head.salt, CK_SALT_SIZE);
  set_mark(mark);
  finds(KILLED + 1, "a folded log that came back when the next use had its mark");
  tap_ok(log_is_empty(), "is made empty again");
  fixture_copy_file(killed, path, "-wal");
  set_bytes("-wal", 32 + 4120 * 2 + 1000, "\xff\xfe", 2);
  set_use(CK_USE_LIVE, mark.id);
  finds(KILLED + 1, "and when it had its header");
}

static void test_end(void) {
  begin("end.db", folded);
  set_mark(mark_of(killed));
  finds(KILLED + 1, "killed between the zeros and the mark");
  fixture_copy_file(killed, path, "-wal");
  set_bytes("-wal", 32 + 4120 * 2 + 1000, "\xff\xfe", 2);
  finds(KILLED + 1, "killed between the header and the mark");
  tap_ok(log_is_empty(), "the log, which is in the file, is made empty");
  begin("signed.db", folded);
  set_use(CK_USE_LIVE, use_of(folded).id);
  finds(REFUSED, "a file of the midst of a use that has ended");
}

/* ---- of other uses ---- */

static void test_others(void) {
  begin("rest_over.db", killed);
  fixture_copy_file(rested, path, "");
  finds(REFUSED, "the file of before beside a log");
  set_mark(begun());
  finds(REFUSED, "beside one of which nothing is known to be synced");
  set_mark(mark_of(rested));
  finds(REFUSED, "beside one that no mark knows");
  tap_must(unlink(side(path, ".lock")) == 0, "its lock file is removed");
  finds(REFUSED, "and beside one without a mark");
  tap_ok(!log_is_empty(), "the log is left as it is");
  fixture_copy_file(killed, path, "");
  fixture_copy_file(killed, path, ".lock");
  finds(KILLED, "with its own file it is whole");

  begin("killed_over.db", rested);
  fixture_copy_file(killed, path, "");
  finds(REFUSED, "the file of a killed store in the place of one at rest");
  tap_must(unlink(side(path, ".lock")) == 0, "its lock file is removed");
  finds(REFUSED, "the same without its lock file");
  fixture_copy_file(killed, path, "-wal");
  finds(KILLED, "with its log it is whole");

  begin("both_killed.db", killed);
  set_use(CK_USE_LIVE, use_of(killed).id + 1);
  finds(REFUSED, "the file of a killed store beside the log of another killed one");
  set_use(CK_USE_LIVE, use_of(killed).id);
  finds(KILLED, "and its own beside it");

  begin("swapped.db", rested);
  fixture_copy_file(folded, path, "");
  finds(KILLED + 1, "a file at rest in the place of another one");
  begin("sign.db", killed);
  set_bytes("", CK_USE_AT, "cklw", 4);
  finds(REFUSED, "a damaged sign");
}

/* Beside a file in use, with its mark, with one that knows nothing of a log yet, and without. */
static void test_other_logs(void) {
  const char *const logs[] = {killed, other};
  for (int i = 0; i < 2; i++) {
    const char *whose = i ? "another store" : "an earlier use";
    begin(i ? "log_of_other.db" : "log_of_earlier.db", again);
    finds(AGAIN, "a store that was killed again");
    fixture_copy_file(logs[i], path, "-wal");
    tap_must(unlink(side(path, "-shm")) == 0, "the index of its log goes");
    finds(REFUSED, whose);
    ck_mark mark = mark_of(again);
    mark.state = CK_MARK_BEGUN;
    memset(mark.salt, 1, sizeof mark.salt);
    set_mark(mark);
    finds(REFUSED, whose);
    fixture_copy_file(again, path, ".lock");
    set_use(CK_USE_REST, use_of(again).id);
    finds(REFUSED, whose);
    tap_ok(!log_is_empty(), "the log is left as it is");
    set_use(CK_USE_LIVE, use_of(again).id);
    tap_must(unlink(side(path, ".lock")) == 0, "its lock file is removed");
    finds(REFUSED, whose);
    fixture_copy_store(again, path);
    finds(AGAIN, "and with its own");
  }
}

static void test_missing(void) {
  ck_error err;
  struct stat found;
  begin("missing.db", killed);
  tap_must(unlink(path) == 0, "the file is removed");
  ck_store *store;
  ck_store_options create = {.create = true};
  tap_is_status(ck_store_open(&store, url, &create, &err), CK_E_CORRUPT, &err,
                "none is made in its place");
  tap_ok(stat(path, &found) != 0, "and there is none");
  tap_must(unlink(side(path, ".lock")) == 0, "its lock file is removed");
  tap_is_status(ck_store_open(&store, url, &create, &err), CK_E_CORRUPT, &err,
                "nor beside its log alone");
  empty_log();
  tap_is_status(ck_store_open(&store, url, &create, &err), CK_OK, &err,
                "beside an empty one it is");
  ck_store_close(store);
}

/* ---- stores of an older ckrun ---- */

static void test_older(void) {
  begin("old_killed.db", killed);
  set_use(CK_USE_LIVE, 0);
  set_old_mark(mark_of(killed));
  finds(KILLED, "a killed store without numbers");
  set_use(CK_USE_REST, 0);
  finds(KILLED, "whose sign did not come to the disk");
  ck_mark mark = mark_of(killed);
  mark.before = 0;
  mark.begins = true;
  set_mark(mark);
  finds(KILLED, "killed when its mark had a number and its file had none");
  set_use(CK_USE_LIVE, 0);
  finds(KILLED, "the same with its sign");
  tap_must(unlink(side(path, ".lock")) == 0, "it has no mark");
  finds(KILLED, "of before there were marks");
  go_on();
  finds(KILLED + 1, "it goes on");
  tap_ok(use_of(path).id != 0 && mark_of(path).id == use_of(path).id, "and has a number then");
  begin("old_rest.db", folded);
  set_use(CK_USE_REST, 0);
  set_old_mark(mark_of(folded));
  finds(KILLED + 1, "one at rest");
  fixture_copy_file(killed, path, "-wal");
  finds(KILLED + 1, "whose folded log came back");
  tap_ok(log_is_empty(), "which is made empty");
}

/* As an older ckrun goes on with a store that has a number: it keeps that, signs it, and its log
 * has the first page as it was at rest. */
static void use_by_older(void) {
  sqlite3 *db = NULL;
  int persist = 1;
  ck_use use = use_of(path);
  tap_must(sqlite3_open(path, &db) == SQLITE_OK &&
               sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK &&
               sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist) == SQLITE_OK &&
               sqlite3_exec(db, "PRAGMA user_version=3", NULL, NULL, NULL) == SQLITE_OK,
           "an older ckrun commits");
  sqlite3_close(db);
  set_use(CK_USE_LIVE, use.id);
}

static void test_older_after(void) {
  begin("older_early.db", folded);
  use_by_older();
  finds(KILLED + 1, "killed before it wrote its mark");
  begin("older_mark.db", folded);
  use_by_older();
  set_old_mark(mark_of(folded));
  finds(KILLED + 1, "and when it had written that the log of before is folded");
  go_on();
  finds(KILLED + 2, "it goes on");
  begin("older_other.db", folded);
  fixture_copy_file(other, path, "-wal");
  set_use(CK_USE_LIVE, use_of(folded).id);
  finds(REFUSED, "another one's log in its place");
  set_old_mark(mark_of(folded));
  finds(REFUSED, "nor with its mark");
  empty_log();
  finds(REFUSED, "nor without a log");
}

int main(void) {
  make_images();
  test_states();
  test_beginning();
  test_old_log();
  test_end();
  test_others();
  test_other_logs();
  test_missing();
  test_older();
  test_older_after();
  return tap_done();
}
