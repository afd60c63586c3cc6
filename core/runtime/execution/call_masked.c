/* call_masked.c - refuses calls and programs that would work with a placeholder in the place of
 * what was asked for. */
#include "core/runtime/execution/call_masked.h"

#include "core/redact/redact.h"
#include "core/runtime/execution/call_permit.h"
#include "core/runtime/execution/said_masked.h"

/* The model gets an error, and can call again. */
static ck_status refuse_tool(ck_call *self, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_outcome_new(
      &outcome, CK_OUTCOME_ERROR, NULL,
      "not run: its arguments held a secret that was not stored; call it again with them", err);
  if (status == CK_OK) status = ck_permit_note_masked(outcome, self, err);
  return status == CK_OK ? ck_call_record(self, outcome, "redaction", err) : status;
}

/* Who repeats it would do it on the mask: with somebody else's name, for nobody. */
static ck_status refuse_program(ck_call *self, ck_bytes key, ck_bytes placeholder, ck_error *err) {
  ck_outcome *outcome;
  ck_buffer text = {0};
  ck_buffer_append_format(
      &text,
      "not run: %.*s stands in its request for what a person said of %.*s, which is masked in the "
      "store; a program of class %s is not run on it: go on with words that no policy masks, by "
      "'ckrun resume --set', or answer at the terminal of the run",
      (int)placeholder.len, placeholder.data, (int)key.len, key.data,
      ck_effect_class_name(self->effect.class));
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL, text.data, err);
  ck_buffer_clear(&text);
  if (status == CK_OK) status = ck_permit_note_masked(outcome, self, err);
  return status == CK_OK ? ck_call_record(self, outcome, "redaction", err) : status;
}

ck_status ck_call_refuse_masked(bool *refused, ck_call *self, ck_error *err) {
  const ck_effect *effect = &self->effect;
  bool program = effect->kind == CK_EFFECT_EXEC && effect->class != CK_EFFECT_PURE;
  ck_bytes placeholder, key;
  *refused = effect->kind == CK_EFFECT_TOOL && ck_redact_is_masked(effect->request);
  if (*refused) return refuse_tool(self, err);
  *refused = program && ck_said_masked_find(&placeholder, &key, self);
  return *refused ? refuse_program(self, key, placeholder, err) : CK_OK;
}
