/* error.c - errors of a call that are reported to the model. */
#include "core/effect/mcp/private.h"

void ck_mcp_report_error(ck_effect_run *run, const char *text) {
  ck_outcome *outcome = NULL;
  ck_value *value = NULL;
  ck_error line, ignored = CK_ERROR_INIT;
  if (run->probe) {
    ck_pending_call_end(&run->pending, CK_OUTCOME_UNKNOWN, CK_OK, text);
    return;
  }
  ck_error_set(&line, CK_E_FAILED, "%s", text);
  if (ck_value_text(&value, ck_bytes_text(text), &ignored) == CK_OK) {
    if (ck_outcome_new(&outcome, CK_OUTCOME_ERROR, value, line.text, &ignored) != CK_OK)
      outcome = NULL;
  }
  ck_value_free(value);
  ck_mcp_deliver(run, outcome);
}
