/* timing.c - measures checkpoints, from the flow's yield to the acknowledgement that they are
 * durable. */
#include "core/host/run/timing.h"

#include <string.h>

const int64_t ck_timing_bounds_ms[CK_TIMING_BOUND_COUNT] = {1,   2,   5,   10,   20,  50,
                                                            100, 200, 500, 1000, 5000};

static void count_within(ck_timing *self, int64_t took_us) {
  size_t i = 0;
  while (i < CK_TIMING_BOUND_COUNT && took_us > ck_timing_bounds_ms[i] * 1000) i++;
  if (i < CK_TIMING_BOUND_COUNT) self->within[i]++;
}

static int64_t now_us(const ck_timing *self) { return self->clock.mono_us(self->clock.self); }

void ck_timing_begin(ck_timing *self, const ck_saved *saved) {
  if (!saved || !saved->taken || self->open_count == CK_TIMING_OPEN_MAX) return;
  self->open[self->open_count].ticket = saved->ticket;
  self->open[self->open_count].begun_us = now_us(self);
  self->open_count++;
}

void ck_timing_update(ck_timing *self) {
  ck_error ignored = CK_ERROR_INIT;
  size_t done = 0;
  while (done < self->open_count &&
         ck_session_peek(self->session, self->open[done].ticket, &ignored) == CK_OK &&
         !ck_session_is_unsaved(self->session, self->open[done].ticket)) {
    int64_t took = now_us(self) - self->open[done].begun_us;
    self->count++;
    self->sum_us += took;
    count_within(self, took);
    if (took > self->max_us) self->max_us = took;
    done++;
  }
  self->open_count -= done;
  memmove(self->open, self->open + done, self->open_count * sizeof *self->open);
}
