/* carried.c - reads and writes what documents of loops and workflows have in common. */
#include "core/runtime/portable/carried.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/id.h"
#include "core/runtime/portable/field.h"

ck_status ck_carried_check_version(ck_bytes document, ck_error *err) {
  int64_t version = 0;
  ck_status status =
      ck_field_read_count(&version, document, "schema_version", "schema_version", INT64_MAX, err);
  if (status != CK_OK || version == CK_CARRIED_VERSION) return status;
  if (version > CK_CARRIED_VERSION)
    return ck_error_set(err, CK_E_UNSUPPORTED,
                        "schema_version %" PRId64 " is newer than %d, the newest that this program "
                        "reads",
                        version, CK_CARRIED_VERSION);
  return ck_error_set(err, CK_E_PARSE, "field schema_version must be a whole number from 1");
}

/* ---- reading ---- */

static ck_status read_count(int64_t *out, ck_bytes object, const char *name, const char *path,
                            bool required, ck_error *err) {
  if (!required && !ck_json_get(object, name).len) return CK_OK;
  return ck_field_read_count(out, object, name, path, INT64_MAX >> 1, err);
}

static ck_status read_cost(ck_totals *out, ck_bytes usage, ck_error *err) {
  double dollars = 0;
  ck_bytes cost = ck_json_get(usage, "cost_usd");
  if (!cost.len) return CK_OK;
  if (!ck_json_read_double(&dollars, cost) || dollars < 0 || dollars > 1e9)
    return ck_error_set(err, CK_E_PARSE,
                        "field total_usage.cost_usd must be a number from 0 to 1000000000");
  out->cost_micros = (int64_t)(dollars * 1e6 + 0.5);
  return CK_OK;
}

static ck_status read_usage(ck_totals *out, ck_bytes document, bool required, ck_error *err) {
  static const ck_field of = {"total_usage", CK_JSON_OBJECT, "an object"};
  ck_bytes usage;
  if (!required && !ck_json_get(document, "total_usage").len) return CK_OK;
  ck_status status = ck_field_read(&usage, document, "total_usage", &of, err);
  if (status == CK_OK)
    status = read_count(&out->input_tokens, usage, "input_tokens", "total_usage.input_tokens",
                        required, err);
  if (status == CK_OK)
    status = read_count(&out->output_tokens, usage, "output_tokens", "total_usage.output_tokens",
                        required, err);
  if (status == CK_OK)
    status =
        read_count(&out->model_calls, usage, "model_calls", "total_usage.model_calls", false, err);
  return status == CK_OK ? read_cost(out, usage, err) : status;
}

/* An id of another system may be none of ours: then it is known to the log alone. */
static ck_status read_run(ck_carried *out, ck_bytes document, bool required, ck_error *err) {
  static const ck_field of = {"run_id", CK_JSON_STRING, "a string"};
  ck_error ignored = CK_ERROR_INIT;
  ck_bytes run;
  if (!required && !ck_json_get(document, "run_id").len) return CK_OK;
  ck_status status = ck_field_read(&run, document, "run_id", &of, err);
  if (status != CK_OK) return status;
  char *id = ck_json_dup_string(run);
  if (!id) return ck_error_no_memory(err);
  if (ck_id_check("run_id", id, &ignored) == CK_OK) snprintf(out->run, sizeof out->run, "%s", id);
  free(id);
  return CK_OK;
}

ck_status ck_carried_read(ck_carried *out, ck_bytes document, bool required, ck_error *err) {
  *out = (ck_carried){.run = ""};
  ck_status status = read_run(out, document, required, err);
  if (status == CK_OK) status = read_usage(&out->totals, document, required, err);
  return status == CK_OK ? read_count(&out->totals.tool_calls, document, "tool_calls_count",
                                      "tool_calls_count", required, err)
                         : status;
}

/* ---- writing ---- */

void ck_carried_write_run(ck_json_writer *w, const ck_head *head, int64_t timeline) {
  for (size_t i = 0; i < head->timeline_count; i++) {
    const ck_timeline *at = &head->timelines[i];
    if (at->no != timeline) continue;
    ck_json_member_text(w, "run_id", at->run);
    if (at->parent_run[0]) ck_json_member_text(w, "parent_run_id", at->parent_run);
  }
}

void ck_carried_write_usage(ck_json_writer *w, const ck_totals *totals) {
  ck_json_name(w, "total_usage");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "input_tokens", totals->input_tokens);
  ck_json_member_int(w, "output_tokens", totals->output_tokens);
  ck_json_member_int(w, "model_calls", totals->model_calls);
  ck_json_name(w, "cost_usd");
  ck_json_put_decimal(w, totals->cost_micros, 6);
  ck_json_end(w, '}');
  ck_json_member_int(w, "tool_calls_count", totals->tool_calls);
}
