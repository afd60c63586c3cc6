/* guard.c - the end of a lease as its holder counts it: a thread that asks no server notices in
 * time that a lease could not be renewed, and has what is done under it stopped.
 *
 * A lease lasts from the moment at which its last renewal was sent, by this machine's clock, which
 * goes on while the machine sleeps. The server counts from the moment at which that renewal came to
 * it, so it is never earlier than here. What is left is `margin`: the time for stopping. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/store/postgres/postgres.h"

enum { LOOK_US = 1000000 }; /* at least so often: a machine that slept has not counted its sleep */

static int64_t end_of(const ck_postgres *self, const ck_postgres_owned *of) {
  return of->renewed_us + (self->url.lease_ms - self->url.margin_ms) * 1000;
}

bool ck_postgres_has_lapsed(const ck_postgres *self, ck_postgres_owned *of) {
  of->lapsed = of->lapsed || ck_postgres_now_us() >= end_of(self, of);
  return of->lapsed;
}

void ck_postgres_note_renewed(ck_postgres *self, ck_lease lease, int64_t sent_us) {
  pthread_mutex_lock(&self->mutex);
  ck_postgres_owned *of = ck_postgres_find_owned(self, lease);
  if (of && of->renewed_us < sent_us) of->renewed_us = sent_us;
  pthread_mutex_unlock(&self->mutex);
}

void ck_postgres_note_commit(ck_postgres *self, ck_lease lease, int64_t checkpoint,
                             int64_t sent_us) {
  pthread_mutex_lock(&self->mutex);
  ck_postgres_owned *of = ck_postgres_find_owned(self, lease);
  if (of && of->renewed_us < sent_us) of->renewed_us = sent_us;
  if (of && checkpoint) of->checkpoint = checkpoint;
  pthread_mutex_unlock(&self->mutex);
}

ck_status ck_postgres_get_owned(ck_postgres_owned *out, ck_postgres *self, ck_lease lease) {
  *out = (ck_postgres_owned){0};
  pthread_mutex_lock(&self->mutex);
  ck_postgres_owned *of = ck_postgres_find_owned(self, lease);
  if (of) ck_postgres_has_lapsed(self, of);
  if (of) *out = *of;
  pthread_mutex_unlock(&self->mutex);
  return out->lapsed ? CK_E_LAPSED : CK_OK;
}

ck_status ck_postgres_check_lapse(void *to, ck_lease lease, ck_error *err) {
  ck_postgres *self = to;
  pthread_mutex_lock(&self->mutex);
  ck_postgres_owned *of = ck_postgres_find_owned(self, lease);
  bool lapsed = of && ck_postgres_has_lapsed(self, of);
  pthread_mutex_unlock(&self->mutex);
  if (!lapsed) return CK_OK;
  return ck_error_set(err, CK_E_LAPSED,
                      "store %s: the session's lease could not be renewed for %.1f s; all is "
                      "stopped before another host can take it. 'ckrun resume' goes on when the "
                      "server answers",
                      self->url.name, (double)(self->url.lease_ms - self->url.margin_ms) / 1000);
}

/* ---- the thread ---- */

/* *next: when to look again. True: one has lapsed since the last look. With the mutex. */
static bool look(int64_t *next, ck_postgres *self) {
  bool fresh = false, all = self->owned != NULL;
  *next = ck_postgres_now_us() + LOOK_US;
  for (ck_postgres_owned *at = self->owned; at; at = at->next_owned) {
    bool lapsed = ck_postgres_has_lapsed(self, at);
    fresh |= lapsed && !at->told;
    at->told = lapsed;
    all &= lapsed;
    if (!lapsed && end_of(self, at) < *next) *next = end_of(self, at);
  }
  if (fresh && all) ck_postgres_cut_off(self);
  return fresh;
}

static void tell(ck_postgres *self) {
  pthread_mutex_lock(&self->telling);
  if (self->lapse) self->lapse(self->lapse_to);
  pthread_mutex_unlock(&self->telling);
}

static void *run(void *to) {
  ck_postgres *self = to;
  int64_t next;
  pthread_mutex_lock(&self->mutex);
  while (!self->ends) {
    if (look(&next, self)) {
      pthread_mutex_unlock(&self->mutex);
      tell(self);
      pthread_mutex_lock(&self->mutex);
      continue;
    }
    struct timespec until;
    ck_postgres_wait_until(&until, (next - ck_postgres_now_us()) / 1000 + 1);
    (void)pthread_cond_timedwait(&self->changed, &self->mutex, &until);
  }
  pthread_mutex_unlock(&self->mutex);
  return NULL;
}

ck_status ck_postgres_begin_guard(ck_postgres *self, ck_error *err) {
  if (self->guarded) return CK_OK;
  int failed = ck_postgres_begin_thread(&self->guard, run, self);
  self->guarded = !failed;
  if (!failed) return CK_OK;
  return ck_error_set(err, CK_E_UNAVAILABLE, "cannot start the thread that watches leases: %s",
                      strerror(failed));
}

static void watch_lapse(void *to, ck_lapse_call call, void *of) {
  ck_postgres *self = to;
  pthread_mutex_lock(&self->telling);
  self->lapse = call;
  self->lapse_to = of;
  pthread_mutex_unlock(&self->telling);
}

void ck_postgres_add_lapse(ck_backend *backend) {
  backend->lapse.watch = watch_lapse;
  backend->lapse.check = ck_postgres_check_lapse;
}
