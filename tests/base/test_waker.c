/* test_waker.c - a wake from any thread is seen, once, and never blocks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/base/waker.h"
#include "tests/tap.h"

static bool is_awake(const ck_waker *waker) {
  struct pollfd poller = {.fd = ck_waker_fd(waker), .events = POLLIN};
  return poll(&poller, 1, 0) == 1;
}

static void *wake(void *waker) {
  ck_waker_wake(waker);
  return NULL;
}

enum { DEEDS = 20000 };
typedef struct work {
  ck_waker *waker;
  atomic_int done;
} work;

static void *do_work(void *to) {
  work *self = to;
  for (int i = 0; i < DEEDS; i++) {
    atomic_fetch_add(&self->done, 1);
    ck_waker_wake(self->waker);
  }
  return NULL;
}

/* As a loop does it: sleep, clear, look. A wake that got lost would leave it asleep for good. */
static void test_race(ck_waker *waker) {
  work self = {.waker = waker};
  pthread_t thread;
  struct pollfd poller = {.fd = ck_waker_fd(waker), .events = POLLIN};
  bool slept = true;
  ck_waker_clear(waker);
  pthread_create(&thread, NULL, do_work, &self);
  while (slept && atomic_load(&self.done) < DEEDS) {
    slept = poll(&poller, 1, 60000) == 1;
    ck_waker_clear(waker);
  }
  pthread_join(thread, NULL);
  tap_ok(slept, "no wake is lost beside a clear");
}

int main(void) {
  ck_waker *waker;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_waker_open(&waker, &err) == CK_OK, "a waker opens");
  tap_ok(!is_awake(waker), "it begins asleep");
  tap_ok(fcntl(ck_waker_fd(waker), F_GETFD) & FD_CLOEXEC, "children do not inherit it");
  ck_waker_clear(waker);
  tap_ok(!is_awake(waker), "clearing without a wake does not block");
  for (int i = 0; i < 1000; i++) ck_waker_wake(waker);
  tap_ok(is_awake(waker), "wakes are seen");
  ck_waker_clear(waker);
  tap_ok(!is_awake(waker), "many wakes count once");
  pthread_t thread;
  pthread_create(&thread, NULL, wake, waker);
  struct pollfd poller = {.fd = ck_waker_fd(waker), .events = POLLIN};
  tap_is_int(poll(&poller, 1, 10000), 1, "a poll wakes by another thread");
  pthread_join(thread, NULL);
  test_race(waker);
  uint64_t full = UINT64_MAX - 1;
  ck_waker_clear(waker);
  tap_must(write(ck_waker_fd(waker), &full, sizeof full) == sizeof full, "fill the counter");
  errno = 7;
  ck_waker_wake(waker);
  tap_is_int(errno, 7, "a wake of a full counter does not block and keeps errno");
  ck_waker_close(waker);
  ck_waker_wake(NULL);
  ck_waker_close(NULL);
  return tap_done();
}
