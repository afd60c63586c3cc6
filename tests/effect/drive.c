/* drive.c - a sink that keeps the updates and the outcome. */
#include "tests/effect/drive.h"

#include "tests/tap.h"

/* Reports failures only: it is checked thousands of times. */
#define must(...)                                            \
  do {                                                       \
    if (!(__VA_ARGS__)) tap_must(false, "%s", #__VA_ARGS__); \
  } while (0)

static void on_update(ck_effect_sink *sink, ck_bytes chunk) {
  drive *self = (drive *)sink;
  self->updates++;
  ck_buffer_reset(&self->update);
  ck_buffer_append_bytes(&self->update, chunk);
}

static void on_done(ck_effect_sink *sink, ck_outcome *outcome) {
  drive *self = (drive *)sink;
  self->delivered++;
  self->too_early |= self->inside;
  ck_outcome_free(self->outcome);
  self->outcome = outcome;
  ck_loop_stop(self->loop);
}

void drive_init(drive *self, ck_loop *loop) {
  *self = (drive){.sink = {.update = on_update, .done = on_done}, .loop = loop};
}

void drive_clear(drive *self) {
  ck_outcome_free(self->outcome);
  self->outcome = NULL;
  ck_buffer_clear(&self->update);
}

ck_status drive_begin(ck_effect_run **out, drive *self, const ck_effect_driver *driver,
                      const ck_effect *effect, bool probe) {
  ck_error err = CK_ERROR_INIT;
  drive_clear(self);
  self->delivered = self->updates = 0;
  self->inside = true;
  ck_status status =
      (probe ? driver->probe : driver->start)(out, driver->self, effect, &self->sink, &err);
  self->inside = false;
  if (status) tap_diag("%s", err.text);
  return status;
}

void drive_wait(drive *self) {
  while (self->delivered == 0) ck_loop_run(self->loop);
}

const ck_outcome *drive_effect(drive *self, const ck_effect_driver *driver, const ck_effect *effect,
                               bool probe) {
  ck_effect_run *run = NULL;
  must(drive_begin(&run, self, driver, effect, probe) == CK_OK);
  drive_wait(self);
  if (self->delivered != 1 || self->too_early)
    tap_ok(false, "done is called once, and not from within start");
  return self->outcome;
}
