/* test_use_cut_off.c - a use whose beginning or end was cut off between a write and its sync: the
 * next process does not take for durable what is only written, and refuses nothing that is whole.
 * All were found by tests/worlds. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/store/faulty.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/sqlite/binding.h"

enum { LOG_HEADER = 32 };
static const fixture_step power = {.text = "t", .key = "memory.k", .value = "1"};
static char url[500];
static const char *path;

static fixture begin(const char *name) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "create: %s", err.text);
  ck_store_release(store, session.lease);
  ck_store_close(store);
  store = fixture_open(url);
  tap_must(fixture_acquire(&session, store, "s", &err) == CK_OK, "acquire: %s", err.text);
  return session;
}

/* The first process signs the file and may die before that is on disk; a commit of another, which
 * finds the sign, stands on it. */
static void test_beginning(void) {
  fixture first = begin("beginning.db"), second;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open(url);
  faulty_take(FAULTY_DATABASE);
  tap_is_status(fixture_create(&second, store, "t", &err), CK_OK, &err, "another process commits");
  tap_is_int(faulty_take(FAULTY_DATABASE).syncs, 1,
             "and syncs the file that it found signed, before it commits");
  tap_is_status(fixture_commit(&second, &power, &err), CK_OK, &err, "it commits again");
  tap_is_int(faulty_take(FAULTY_DATABASE).syncs, 0, "and syncs it no more");
  ck_store_close(store);
  ck_store_close(first.store);
}

static void fail_next(void *to) {
  (void)to;
  faulty_fail_write(FAULTY_DATABASE, SQLITE_IOERR_WRITE, 1);
}

/* As it stood before the first commit: what names the log could not be written since. */
static void set_mark(const ck_mark *mark) {
  char name[520];
  ck_error err = CK_ERROR_INIT;
  snprintf(name, sizeof name, "%s.lock", path);
  int fd = open(name, O_RDWR | O_CLOEXEC);
  tap_must(fd >= 0 && ck_mark_write(fd, mark, false, &err) == CK_OK, "a mark");
  close(fd);
}

/* SQLite has moved the log into the file and forgotten its frames, and the sign cannot be taken
 * away: the end of the process tries once more. */
static void test_end(void) {
  fixture session = begin("end.db");
  ck_error err = CK_ERROR_INIT;
  ck_mark mark = ck_mark_read_path(path);
  ck_mark begun = {.state = CK_MARK_BEGUN, .id = mark.id, .before = mark.id + 1, .begins = true};
  tap_is_status(fixture_commit(&session, &power, &err), CK_OK, &err, "a commit");
  set_mark(&begun);
  faulty_after_sync(FAULTY_DATABASE, fail_next, NULL);
  ck_store_release(session.store, session.lease);
  tap_is_int(faulty_left(), 0, "the sign could not be taken away");
  ck_store_close(session.store);
  ck_store *store;
  tap_is_status(ck_store_open(&store, url, &(ck_store_options){0}, &err), CK_OK, &err,
                "the store is opened");
  tap_is_int(store ? fixture_verify(store) : -1, 0, "and sound");
  if (store) ck_store_close(store);
}

/* ---- what the disk has at a moment ---- */

static void copy(const char *to, const char *suffix, off_t kept) {
  char name[600], data[4096];
  struct stat found;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  int in = open(name, O_RDONLY | O_CLOEXEC);
  snprintf(name, sizeof name, "%s%s", to, suffix);
  int out = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  tap_must(in >= 0 && out >= 0 && fstat(in, &found) == 0, "%s can be copied", name);
  for (off_t at = 0; at < found.st_size; at += (off_t)sizeof data) {
    ssize_t len = pread(in, data, sizeof data, at);
    if (at + len > kept && at < kept) len = kept - at;
    if (at < kept) tap_must(pwrite(out, data, (size_t)len, at) == len, "a part of it");
  }
  tap_must(ftruncate(out, found.st_size) == 0, "all of it");
  close(in);
  close(out);
}

/* ---- a log that could not be emptied ---- */

static const char *to_keep;

static void fail_sync_next(void *to) {
  (void)to;
  faulty_fail_sync(FAULTY_DATABASE, SQLITE_IOERR_FSYNC, 1);
}

/* The mark of a use that begins is on disk, and that is the last that is. */
static void keep_mark(void *to) {
  (void)to;
  copy(to_keep, ".lock", INT32_MAX);
}

static ck_store *open_kept(void) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  path = to_keep;
  snprintf(url, sizeof url, "sqlite:%s", path);
  tap_is_status(ck_store_open(&store, url, &(ck_store_options){0}, &err), CK_OK, &err,
                "what the power left of it is opened");
  tap_is_int(store ? fixture_verify(store) : -1, 0, "and sound");
  return store;
}

/* A use, of which neither the later marks nor the zeros in the log came to disk. */
static void use_and_lose(const char *left, fixture *session) {
  ck_error err = CK_ERROR_INIT;
  to_keep = tap_tmpfile(left);
  faulty_after_sync(FAULTY_DATABASE, keep_mark, NULL);
  tap_is_status(fixture_create(session, session->store, left, &err), CK_OK, &err, "a commit");
  tap_is_status(fixture_commit(session, &power, &err), CK_OK, &err, "and another one");
  copy(to_keep, "-wal", INT32_MAX);
  ck_store_release(session->store, session->lease);
  ck_store_close(session->store);
  copy(to_keep, "", INT32_MAX);
}

/* The next process finds all of the log in the file, and cannot empty it: another program has the
 * store open, or the disk is full. What it commits follows frames of the use before; then the power
 * goes once more in the same way. */
static void test_not_emptied(void) {
  sqlite3 *reader = NULL;
  fixture session = begin("not_emptied.db");
  ck_store_release(session.store, session.lease);
  ck_store_close(session.store);
  session.store = fixture_open(url);
  use_and_lose("once", &session);
  path = to_keep;
  bool reads = sqlite3_open(path, &reader) == SQLITE_OK &&
               sqlite3_exec(reader, "SELECT count(*) FROM meta", NULL, NULL, NULL) == SQLITE_OK;
  tap_must(reads, "another program reads it");
  session.store = open_kept();
  use_and_lose("twice", &session);
  sqlite3_close(reader);
  session.store = open_kept();
  ck_store_close(session.store);
}

static void keep_all(void *to) {
  (void)to;
  copy(to_keep, ".lock", INT32_MAX);
  copy(to_keep, "-wal", INT32_MAX);
}

static void keep_all_next(void *to) {
  (void)to;
  faulty_after_sync(FAULTY_DATABASE, keep_all, NULL);
}

/* One of two processes is killed when it has taken the sign away and said so to nobody; SQLite has
 * forgotten the log, which is still there. The other one begins a use, and is killed before the
 * file says so. */
static void test_forgotten(void) {
  fixture first = begin("forgotten.db"), second;
  ck_error err = CK_ERROR_INIT;
  ck_mark mark = ck_mark_read_path(path);
  ck_mark begun = {.state = CK_MARK_BEGUN, .id = mark.id, .before = mark.id + 1, .begins = true};
  ck_store *other = fixture_open(url);
  to_keep = tap_tmpfile("killed");
  tap_is_status(fixture_commit(&first, &power, &err), CK_OK, &err, "a commit");
  tap_is_status(fixture_create(&second, other, "t", &err), CK_OK, &err, "one of another process");
  faulty_after_sync(FAULTY_DATABASE, fail_sync_next, NULL);
  ck_store_release(other, second.lease);
  ck_store_close(other);
  tap_is_int(faulty_left(), 0, "which ends, and knows not that the sign is gone");
  set_mark(&begun);
  copy(to_keep, "", INT32_MAX);
  faulty_after_sync(FAULTY_DATABASE, keep_all_next, NULL);
  tap_is_status(fixture_commit(&first, &power, &err), CK_OK, &err, "the first goes on");
  ck_store_release(first.store, first.lease);
  ck_store_close(first.store);
  ck_store_close(open_kept());
}

/* The same, and the other one is killed when it has made the log empty, before that is on disk. A
 * third begins a use; the power goes when its mark is on disk, and brings back what was not synced.
 * The mark of the use before knew nothing of that log, whose commits were not synced for power. */
static void test_emptied(void) {
  fixture first = begin("emptied.db"), second, last;
  ck_error err = CK_ERROR_INIT;
  ck_mark mark = ck_mark_read_path(path);
  ck_mark begun = {.state = CK_MARK_BEGUN, .id = mark.id, .before = mark.id + 1, .begins = true};
  ck_store *other = fixture_open(url), *third = fixture_open(url);
  to_keep = tap_tmpfile("emptied_left.db");
  tap_is_status(fixture_create(&second, other, "t", &err), CK_OK, &err, "a commit of another");
  faulty_after_sync(FAULTY_DATABASE, fail_sync_next, NULL);
  ck_store_release(other, second.lease);
  ck_store_close(other);
  set_mark(&begun);
  copy(to_keep, "-wal", INT32_MAX);
  faulty_fail_sync(FAULTY_WAL, SQLITE_IOERR_FSYNC, 1);
  tap_ok(fixture_commit(&first, &power, &err) != CK_OK, "one ends when the log is made empty");
  tap_is_int(faulty_left(), 0, "before that is on disk");
  (void)faulty_take(FAULTY_WAL);
  faulty_after_sync(FAULTY_DATABASE, fail_next, NULL);
  tap_ok(fixture_create(&last, third, "u", &err) != CK_OK, "and another behind its mark");
  tap_is_int(faulty_left(), 0, "before its sign");
  if (faulty_take(FAULTY_WAL).syncs) copy(to_keep, "-wal", INT32_MAX);
  copy(to_keep, ".lock", INT32_MAX);
  copy(to_keep, "", INT32_MAX);
  ck_store_close(third);
  ck_store_release(first.store, first.lease);
  ck_store_close(first.store);
  ck_store_close(open_kept());
}

/* ---- a log that is begun anew in the same use ---- */

static void fail_always(void *to) {
  (void)to;
  faulty_fail_write(FAULTY_DATABASE, SQLITE_FULL, 9);
}

static void keep_header(void *to) {
  (void)to;
  copy(to_keep, ".lock", INT32_MAX);
  copy(to_keep, "", INT32_MAX);
  copy(to_keep, "-wal", LOG_HEADER);
}

/* The disk is full when one of two processes has moved the log into the file, so that the sign
 * stays, as it does when that process is killed there. The other one's commit begins the log anew
 * in the same use, under another salt; the power goes when no more of that than its header is on
 * disk.
 */
static void test_begun_anew(void) {
  fixture first = begin("anew.db"), second;
  ck_error err = CK_ERROR_INIT;
  ck_store *other = fixture_open(url);
  to_keep = tap_tmpfile("header");
  tap_is_status(fixture_commit(&first, &power, &err), CK_OK, &err, "a commit");
  tap_is_status(fixture_create(&second, other, "t", &err), CK_OK, &err, "one of another process");
  ck_mark live = ck_mark_read_path(path);
  faulty_after_sync(FAULTY_DATABASE, fail_always, NULL);
  ck_store_release(other, second.lease);
  ck_store_close(other);
  tap_ok(faulty_left() < 9, "which cannot take the sign away");
  faulty_heal();
  ck_mark left = ck_mark_read_path(path);
  tap_ok(live.state == CK_MARK_LIVE && ck_mark_equal(&live, &left), "and leaves the mark alone");
  faulty_after_sync(FAULTY_WAL, keep_header, NULL);
  tap_is_status(fixture_commit(&first, &power, &err), CK_OK, &err, "the first goes on");
  ck_store_release(first.store, first.lease);
  ck_store_close(first.store);
  ck_store_close(open_kept());
}

int main(void) {
  faulty_install();
  test_beginning();
  test_end();
  test_not_emptied();
  test_forgotten();
  test_emptied();
  test_begun_anew();
  return tap_done();
}
