/* command_result.c - distinguishes results from errors, and words the errors. */
#include "core/effect/process/command_result.h"

#include <stdio.h>
#include <string.h>

#include "core/base/shortage.h"
#include "core/effect/process/ending.h"

static ck_bytes trim(ck_bytes text) {
  while (text.len && strchr(" \t\r\n", text.data[text.len - 1]) && text.data[text.len - 1])
    text.len--;
  while (text.len && strchr(" \t\r\n", *text.data) && *text.data) {
    text.data++;
    text.len--;
  }
  return text;
}

static ck_status make_result(ck_outcome **out, ck_bytes output, ck_error *err) {
  ck_value *value = NULL;
  ck_bytes json = trim(output);
  if (output.len && output.data[output.len - 1] == '\n') output.len--;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_json_check(json, &ignored);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  status = status ? ck_value_text(&value, output, err) : ck_value_copy(&value, json, err);
  if (!status) status = ck_outcome_new(out, CK_OUTCOME_OK, value, NULL, err);
  ck_value_free(value);
  return status;
}

static ck_status make_error(ck_outcome **out, ck_outcome_status as, const char *name,
                            const ck_child_end *end, ck_error *err) {
  ck_value *value = NULL;
  ck_buffer text = {0};
  ck_error line = CK_ERROR_INIT;
  ck_buffer_append_format(&text, "%.64s: ", name);
  ck_ending_append_reason(&text, end);
  ck_ending_append_tail(&text, "\n", end->error, CK_COMMAND_TEXT_MAX);
  ck_ending_append_tail(&text, "\n", end->output, CK_COMMAND_TEXT_MAX);
  ck_status status = ck_buffer_check(&text, err);
  if (!status) status = ck_value_text(&value, ck_buffer_bytes(&text), err);
  if (!status) {
    ck_error_set(&line, CK_E_FAILED, "%s", text.data);
    status = ck_outcome_new(out, as, as == CK_OUTCOME_FAILED ? NULL : value, line.text, err);
  }
  ck_value_free(value);
  ck_buffer_clear(&text);
  return status;
}

/* A refusal by the machine or its user is not the tool's answer: the effect was not carried out. */
static ck_status failed_class(const ck_child_end *end) {
  switch (end->ending) {
    case CK_CHILD_CANCELLED:
      return CK_E_INTERRUPTED;
    case CK_CHILD_UNSTARTED:
      return ck_shortage_text(end->code) ? CK_E_UNAVAILABLE : CK_OK;
    default:
      return CK_OK;
  }
}

ck_status ck_command_outcome(ck_outcome **out, const char *name, const ck_child_end *end,
                             bool probe, ck_error *err) {
  *out = NULL;
  bool exited = end->ending == CK_CHILD_EXITED;
  if (exited && end->code == 0) return make_result(out, end->output, err);
  if (exited && end->code == 1 && probe)
    return ck_outcome_new(out, CK_OUTCOME_ABSENT, NULL, NULL, err);
  ck_status class = failed_class(end);
  ck_outcome_status as = probe || ck_ending_is_unknown(end) ? CK_OUTCOME_UNKNOWN
                         : class                            ? CK_OUTCOME_FAILED
                                                            : CK_OUTCOME_ERROR;
  ck_status status = make_error(out, as, name, end, err);
  if (!status) (*out)->error_status = end->ending == CK_CHILD_FLOODED ? CK_E_OVERSIZE : class;
  return status;
}
