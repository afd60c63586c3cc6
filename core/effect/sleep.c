/* sleep.c - one timer per sleep, which compares both clocks when it fires. */
#include "core/effect/sleep.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "core/effect/reply.h"

/* The timer's clock stops while the machine is suspended: the wall clock is checked this often. */
enum { CHECK_MS = 30000 };

typedef struct sleep_driver sleep_driver;

struct ck_effect_run {
  uv_timer_t timer;
  sleep_driver *driver;
  ck_effect_sink *sink; /* NULL: the outcome is delivered to nobody */
  ck_outcome *outcome;  /* allocated at the start, so that the end needs no memory */
  int64_t wall_end_ms, mono_end_us;
  ck_effect_run *next, *previous;
};

struct sleep_driver {
  ck_effect_driver driver;
  ck_clock clock;
  ck_loop *loop;
  ck_replies replies;
  ck_effect_run *runs;
};

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_SLEEP;
}

static void unlink_run(ck_effect_run *run) {
  if (run->previous)
    run->previous->next = run->next;
  else
    run->driver->runs = run->next;
  if (run->next) run->next->previous = run->previous;
}

static void on_closed(uv_handle_t *timer) {
  ck_effect_run *run = timer->data;
  if (run->sink)
    run->sink->done(run->sink, run->outcome);
  else
    ck_outcome_free(run->outcome);
  free(run);
}

static void finish(ck_effect_run *run) {
  unlink_run(run);
  uv_close((uv_handle_t *)&run->timer, on_closed);
}

static int64_t left_ms(const ck_effect_run *run) {
  const ck_clock *clock = &run->driver->clock;
  int64_t wall = run->wall_end_ms - clock->wall_ms(clock->self);
  int64_t mono = (run->mono_end_us - clock->mono_us(clock->self) + 999) / 1000;
  return wall < mono ? wall : mono;
}

static void wait_on(uv_timer_t *timer) {
  ck_effect_run *run = timer->data;
  int64_t left = left_ms(run);
  if (left <= 0)
    finish(run);
  else
    uv_timer_start(timer, wait_on, (uint64_t)(left < CHECK_MS ? left : CHECK_MS), 0);
}

static ck_status begin(ck_effect_run **out, sleep_driver *self, const ck_effect *effect, int64_t ms,
                       ck_error *err) {
  ck_effect_run *run = calloc(1, sizeof *run);
  if (!run) return ck_error_no_memory(err);
  ck_status status = ck_outcome_new(&run->outcome, CK_OUTCOME_OK, NULL, NULL, err);
  if (status != CK_OK) {
    free(run);
    return status;
  }
  int64_t now = self->clock.wall_ms(self->clock.self),
          begun = effect->begun_ms > 0 && effect->begun_ms < now ? effect->begun_ms : now;
  run->wall_end_ms = begun + ms;
  run->mono_end_us = self->clock.mono_us(self->clock.self) + ms * 1000;
  run->driver = self;
  run->next = self->runs;
  if (run->next) run->next->previous = run;
  self->runs = run;
  *out = run;
  return CK_OK;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  sleep_driver *self = to;
  ck_error failure = CK_ERROR_INIT;
  int64_t ms, most_ms = INT64_MAX / 4000;
  *out = NULL;
  if (!ck_json_read_int(&ms, ck_json_get(effect->request, "ms")) || ms < 0 || ms > most_ms) {
    ck_error_set(&failure, CK_E_FLOW, "a sleep takes ms, a whole number from 0");
    return ck_reply_failed(out, &self->replies, &failure, sink, err);
  }
  ck_status status = begin(out, self, effect, ms, err);
  if (status != CK_OK) return status;
  uv_loop_t *loop = ck_loop_uv(self->loop);
  uv_update_time(loop);
  uv_timer_init(loop, &(*out)->timer);
  (*out)->timer.data = *out;
  (*out)->sink = sink;
  int64_t left = left_ms(*out);
  uv_timer_start(&(*out)->timer, wait_on,
                 left > 0 ? (uint64_t)(left < CHECK_MS ? left : CHECK_MS) : 0, 0);
  return CK_OK;
}

static void cancel(void *to, ck_effect_run *run) {
  sleep_driver *self = to;
  ck_effect_run *known = self->runs;
  while (known && known != run) known = known->next;
  if (!known || uv_is_closing((uv_handle_t *)&run->timer)) return;
  run->outcome->status = CK_OUTCOME_FAILED;
  run->outcome->error_status = CK_E_INTERRUPTED;
  run->outcome->error = strdup("cancelled");
  finish(run);
}

static void free_driver(void *to) {
  sleep_driver *self = to;
  while (self->runs) {
    self->runs->sink = NULL;
    finish(self->runs);
  }
  ck_replies_clear(&self->replies);
  free(self);
}

ck_status ck_sleep_driver_new(ck_effect_driver **out, ck_loop *loop, ck_clock clock,
                              ck_error *err) {
  *out = NULL;
  sleep_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->clock = clock;
  self->loop = self->replies.loop = loop;
  self->driver = (ck_effect_driver){.name = "sleep",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
