/* timer.c - a libuv timer that frees itself when the loop has closed it. */
#include "core/effect/timer.h"

#include <stdlib.h>
#include <uv.h>

struct ck_timer {
  uv_timer_t handle;
  void (*due)(void *to);
  void *to;
};

static void on_due(uv_timer_t *handle) {
  ck_timer *self = handle->data;
  self->due(self->to);
}

static void on_closed(uv_handle_t *handle) { free(handle->data); }

ck_status ck_timer_new(ck_timer **out, ck_loop *loop, void (*due)(void *to), void *to,
                       ck_error *err) {
  *out = NULL;
  ck_timer *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->due = due;
  self->to = to;
  uv_timer_init(ck_loop_uv(loop), &self->handle);
  self->handle.data = self;
  *out = self;
  return CK_OK;
}

/* The loop's cached time may be as old as its last turn. */
void ck_timer_set(ck_timer *self, int64_t ms) {
  uv_update_time(self->handle.loop);
  uv_timer_start(&self->handle, on_due, ms > 0 ? (uint64_t)ms : 0, 0);
}

void ck_timer_stop(ck_timer *self) { uv_timer_stop(&self->handle); }

void ck_timer_free(ck_timer *self) {
  if (self) uv_close((uv_handle_t *)&self->handle, on_closed);
}
