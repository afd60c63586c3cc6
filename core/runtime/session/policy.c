/* policy.c - the engine of a session that names no policies. */
#include "core/runtime/session/policy.h"

#include <stdlib.h>

void ck_decision_clear(ck_decision *self) {
  ck_value_free(self->reasons);
  *self = (ck_decision){0};
}

void ck_resume_rules_clear(ck_resume_rules *self) {
  free(self->refusal);
  free(self->question);
  free(self->asked_by);
  free(self->answers);
  *self = (ck_resume_rules){0};
}

void ck_leave_clear(ck_leave *self) {
  free(self->policies);
  free(self->text);
  *self = (ck_leave){0};
}

static ck_status always(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self, (void)at, (void)err;
  *out = (ck_decision){.take = true, .sync = true};
  return CK_OK;
}

const ck_policy_engine ck_policy_always = {.checkpoint = always};
