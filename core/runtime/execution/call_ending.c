/* call_ending.c - an effect ended without telling its outcome: the ledger's table says what becomes
 * of it. */
#include "core/runtime/execution/call_private.h"
#include "core/runtime/execution/unsettled.h"

/* A call of a model names the id that the model gave it: there is someone who can be told. */
static bool is_called(const ck_effect *effect) {
  return effect->kind == CK_EFFECT_TOOL &&
         ck_json_type_of(ck_json_get(effect->request, "call_id")) == CK_JSON_STRING;
}

/* Attempts that end with self->lost. */
static unsigned attempts_of(const ck_call *self) {
  if (!self->lost) return 0;
  return self->lost->attempts > 0 ? self->lost->attempts : 1;
}

static bool has_tries_left(const ck_call *self) {
  const ck_effect_driver *driver = self->driver;
  unsigned tries = driver->tries ? driver->tries(driver->self, &self->effect) : CK_EFFECT_TRIES;
  return self->effect.lost + attempts_of(self) < tries;
}

/* A probe has told that nothing happened: nothing was lost, either. */
static ck_status run_again(ck_call *self, ck_effect_ending ending, ck_error *err) {
  self->effect.lost += attempts_of(self);
  if (ending == CK_ENDING_ABSENT) self->left_open = false;
  return ck_call_run_again(self, err);
}

/* Its tries are used up, and its service is away: time or a person can mend that. */
static ck_status give_up(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->lost;
  outcome->status = CK_OUTCOME_FAILED;
  ck_outcome_count_reserve(outcome, self->effect.reserve_micros);
  self->lost = NULL;
  self->left_open = false;
  self->outcome = outcome;
  return ck_call_handle_failure(self, err);
}

static ck_status tell(ck_call *self, ck_effect_ending ending, ck_error *err) {
  if (ending == CK_ENDING_ABSENT) return ck_call_tell(self, CK_OUTCOME_ERROR, err);
  return ck_effect_class_repeats(self->class) ? ck_call_tell(self, CK_OUTCOME_UNKNOWN, err)
                                              : ck_call_settle_doubt(self, CK_DOUBT_TELL, err);
}

ck_status ck_call_follow_ending(ck_call *self, ck_effect_ending ending, ck_error *err) {
  const ck_ledger_case found = {.class = self->class,
                                .state = CK_LEDGER_OPEN,
                                .ending = ending,
                                .acts = self->effect.kind != CK_EFFECT_MODEL,
                                .called = is_called(&self->effect),
                                .probes = ck_driver_probes(self->driver, &self->effect),
                                .tries_left = has_tries_left(self)};
  switch (ck_ledger_plan(&found).action) {
    case CK_PLAN_RUN:
      return run_again(self, ending, err);
    case CK_PLAN_PROBE:
      return ck_call_probe(self, err);
    case CK_PLAN_TELL:
      return tell(self, ending, err);
    case CK_PLAN_FAIL:
      return give_up(self, err);
    case CK_PLAN_LEAVE:
      self->phase = CK_CALL_LEFT;
      return CK_OK;
    default:
      return ck_call_settle_doubt(self, CK_DOUBT_STOP, err);
  }
}

/* One that a person decides about is as one that ended with an earlier process. */
static ck_effect_ending ending_of(const ck_call *self) {
  ck_status cause = self->lost->error_status;
  if (self->lost->to_person && !ck_driver_probes(self->driver, &self->effect))
    return CK_ENDING_UNTOLD_OF_EARLIER;
  return cause == CK_E_INTERRUPTED   ? CK_ENDING_CANCELLED
         : cause == CK_E_UNAVAILABLE ? CK_ENDING_CUT
                                     : CK_ENDING_UNKNOWN;
}

ck_status ck_call_take_unknown(ck_call *self, ck_error *err) {
  ck_outcome_free(self->lost);
  self->lost = self->outcome;
  self->outcome = NULL;
  self->left_open = !self->settled;
  return ck_call_follow_ending(self, ending_of(self), err);
}

ck_status ck_call_complete_probe(ck_call *self, ck_error *err) {
  ck_outcome *found = self->outcome;
  self->outcome = NULL;
  bool absent = found->status == CK_OUTCOME_ABSENT;
  bool known = found->status == CK_OUTCOME_OK || found->status == CK_OUTCOME_ERROR ||
               found->status == CK_OUTCOME_ENDED;
  if (known || absent) ck_unsettled_release(self);
  if (known) self->left_open = false;
  if (known) return ck_call_record(self, found, self->driver->name, err);
  bool interrupted = !absent && found->error_status == CK_E_INTERRUPTED;
  ck_outcome_free(found);
  if (interrupted && self->runner->execution->ending.status) { /* a resume probes again */
    self->phase = CK_CALL_LEFT;
    return CK_OK;
  }
  return ck_call_follow_ending(self,
                               absent                                 ? CK_ENDING_ABSENT
                               : self->lost && !self->lost->to_person ? CK_ENDING_UNTOLD
                                                                      : CK_ENDING_UNTOLD_OF_EARLIER,
                               err);
}
