/* exec_result.c - writes the result of a program, and words its failures. */
#include "core/effect/process/exec_result.h"

#include <errno.h>

#include "core/base/shortage.h"
#include "core/effect/process/ending.h"
#include "core/effect/process/exec.h"

static void write_spill(ck_json_writer *w, const ck_exec_output outputs[2]) {
  if (!outputs[0].path && !outputs[1].path) return;
  ck_json_name(w, "spill");
  ck_json_begin(w, '{');
  for (int i = 0; i < 2; i++) ck_json_member_text(w, outputs[i].name, outputs[i].path);
  ck_json_end(w, '}');
}

static void write_flags(ck_json_writer *w, const ck_child_end *end,
                        const ck_exec_output outputs[2]) {
  const char *lost = NULL;
  for (int i = 1; i >= 0; i--)
    if (outputs[i].lost.status != CK_OK) lost = outputs[i].lost.text;
  ck_json_member_text(w, "spill_lost", lost);
  if (end->ending == CK_CHILD_LATE || end->late) ck_json_member_bool(w, "timed_out", true);
  if (end->ending == CK_CHILD_FLOODED) ck_json_member_bool(w, "flooded", true);
  if (ck_exec_output_is_lossy(&outputs[0]) || ck_exec_output_is_lossy(&outputs[1]))
    ck_json_member_bool(w, "lossy", true);
}

static ck_status make_result(ck_value **out, const ck_child_end *end,
                             const ck_exec_output outputs[2], ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  if (end->ending == CK_CHILD_EXITED) ck_json_member_int(&w, "exit", end->code);
  if (end->ending == CK_CHILD_KILLED) ck_json_member_int(&w, "signal", end->code);
  for (int i = 0; i < 2; i++)
    ck_json_member_string(&w, outputs[i].name, ck_exec_output_kept(&outputs[i]));
  ck_json_member_int(&w, "stdout_bytes", (int64_t)outputs[0].total);
  ck_json_member_int(&w, "stderr_bytes", (int64_t)outputs[1].total);
  write_spill(&w, outputs);
  write_flags(&w, end, outputs);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

static ck_status make_line(ck_error *out, const char *program, const ck_child_end *end,
                           const ck_exec_output outputs[2], ck_error *err) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%.128s: ", program);
  ck_ending_append_reason(&text, end);
  bool appended =
      ck_ending_append_tail(&text, ": ", ck_buffer_bytes(&outputs[1].end), CK_ERROR_TEXT_MAX / 2);
  if (!appended)
    ck_ending_append_tail(&text, ": ", ck_buffer_bytes(&outputs[0].end), CK_ERROR_TEXT_MAX / 2);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) ck_error_set(out, CK_E_FAILED, "%s", text.data);
  ck_buffer_clear(&text);
  return status;
}

/* The effect was not carried out. */
static ck_status failed_class(const ck_child_end *end) {
  if (end->ending == CK_CHILD_CANCELLED) return CK_E_INTERRUPTED;
  if (end->ending != CK_CHILD_UNSTARTED) return CK_OK;
  if (ck_shortage_text(end->code)) return CK_E_UNAVAILABLE;
  return end->code == ENOENT || end->code == ENOTDIR ? CK_E_NOT_FOUND : CK_E_FAILED;
}

ck_status ck_exec_outcome(ck_outcome **out, const char *program, const ck_child_end *end,
                          const ck_exec_output outputs[2], ck_error *err) {
  ck_value *result = NULL;
  ck_error line = CK_ERROR_INIT;
  *out = NULL;
  bool fine = end->ending == CK_CHILD_EXITED && end->code == 0;
  ck_status class = failed_class(end);
  ck_status status = fine ? CK_OK : make_line(&line, program, end, outputs, err);
  if (status == CK_OK && class == CK_OK) status = make_result(&result, end, outputs, err);
  ck_outcome_status as = fine                        ? CK_OUTCOME_OK
                         : class                     ? CK_OUTCOME_FAILED
                         : ck_ending_is_unknown(end) ? CK_OUTCOME_UNKNOWN
                                                     : CK_OUTCOME_ERROR;
  if (status == CK_OK) status = ck_outcome_new(out, as, result, fine ? NULL : line.text, err);
  if (status == CK_OK)
    (*out)->error_status = end->ending == CK_CHILD_FLOODED ? CK_E_OVERSIZE : class;
  ck_value_free(result);
  return status;
}
