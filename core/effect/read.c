/* read.c - answers reads of clock and randomness at once. */
#include "core/effect/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/effect/reply.h"

enum { RANDOM_BITS = 53 }; /* a double holds whole numbers of that many bits */

typedef struct read_driver {
  ck_effect_driver driver;
  ck_clock clock;
  ck_replies replies;
} read_driver;

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_READ;
}

static ck_status read_random(int64_t *out, ck_error *err) {
  uint64_t bits;
  ssize_t len;
  do len = getrandom(&bits, sizeof bits, 0);
  while (len < 0 && errno == EINTR);
  if (len != sizeof bits)
    return ck_error_set(err, CK_E_FAILED, "the kernel gives no random number: %s", strerror(errno));
  *out = (int64_t)(bits >> (64 - RANDOM_BITS));
  return CK_OK;
}

static ck_status read_number(int64_t *out, const read_driver *self, ck_bytes request,
                             ck_error *err) {
  ck_bytes what = ck_json_get(request, "what");
  *out = 0;
  if (ck_json_is_text(what, "random")) return read_random(out, err);
  if (!ck_json_is_text(what, "clock"))
    return ck_error_set(err, CK_E_FLOW, "a read takes what = \"clock\" or \"random\", not %.*s",
                        what.len ? (int)what.len : 7, what.len ? what.data : "nothing");
  *out = self->clock.wall_ms(self->clock.self);
  return CK_OK;
}

static ck_status make_outcome(ck_outcome **out, int64_t number, ck_error *err) {
  char text[24];
  ck_value *value = NULL;
  snprintf(text, sizeof text, "%lld", (long long)number);
  ck_status status = ck_value_copy(&value, ck_bytes_text(text), err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, value, NULL, err);
  ck_value_free(value);
  return status;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  read_driver *self = to;
  ck_error failure = CK_ERROR_INIT;
  ck_outcome *outcome = NULL;
  int64_t number;
  *out = NULL;
  if (read_number(&number, self, effect->request, &failure) != CK_OK)
    return ck_reply_failed(out, &self->replies, &failure, sink, err);
  ck_status status = make_outcome(&outcome, number, err);
  return status == CK_OK ? ck_reply(out, &self->replies, outcome, sink, err) : status;
}

/* Nothing to do: the outcome is already on its way. */
static void cancel(void *self, ck_effect_run *run) { (void)self, (void)run; }

static void free_driver(void *to) {
  read_driver *self = to;
  ck_replies_clear(&self->replies);
  free(self);
}

ck_status ck_read_driver_new(ck_effect_driver **out, ck_loop *loop, ck_clock clock, ck_error *err) {
  *out = NULL;
  read_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->clock = clock;
  self->replies.loop = loop;
  self->driver = (ck_effect_driver){.name = "read",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
