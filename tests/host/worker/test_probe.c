/* test_probe.c - a store is asked again and again whatever the machine's clock shows meanwhile. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/host/worker/probe.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { SET_BY_S = 3600, HANGS_AFTER_MS = 20000 };

/* In the place of the C library's: the time of day is an hour ahead, as the kernel has it an hour
 * behind a clock that is set back while somebody waits. */
int clock_gettime(clockid_t which, struct timespec *out) {
  int failed = (int)syscall(SYS_clock_gettime, which, out);
  if (!failed && which == CLOCK_REALTIME) out->tv_sec += SET_BY_S;
  return failed;
}

static int64_t now_ms(void) {
  ck_clock clock = ck_clock_system();
  return clock.mono_us(clock.self) / 1000;
}

/* An answer makes the last one younger than it was. */
static bool is_asked(ck_probe *probe) {
  char why[CK_ERROR_TEXT_MAX];
  int64_t begun_ms = now_ms(), oldest_ms = 0;
  while (now_ms() - begun_ms < HANGS_AFTER_MS) {
    int64_t age_ms = ck_probe_age(why, probe);
    if (age_ms < oldest_ms) return true;
    oldest_ms = age_ms;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return false;
}

int main(void) {
  ck_probe *probe;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open("memory:");
  tap_must(ck_probe_start(&probe, store, &err) == CK_OK, "a probe: %s", err.text);
  tap_ok(is_asked(probe), "a store is asked, though the clock was set back by an hour");
  tap_ok(is_asked(probe), "and asked again");
  /* A thread that waits for its hour would be waited for here. */
  ck_probe_stop(probe);
  ck_store_close(store);
  return tap_done();
}
