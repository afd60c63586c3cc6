/* errand.c - keeps what is under way in a ring, and puts each outcome off to the loop's next turn. */
#include "core/effect/errand.h"

#include <stdlib.h>

void ck_errands_init(ck_errands *out, ck_loop *loop, size_t size, void (*clear)(ck_effect_run *run)) {
  *out = (ck_errands){.loop = loop, .size = size, .clear = clear};
  out->end.next = out->end.previous = &out->end;
}

ck_effect_run *ck_errands_next(const ck_errands *self, const ck_effect_run *run) {
  ck_errand *next = run ? ((const ck_errand *)run)->next : self->end.next;
  return next == &self->end ? NULL : (ck_effect_run *)next;
}

static void remove_errand(ck_errand *self) {
  self->previous->next = self->next;
  self->next->previous = self->previous;
  ck_loop_withdraw(&self->task);
  ck_outcome_free(self->spare);
  ck_outcome_free(self->outcome);
  self->ring->clear((ck_effect_run *)self);
  free(self);
}

void ck_errands_clear(ck_errands *self) {
  while (self->end.next != &self->end) remove_errand(self->end.next);
}

ck_status ck_errand_new(ck_effect_run **out, ck_errands *ring, const ck_effect *effect, ck_effect_sink *sink, ck_error *err) {
  *out = NULL;
  ck_errand *self = calloc(1, ring->size);
  if (!self) return ck_error_no_memory(err);
  *self = (ck_errand){.ring = ring, .effect = effect, .sink = sink};
  ck_status status = ck_outcome_new(&self->spare, CK_OUTCOME_FAILED, NULL, ck_status_text(CK_E_NO_MEMORY), err);
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

bool ck_errand_is_in_doubt(const ck_errand *self) {
  return self->probes || (self->sent && !ck_effect_class_repeats(self->effect->class));
}

static void on_due(void *to) {
  ck_errand *self = to;
  ck_effect_sink *sink = self->sink;
  ck_outcome *outcome = self->outcome;
  self->outcome = NULL;
  remove_errand(self);
  sink->done(sink, outcome);
}

void ck_errand_deliver(ck_errand *self, ck_outcome *outcome) {
  self->outcome = outcome;
  if (!outcome) {
    self->outcome = self->spare;
    self->spare = NULL;
    if (ck_errand_is_in_doubt(self)) self->outcome->status = CK_OUTCOME_UNKNOWN;
  }
  ck_loop_defer(self->ring->loop, &self->task, on_due, self);
}

void ck_errand_end(ck_errand *self, ck_outcome_status status, ck_status class, const char *why) {
  ck_outcome *outcome = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_outcome_new(&outcome, status, NULL, why, &ignored) == CK_OK) {
    outcome->error_status = class;
    outcome->cost_micros = self->cost_micros;
  }
  ck_errand_deliver(self, outcome);
}

void ck_errand_lose(ck_errand *self, ck_status class, const char *why) {
  bool never = !self->sent && class == CK_E_INTERRUPTED;
  ck_errand_end(self, ck_errand_is_in_doubt(self) ? CK_OUTCOME_UNKNOWN : never ? CK_OUTCOME_ABSENT : CK_OUTCOME_FAILED, class, why);
}
