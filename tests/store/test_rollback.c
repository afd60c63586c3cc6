/* test_rollback.c - a store that is older than the counter outside of it says is not written,
 * unless a person takes it; a counter goes up only, and one that cannot be had stops nobody. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/acceptance.h"
#include "core/store/store_core.h"
#include "tests/clock.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static ck_error err;
static char path[300], url[320], folder[320];
static char notes[2000];
static const uint8_t identity[32] = {7};

static void note(void *to, bool set_back, const char *text) {
  (void)to;
  if (set_back) strncat(notes, "set back: ", sizeof notes - strlen(notes) - 1);
  strncat(notes, text, sizeof notes - strlen(notes) - 1);
}

static ck_store_watch watch = {.folder = folder, .note = note};

static clock_steps steps = {.step_us = 2000000}; /* a second has always passed */

static ck_rollback open_counter(ck_status expected, const char *what) {
  ck_rollback counter;
  ck_status status = ck_rollback_open(&counter, &watch, path, identity, true, &err);
  tap_is_status(status, expected, &err, "%s", what);
  counter.clock = clock_of_steps(&steps);
  return counter;
}

static void test_counter(void) {
  ck_rollback counter = open_counter(CK_OK, "a new counter"), other;
  tap_is_int((int64_t)counter.generation, 0, "knows nothing");
  tap_ok(ck_rollback_check(&counter, 0, &err) == CK_OK, "and finds nothing");
  ck_rollback_advance(&counter, 5);
  other = open_counter(CK_OK, "the same once more");
  tap_is_int((int64_t)other.generation, 5, "knows what was written");
  ck_rollback_advance(&other, 9);
  ck_rollback_advance(&counter, 7);
  tap_is_int((int64_t)counter.generation, 9, "what another process wrote is not taken back");
  tap_is_status(ck_rollback_check(&counter, 8, &err), CK_E_CORRUPT, &err, "an older store");
  tap_ok(strstr(err.text, "store accept-rollback") && strstr(err.text, path),
         "is named, and the way on: %s", err.text);
  tap_ok(ck_rollback_check(&counter, 9, &err) == CK_OK &&
             ck_rollback_check(&counter, 10, &err) == CK_OK,
         "the same one and a later one are not");
  chmod(counter.path, 0622);
  ck_rollback_close(&other);
  other = open_counter(CK_E_REFUSED, "one that others can write");
  ck_rollback_advance(&counter, 20);
  chmod(counter.path, 0600);
  ck_rollback_close(&other);
  other = open_counter(CK_OK, "it");
  tap_is_int((int64_t)other.generation, 9, "is not written");
  int fd = open(counter.path, O_WRONLY);
  tap_must(fd >= 0 && pwrite(fd, "x", 1, 30) == 1, "a damage");
  close(fd);
  ck_rollback_close(&other);
  other = open_counter(CK_E_CORRUPT, "one that is damaged");
  ck_rollback_advance(&other, 3);
  tap_is_int((int64_t)other.generation, 3, "begins anew");
  ck_rollback_close(&other);
  ck_rollback_close(&counter);
}

/* At most once a second while it is told of more; the rest at the end. */
static void test_often(void) {
  static const uint8_t other_identity[32] = {8};
  ck_rollback counter, other;
  steps.step_us = 1000;
  tap_must(!ck_rollback_open(&counter, &watch, path, other_identity, true, &err), "%s", err.text);
  counter.clock = clock_of_steps(&steps);
  int writes = 0;
  uint64_t before = 0;
  for (uint64_t i = 1; i <= 5000; i++) { /* five seconds, and a reading for each write */
    ck_rollback_advance(&counter, i);
    writes += counter.generation != before;
    before = counter.generation;
  }
  tap_ok(writes >= 5 && writes <= 6, "five seconds, %d writes", writes);
  tap_must(!ck_rollback_open(&other, &watch, path, other_identity, false, &err), "%s", err.text);
  tap_ok(other.generation < 5000, "what came within the last second is not written");
  ck_rollback_close(&other);
  ck_rollback_close(&counter);
  tap_must(!ck_rollback_open(&other, &watch, path, other_identity, true, &err), "%s", err.text);
  tap_is_int((int64_t)other.generation, 5000, "but at the end");

  /* A process that was stopped as it wrote keeps no one. */
  int fd = open(other.path, O_RDWR);
  tap_must(fd >= 0 && flock(fd, LOCK_EX) == 0, "a lock");
  ck_rollback_advance(&other, 5001);
  tap_is_int((int64_t)other.generation, 0, "nobody waits for who holds the file");
  close(fd);
  ck_rollback_flush(&other);
  tap_is_int((int64_t)other.generation, 5001, "it is written later");
  ck_rollback_close(&other);
}

static ck_status open_store(ck_store **out, bool read_only, bool accept) {
  ck_store_options options = {
      .create = !read_only, .read_only = read_only, .watch = &watch, .accept_rollback = accept};
  *notes = '\0';
  return ck_store_open(out, url, &options, &err);
}

static void create(const char *id) {
  fixture session;
  ck_store *store;
  tap_must(open_store(&store, false, false) == CK_OK, "it opens: %s", err.text);
  tap_must(fixture_create(&session, store, id, &err) == CK_OK, "a session: %s", err.text);
  ck_store_close(store);
}

static void test_store(void) {
  ck_store *store = NULL;
  ck_acceptance accepted;
  char older[320];
  snprintf(older, sizeof older, "%s.older", path);
  create("a");
  fixture_copy_store(path, older);
  create("b");
  fixture_copy_store(older, path);
  tap_is_status(open_store(&store, false, false), CK_E_CORRUPT, &err,
                "an older copy is not opened");
  tap_is_status(open_store(&store, true, false), CK_OK, &err, "but to be read");
  tap_ok(strstr(notes, "set back: store"), "with a word: %s", notes);
  tap_is_int(fixture_count_problems(store), 1, "verify finds it");
  ck_store_close(store);
  tap_is_status(open_store(&store, false, true), CK_OK, &err, "a person opens it");
  tap_is_status(ck_store_accept_rollback(&accepted, store, &err), CK_OK, &err, "and takes it");
  tap_ok(accepted.generation > accepted.known && accepted.known > accepted.before &&
             !accepted.is_needless,
         "what it is now counts more than what was known");
  ck_store_close(store);
  create("c");
  tap_is_text(notes, "", "nothing is told of it any more");
  tap_is_status(open_store(&store, false, true), CK_OK, &err, "once more");
  tap_is_status(ck_store_accept_rollback(&accepted, store, &err), CK_OK, &err, "it is taken");
  tap_ok(accepted.is_needless, "there is nothing to take");
  ck_store_close(store);
}

static void test_none(void) {
  ck_store *store;
  snprintf(folder, sizeof folder, "%s/x/y", path);
  tap_is_status(open_store(&store, false, false), CK_OK, &err, "no counter stops nobody");
  tap_ok(strstr(notes, "no rollback of it can be found"), "it is told: %s", notes);
  ck_store_close(store);
  tap_is_status(open_store(&store, true, false), CK_OK, &err, "nor who reads");
  watch.folder = NULL;
  ck_store_close(store);
  tap_is_status(open_store(&store, false, false), CK_OK, &err, "one that is not wanted");
  tap_is_text(notes, "", "is not told");
  ck_store_close(store);
}

int main(void) {
  snprintf(path, sizeof path, "%s", tap_tmpfile("s.db"));
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(folder, sizeof folder, "%s", tap_tmpfile("counters"));
  ck_store_close(fixture_open(url));
  test_counter();
  test_often();
  test_store();
  test_none();
  return tap_done();
}
