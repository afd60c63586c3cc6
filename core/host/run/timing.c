/* timing.c - measures checkpoints, from the flow's yield to the acknowledgement that they are
 * durable. */
#include "core/host/run/timing.h"

#include <string.h>

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
    if (took > self->max_us) self->max_us = took;
    done++;
  }
  self->open_count -= done;
  memmove(self->open, self->open + done, self->open_count * sizeof *self->open);
}
