/* owned.c - what the threads of leases share: how a lease is found, a thread begun, a wait bounded.
 */
#include <signal.h>
#include <time.h>

#include "core/store/postgres/postgres.h"

int64_t ck_postgres_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

ck_postgres_owned *ck_postgres_find_owned(const ck_postgres *self, ck_lease lease) {
  ck_postgres_owned *owned = self->owned;
  while (owned && (owned->lease.session != lease.session || owned->lease.epoch != lease.epoch))
    owned = owned->next_owned;
  return owned;
}

void ck_postgres_wait_until(struct timespec *next, int64_t ms) {
  clock_gettime(CLOCK_MONOTONIC, next);
  next->tv_sec += ms / 1000;
  next->tv_nsec += ms % 1000 * 1000000;
  if (next->tv_nsec < 1000000000) return;
  next->tv_sec++;
  next->tv_nsec -= 1000000000;
}

/* Signals are for the caller's threads. */
int ck_postgres_begin_thread(pthread_t *out, void *(*call)(void *to), void *to) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(out, NULL, call, to);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}
