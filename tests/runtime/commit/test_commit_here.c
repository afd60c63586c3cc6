/* test_commit_here.c - a thread with nothing else to do commits its own step: only when it waits
 * for nobody but a disk in good health, and what it claimed is given back. */
/* link: -Wl,--wrap=ck_store_commit -Wl,--wrap=clock_gettime */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/runtime/session/session.h"
#include "core/runtime/session/session_private.h"
#include "tests/tap.h"

/* ---- what the store is asked, and by whom ---- */

static struct {
  pthread_mutex_t mutex;
  pthread_t by;
  int count;
  int64_t slow_us; /* the next commit takes so much longer */
  bool fails;      /* the next one has no memory */
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* What a commit costs is read off this clock, which commits alone move: 100 us each. */
static _Atomic int64_t now_us = 1000000;

int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
  (void)clock;
  int64_t us = now_us;
  *out = (struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
  return 0;
}

ck_status __real_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err) {
  pthread_mutex_lock(&seen.mutex);
  int64_t slow_us = seen.slow_us;
  bool fails = seen.fails;
  seen.slow_us = 0;
  seen.fails = false;
  seen.by = pthread_self();
  seen.count++;
  pthread_mutex_unlock(&seen.mutex);
  now_us += 100 + slow_us;
  return fails ? ck_error_no_memory(err) : __real_ck_store_commit(store, batches, count, err);
}

static bool was_here(int before) {
  pthread_mutex_lock(&seen.mutex);
  bool here = seen.count > before && pthread_equal(seen.by, pthread_self());
  pthread_mutex_unlock(&seen.mutex);
  return here;
}

static int commits(void) {
  pthread_mutex_lock(&seen.mutex);
  int count = seen.count;
  pthread_mutex_unlock(&seen.mutex);
  return count;
}

/* ---- a session ---- */

static ck_runtime *open_runtime(const char *url) {
  ck_runtime *runtime;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "open: %s", err.text);
  return runtime;
}

static ck_session *start(ck_runtime *runtime) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
           "start: %s", err.text);
  return session;
}

static uint64_t step(ck_session *session) {
  ck_error err = CK_ERROR_INIT;
  ck_saved saved;
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_USER_CHECKPOINT},
                               &err) == CK_OK &&
               saved.sync,
           "boundary: %s", err.text);
  return saved.ticket;
}

static ck_status commit(ck_session *session, uint64_t ticket) {
  ck_error err = CK_ERROR_INIT;
  return ck_session_commit(session, ticket, &err);
}

/* Commits nothing itself. */
static ck_status wait_for_writer(ck_session *session, uint64_t ticket) {
  ck_error err = CK_ERROR_INIT;
  ck_status status;
  while ((status = ck_session_peek(session, ticket, &err)) == CK_E_PENDING) sched_yield();
  return status;
}

/* Another process, as far as flock can tell. */
static int open_lock(const char *path) {
  char lock[600];
  snprintf(lock, sizeof lock, "%s.lock", path);
  int fd = open(lock, O_RDWR | O_CLOEXEC);
  tap_must(fd >= 0, "%s", lock);
  return fd;
}

static bool is_free(int lock) {
  bool got = flock(lock, LOCK_EX | LOCK_NB) == 0;
  if (got) flock(lock, LOCK_UN);
  return got;
}

/* ---- the promises ---- */

static void test_alone(ck_session *session, int lock) {
  int before = commits();
  uint64_t ticket = step(session);
  tap_is_int(commit(session, ticket), CK_E_PENDING,
             "before a commit was timed, the writer takes it");
  tap_is_int(wait_for_writer(session, ticket), CK_OK, "and is woken for that");
  tap_ok(commits() == before + 1 && !was_here(before), "in its own thread");
  before = commits();
  ticket = step(session);
  tap_is_int(commit(session, ticket), CK_OK, "then a waiting thread's step is committed at once");
  tap_ok(commits() == before + 1 && was_here(before), "by that thread");
  tap_ok(is_free(lock), "and the store is free for others");
  tap_is_int(commit(session, ticket), CK_OK, "once more is no other commit");
  tap_is_int(commits(), before + 1, "of the store");
}

static void test_held(ck_session *session, int lock) {
  int before = commits();
  uint64_t ticket = step(session);
  tap_must(flock(lock, LOCK_EX) == 0, "the lock");
  tap_is_int(commit(session, ticket), CK_E_PENDING, "another process has the store: nobody waits");
  tap_ok(!was_here(before), "in the session's thread");
  flock(lock, LOCK_UN);
  tap_is_int(wait_for_writer(session, ticket), CK_OK, "the writer waits for it instead");
  tap_ok(!was_here(before), "in its own thread");
}

static void test_failing(ck_session *session, int lock) {
  uint64_t ticket = step(session);
  seen.fails = true;
  int before = commits();
  commit(session, ticket);
  tap_ok(was_here(before), "a commit that never came to the store's lock");
  tap_ok(is_free(lock), "gives it back");
}

static void test_slow(ck_session *session) {
  uint64_t ticket = step(session);
  seen.slow_us = 60000;
  int before = commits();
  tap_is_int(commit(session, ticket), CK_OK, "a slow disk is found out by one commit");
  tap_ok(was_here(before), "of the session's own thread");
  before = commits();
  ticket = step(session);
  tap_is_int(commit(session, ticket), CK_E_PENDING, "the next one is the writer's");
  tap_ok(wait_for_writer(session, ticket) == CK_OK && !was_here(before), "in its own thread");
}

static void put_bytes(ck_session *session, const char *key, size_t len, char with) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  char *text = malloc(len + 1);
  tap_must(text, "memory");
  memset(text, with, len);
  text[0] = text[len - 1] = '"';
  text[len] = '\0';
  tap_must(ck_value_new(&value, ck_bytes_text(text), &err) == CK_OK &&
               ck_session_put(session, key, value, &err) == CK_OK,
           "put: %s", err.text);
  ck_value_free(value);
  free(text);
}

/* Whether the step's commit was this thread's. */
static bool commits_here(ck_session *session) {
  int before = commits();
  uint64_t ticket = step(session);
  ck_status status = commit(session, ticket);
  bool here = status == CK_OK && was_here(before);
  tap_must(here || (status == CK_E_PENDING && wait_for_writer(session, ticket) == CK_OK), "a step");
  return here;
}

/* Ten values of 1 MB: each change is a delta, until the deltas come to what the state is. */
static void test_large(ck_session *session) {
  char key[32];
  for (int i = 0; i < 10; i++) {
    snprintf(key, sizeof key, "memory.part%d", i);
    put_bytes(session, key, 1 << 20, 'a');
  }
  tap_ok(!commits_here(session), "a large state is not written as a whole by the session's thread");
  put_bytes(session, "memory.small", 100, 'b');
  tap_ok(commits_here(session), "but what changed in it is");
  int here = 0, writer = 0;
  for (int i = 0; i < 10; i++) {
    put_bytes(session, "memory.part0", 1 << 20, (char)('c' + i));
    if (commits_here(session))
      here++;
    else
      writer++;
  }
  tap_ok(here >= 7 && writer >= 1,
         "until it is written as a whole again (%d here, %d by the writer)", here, writer);
}

static void test_memory(void) {
  ck_runtime *runtime = open_runtime("memory:");
  ck_session *session = start(runtime);
  for (int i = 0; i < 2; i++) {
    int before = commits();
    uint64_t ticket = step(session);
    tap_is_int(commit(session, ticket), CK_E_PENDING, "a store without a lock is the writer's");
    tap_ok(wait_for_writer(session, ticket) == CK_OK && !was_here(before), "each time");
  }
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static ck_session *begin(ck_runtime **runtime, int *lock, const char *name) {
  char url[600];
  const char *path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  *runtime = open_runtime(url);
  *lock = open_lock(path);
  return start(*runtime);
}

int main(void) {
  ck_runtime *runtime;
  int lock;
  ck_session *session = begin(&runtime, &lock, "here.db");
  test_alone(session, lock);
  test_held(session, lock);
  test_slow(session);
  ck_session_close(session);
  ck_runtime_close(runtime);
  close(lock);
  session = begin(&runtime, &lock, "large.db");
  test_alone(session, lock);
  test_large(session);
  ck_session_close(session);
  ck_runtime_close(runtime);
  close(lock);
  session = begin(&runtime, &lock, "failing.db");
  test_alone(session, lock);
  test_failing(session, lock);
  ck_session_close(session);
  ck_runtime_close(runtime);
  close(lock);
  test_memory();
  return tap_done();
}
