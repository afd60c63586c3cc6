/* passed_over.c - records that a model of a chain may not be asked. */
#include "core/runtime/execution/passed_over.h"

#include <string.h>

#include "core/base/text.h"
/* Who is to mend the failure is told why nobody else was asked. */
static void add_denial(ck_error *failure, const ck_call *self, const char *why) {
  size_t len = strlen(failure->text);
  ck_text_format(failure->text + len, sizeof failure->text - len,
                 "; model \"%.64s\" is not asked: %s",
                 self->effect.model ? self->effect.model : "of the flow", why);
}

ck_status ck_call_pass_over(ck_call *self, ck_outcome *denied, const char *via, ck_error *err) {
  denied->status = CK_OUTCOME_FAILED;
  denied->error_status = self->failure.status;
  add_denial(&self->failure, self, denied->error ? denied->error : "denied");
  ck_outcome_free(self->outcome);
  ck_status status = ck_call_record(self, denied, via, err);
  self->phase = CK_CALL_PASSED;
  ck_runner_wake(self->runner);
  return status;
}
