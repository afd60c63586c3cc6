/* trouble.c - counts failures in a row, and says when to try again. */
#include "core/host/worker/trouble.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"

enum { WAIT_MAX_MS = 60000, DOUBLINGS_MAX = 16 };

bool ck_trouble_may_pass(ck_status status) {
  static const ck_status passing[] = {CK_E_IO,      CK_E_FULL,        CK_E_BUSY,
                                      CK_E_UNKNOWN, CK_E_UNAVAILABLE, CK_E_NO_MEMORY};
  for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
    if (status == passing[i]) return true;
  return false;
}

void ck_trouble_note(ck_trouble *self, ck_output *output, const char *text, int64_t now_us) {
  int64_t doublings = self->times < DOUBLINGS_MAX ? self->times : DOUBLINGS_MAX;
  int64_t wait_ms = self->first_ms << doublings;
  if (wait_ms > WAIT_MAX_MS) wait_ms = WAIT_MAX_MS;
  bool known = self->times > 0 && strcmp(self->text, text) == 0;
  self->times++;
  self->until_us = now_us + wait_ms * 1000;
  snprintf(self->text, sizeof self->text, "%s", text);
  if (!known) ck_output_notice(output, "%s: %s; tried again until it works", self->without, text);
}

static int64_t mono_us(void) {
  ck_clock clock = ck_clock_system();
  return clock.mono_us(clock.self);
}

ck_status ck_trouble_take(ck_trouble *self, ck_output *output, ck_status status,
                          const ck_error *problem, ck_error *err) {
  if (!ck_trouble_may_pass(status)) return ck_error_set(err, status, "%s", problem->text);
  ck_trouble_note(self, output, problem->text, mono_us());
  return CK_OK;
}

int ck_trouble_left_ms(const ck_trouble *self) {
  int64_t left_us = self->times ? self->until_us - mono_us() : 0;
  return left_us > 0 ? (int)(left_us / 1000 + 1) : 0;
}

void ck_trouble_end(ck_trouble *self, ck_output *output) {
  if (self->times) ck_output_notice(output, "works again");
  self->times = self->until_us = 0;
  self->text[0] = 0;
}
