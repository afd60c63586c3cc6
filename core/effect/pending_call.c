/* pending_call.c - keeps pending calls in a ring, and defers each outcome to the loop's next
 * turn. */
#include "core/effect/pending_call.h"

#include <stdlib.h>

void ck_pending_calls_init(ck_pending_calls *out, ck_loop *loop, size_t size,
                           void (*clear)(ck_effect_run *run)) {
  *out = (ck_pending_calls){.loop = loop, .size = size, .clear = clear};
  out->end.next = out->end.previous = &out->end;
}

ck_effect_run *ck_pending_calls_next(const ck_pending_calls *self, const ck_effect_run *run) {
  ck_pending_call *next = run ? ((const ck_pending_call *)run)->next : self->end.next;
  return next == &self->end ? NULL : (ck_effect_run *)next;
}

static void remove_errand(ck_pending_call *self) {
  self->previous->next = self->next;
  self->next->previous = self->previous;
  ck_loop_withdraw(&self->task);
  ck_outcome_free(self->spare);
  ck_outcome_free(self->outcome);
  self->ring->clear((ck_effect_run *)self);
  free(self);
}

void ck_pending_calls_clear(ck_pending_calls *self) {
  while (self->end.next != &self->end) remove_errand(self->end.next);
}

ck_status ck_pending_call_new(ck_effect_run **out, ck_pending_calls *ring, const ck_effect *effect,
                              ck_effect_sink *sink, ck_error *err) {
  *out = NULL;
  ck_pending_call *self = calloc(1, ring->size);
  if (!self) return ck_error_no_memory(err);
  *self = (ck_pending_call){.ring = ring, .effect = effect, .sink = sink};
  ck_status status =
      ck_outcome_new(&self->spare, CK_OUTCOME_FAILED, NULL, ck_status_text(CK_E_NO_MEMORY), err);
  if (status != CK_OK) {
    free(self);
    return status;
  }
  self->spare->error_status = CK_E_NO_MEMORY;
  self->next = &ring->end;
  self->previous = ring->end.previous;
  self->previous->next = self->next->previous = self;
  *out = (ck_effect_run *)self;
  return CK_OK;
}

bool ck_pending_call_is_in_doubt(const ck_pending_call *self) {
  return self->probes || (self->sent && !ck_effect_class_repeats(self->effect->class));
}

static void on_due(void *to) {
  ck_pending_call *self = to;
  ck_effect_sink *sink = self->sink;
  ck_outcome *outcome = self->outcome;
  self->outcome = NULL;
  remove_errand(self);
  sink->done(sink, outcome);
}

void ck_pending_call_deliver(ck_pending_call *self, ck_outcome *outcome) {
  self->outcome = outcome;
  if (!outcome) {
    self->outcome = self->spare;
    self->spare = NULL;
    if (ck_pending_call_is_in_doubt(self)) self->outcome->status = CK_OUTCOME_UNKNOWN;
  }
  ck_loop_defer(self->ring->loop, &self->task, on_due, self);
}

void ck_pending_call_end(ck_pending_call *self, ck_outcome_status status, ck_status class,
                         const char *why) {
  ck_outcome *outcome = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_outcome_new(&outcome, status, NULL, why, &ignored) == CK_OK) {
    outcome->error_status = class;
    outcome->cost_micros = self->cost_micros;
  }
  ck_pending_call_deliver(self, outcome);
}

void ck_pending_call_lose(ck_pending_call *self, ck_status class, const char *why) {
  bool never = !self->sent && class == CK_E_INTERRUPTED,
       cut = self->sent && (class == CK_E_UNAVAILABLE || class == CK_OK);
  ck_pending_call_end(self,
                      cut || ck_pending_call_is_in_doubt(self) ? CK_OUTCOME_UNKNOWN
                      : never                                  ? CK_OUTCOME_ABSENT
                                                               : CK_OUTCOME_FAILED,
                      class, why);
}
