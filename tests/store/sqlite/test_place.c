/* test_place.c - a store that is removed, renamed or replaced while it is written: no commit is
 * acknowledged into a file that nobody finds, and nothing is made in its place. */
/* link: -Wl,--wrap=stat,--wrap=lstat,--wrap=fstat */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/store/faulty.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};

typedef struct scene {
  char url[500], path[480], away[480];
  fixture session;
} scene;

static void set(scene *self, const char *name, const char *suffix) {
  const char *path = tap_tmpfile(name);
  ck_error err = CK_ERROR_INIT;
  snprintf(self->url, sizeof self->url, "sqlite:%s", path);
  snprintf(self->path, sizeof self->path, "%s%s", path, suffix);
  snprintf(self->away, sizeof self->away, "%s.away", path);
  if (fixture_create(&self->session, fixture_open(self->url), "s", &err) != CK_OK ||
      fixture_commit(&self->session, &step, &err) != CK_OK)
    tap_must(false, "a session: %s", err.text);
}

static void copy(const char *from, const char *to) {
  char command[1100];
  snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
  tap_must(system(command) == 0, "%s is copied", from);
}

static void is_refused(scene *self, const char *name) {
  ck_error err = CK_ERROR_INIT;
  fixture *session = &self->session;
  ck_status status = fixture_commit(session, &step, &err);
  tap_ok(ck_status_exit(status) == 74 && strstr(err.text, self->path), "%s is told: %s", name,
         err.text);
  status = fixture_commit(session, &step, &err);
  tap_is_int(ck_status_exit(status), 74, "and told again: %s", err.text);
  status = ck_store_sync(session->store, &err);
  tap_is_int(ck_status_exit(status), 74, "nor is it synced: %s", err.text);
  tap_ok(ck_store_recover(session->store, &err) != CK_OK && strstr(err.text, self->path),
         "nor recovered: %s", err.text);
}

static void test_removed(const char *name, const char *suffix) {
  scene self;
  struct stat found;
  set(&self, name, suffix);
  tap_must(unlink(self.path) == 0, "%s is removed", self.path);
  is_refused(&self, *suffix ? "a log that was removed" : "a store that was removed");
  ck_store_close(self.session.store);
  tap_ok(stat(self.path, &found) != 0, "and nothing is made in its place");
}

/* The commit that was not acknowledged is there now. */
static void read_position(fixture *session) {
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  if (ck_store_get_head(&head, session->store, "s", &err) != CK_OK)
    tap_must(false, "a head: %s", err.text);
  session->seq = head.last_seq;
  session->parent = head.latest.seq;
  ck_head_clear(&head);
}

static void test_renamed(const char *name, const char *suffix) {
  scene self;
  ck_error err = CK_ERROR_INIT;
  set(&self, name, suffix);
  tap_must(rename(self.path, self.away) == 0, "%s is renamed", self.path);
  is_refused(&self, *suffix ? "a log that was renamed" : "a store that was renamed");
  tap_must(rename(self.away, self.path) == 0, "and put back");
  tap_is_status(ck_store_recover(self.session.store, &err), CK_OK, &err, "it is recovered then");
  read_position(&self.session);
  tap_is_status(fixture_commit(&self.session, &step, &err), CK_OK, &err, "and goes on");
  tap_is_int(fixture_count_events(self.session.store, self.session.lease.session), self.session.seq,
             "with everything in it");
  ck_store_close(self.session.store);
}

static void test_replaced(const char *name, const char *suffix) {
  scene self;
  struct stat before, after;
  set(&self, name, suffix);
  copy(self.path, self.away);
  tap_must(rename(self.away, self.path) == 0 && stat(self.path, &before) == 0, "it is replaced");
  is_refused(&self, *suffix ? "a log that was replaced" : "a store that was replaced");
  ck_store_close(self.session.store);
  tap_ok(stat(self.path, &after) == 0 && before.st_mtime == after.st_mtime &&
             before.st_size == after.st_size,
         "and the other file is left alone");
}

static void rename_now(void *to) {
  scene *self = to;
  tap_must(rename(self->path, self->away) == 0, "%s is renamed", self->path);
}

/* Between the commit and its acknowledgement. */
static void test_renamed_within(const char *name, const char *suffix) {
  scene self;
  ck_error err = CK_ERROR_INIT;
  set(&self, name, suffix);
  faulty_after_sync(FAULTY_WAL, rename_now, &self);
  tap_is_status(fixture_commit(&self.session, &step, &err), CK_E_UNKNOWN, &err,
                "a commit into a file that goes meanwhile is not acknowledged");
  tap_ok(strstr(err.text, self.path) != NULL, "and the file is named: %s", err.text);
  tap_must(rename(self.away, self.path) == 0, "it is put back");
  tap_is_status(ck_store_recover(self.session.store, &err), CK_OK, &err, "then it is recovered");
  tap_is_int(fixture_count_events(self.session.store, self.session.lease.session),
             self.session.seq + 2, "and found to hold the commit");
  ck_store_close(self.session.store);
}

static bool rename_away(void *to, const ck_event *event) {
  scene *self = to;
  if (event->seq != 1) return true;
  tap_must(rename(self->path, self->away) == 0, "%s is renamed", self->path);
  tap_is_int(fixture_count_events(self->session.store, self->session.lease.session), -1,
             "and another one cannot begin");
  return true;
}

static void test_readers(void) {
  scene self;
  struct stat found;
  ck_error err = CK_ERROR_INIT;
  set(&self, "readers.db", "-wal");
  ck_event_query query = {.session = self.session.lease.session};
  tap_is_status(ck_store_read_events(self.session.store, &query, rename_away, &self, &err), CK_OK,
                &err, "a reader sees the log go");
  tap_is_int(fixture_count_events(self.session.store, self.session.lease.session), 3,
             "what is open can be read");
  tap_ok(stat(self.path, &found) != 0, "no reader makes a log");
  ck_store_close(self.session.store);
  tap_ok(stat(self.path, &found) != 0, "nor does closing");
}

static void test_lock_file(void) {
  scene self;
  ck_error err = CK_ERROR_INIT;
  set(&self, "lock.db", ".lock");
  copy(self.path, self.away);
  tap_must(rename(self.away, self.path) == 0, "the lock file is replaced");
  ck_status status = fixture_commit(&self.session, &step, &err);
  tap_ok(ck_status_exit(status) == 74 && strstr(err.text, self.path),
         "a lock file that was replaced keeps nobody out: %s", err.text);
  ck_store_close(self.session.store);
}

static int asked; /* calls that ask a file for its times as well */

#define COUNTED(name, type)                      \
  int __real_##name(type of, struct stat *out);  \
  int __wrap_##name(type of, struct stat *out);  \
  int __wrap_##name(type of, struct stat *out) { \
    asked++;                                     \
    return __real_##name(of, out);               \
  }
COUNTED(stat, const char *)
COUNTED(lstat, const char *)
COUNTED(fstat, int)

/* The next write would change the log's inode, and the sync behind it write that (see
 * file_identity.h): half as long again for each commit. */
static void test_times(void) {
  scene self;
  ck_error err = CK_ERROR_INIT;
  bool good = true;
  set(&self, "times.db", "");
  tap_ok(asked > 0, "an opened store has asked for times");
  asked = 0;
  for (int i = 0; i < 10; i++) good &= fixture_commit(&self.session, &step, &err) == CK_OK;
  tap_ok(good && asked == 0, "a commit asks no file for its times: %d calls in ten", asked);
  ck_store_close(self.session.store);
}

int main(void) {
  faulty_install();
  test_times();
  test_removed("removed.db", "");
  test_removed("unlogged.db", "-wal");
  test_renamed("renamed.db", "");
  test_renamed("log_renamed.db", "-wal");
  test_replaced("replaced.db", "");
  test_replaced("log_replaced.db", "-wal");
  test_renamed_within("within.db", "");
  test_renamed_within("log_within.db", "-wal");
  test_readers();
  test_lock_file();
  return tap_done();
}
