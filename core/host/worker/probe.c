/* probe.c - a thread that asks a store for a session, and notes when it was answered. */
#include "core/host/worker/probe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/clock.h"

enum { PERIOD_MS = 500 };

struct ck_probe {
  ck_store *store;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ending;
  bool ends;
  int64_t answered_us; /* monotonic: when it was asked what was answered last */
  char why[CK_ERROR_TEXT_MAX];
};

static int64_t now_us(void) {
  ck_clock clock = ck_clock_system();
  return clock.mono_us(clock.self);
}

/* That there is no such session is an answer. */
static void ask(ck_probe *self) {
  ck_error problem = CK_ERROR_INIT;
  ck_session_record record = {0};
  int64_t asked_us = now_us();
  ck_status status = ck_store_get_session(&record, self->store, "-", &problem);
  ck_session_record_clear(&record);
  bool answered = status == CK_OK || status == CK_E_NOT_FOUND;
  pthread_mutex_lock(&self->lock);
  if (answered) self->answered_us = asked_us;
  snprintf(self->why, sizeof self->why, "%s", answered ? "" : problem.text);
  pthread_mutex_unlock(&self->lock);
}

static bool wait_for_end(ck_probe *self) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += PERIOD_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_mutex_lock(&self->lock);
  if (!self->ends) pthread_cond_timedwait(&self->ending, &self->lock, &until);
  bool ends = self->ends;
  pthread_mutex_unlock(&self->lock);
  return ends;
}

static void *run(void *to) {
  ck_probe *self = to;
  while (!wait_for_end(self)) ask(self);
  return NULL;
}

/* A clock that is set does not hold the questions up. */
static void init_condition(pthread_cond_t *out) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(out, &attributes);
  pthread_condattr_destroy(&attributes);
}

ck_status ck_probe_start(ck_probe **out, ck_store *store, ck_error *err) {
  ck_probe *self = calloc(1, sizeof *self);
  *out = NULL;
  if (!self) return ck_error_no_memory(err);
  self->store = store;
  self->answered_us = now_us();
  pthread_mutex_init(&self->lock, NULL);
  init_condition(&self->ending);
  int failed = pthread_create(&self->thread, NULL, run, self);
  if (!failed) {
    *out = self;
    return CK_OK;
  }
  pthread_cond_destroy(&self->ending);
  pthread_mutex_destroy(&self->lock);
  free(self);
  return ck_error_set(err, CK_E_UNAVAILABLE, "a thread cannot be started: %s", strerror(failed));
}

void ck_probe_stop(ck_probe *self) {
  if (!self) return;
  pthread_mutex_lock(&self->lock);
  self->ends = true;
  pthread_cond_signal(&self->ending);
  pthread_mutex_unlock(&self->lock);
  pthread_join(self->thread, NULL);
  pthread_cond_destroy(&self->ending);
  pthread_mutex_destroy(&self->lock);
  free(self);
}

int64_t ck_probe_age(char why[CK_ERROR_TEXT_MAX], ck_probe *self) {
  pthread_mutex_lock(&self->lock);
  int64_t age_us = now_us() - self->answered_us;
  memcpy(why, self->why, sizeof self->why);
  pthread_mutex_unlock(&self->lock);
  return age_us / 1000;
}
