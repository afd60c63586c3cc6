/* run_checkpoint_read.c - reads the document of a run that stopped, field by field. */
#include "core/runtime/portable/run_checkpoint.h"

#include <inttypes.h>

#include "core/runtime/portable/chat_check.h"
#include "core/runtime/portable/extension.h"
#include "core/runtime/portable/field.h"

/* ---- fields ---- */

bool ck_run_checkpoint_is(ck_bytes document) {
  static const char *const names[] = {"history", "lastCompletedIteration", "originalInput",
                                      "checkpointedAt"};
  if (ck_json_type_of(document) != CK_JSON_OBJECT) return false;
  int found = ck_json_get(document, "runId").len > 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    found += ck_json_get(document, names[i]).len > 0;
  return found >= 2;
}

static ck_status read_version(ck_bytes document, ck_error *err) {
  int64_t version = 0;
  ck_status status = ck_field_read_count(&version, document, "version", "version", INT64_MAX, err);
  if (status != CK_OK || version == CK_RUN_CHECKPOINT_VERSION) return status;
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "unsupported version %" PRId64 ": this program reads version %d", version,
                      CK_RUN_CHECKPOINT_VERSION);
}

static ck_status read_failure(ck_bytes *out, ck_bytes document, ck_error *err) {
  static const char *const phases[] = {"iteration", "tool", "llm", "unknown"};
  ck_bytes phase = {0}, stage;
  int64_t iteration;
  *out = ck_json_get(document, "failurePoint");
  if (!out->len) return CK_OK;
  if (ck_json_type_of(*out) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "field failurePoint must be an object");
  ck_status status = ck_field_read_count(&iteration, *out, "iteration", "failurePoint.iteration",
                                         CK_RUN_CHECKPOINT_ITERATIONS_MAX, err);
  ck_field how = {"failurePoint.phase", CK_JSON_STRING, "a string"};
  if (status == CK_OK) status = ck_field_read(&phase, *out, "phase", &how, err);
  if (status != CK_OK) return status;
  stage = ck_json_get(*out, "stage");
  if (stage.len && ck_json_type_of(stage) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE, "field failurePoint.stage must be a string");
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
    if (ck_json_is_text(phase, phases[i])) return CK_OK;
  return ck_error_set(err, CK_E_PARSE,
                      "field failurePoint.phase must be iteration, tool, llm or unknown");
}

/* ---- identity: who said it, under which flow ---- */

static ck_status read_optional(ck_bytes *out, ck_bytes object, const char *name, const char *path,
                               ck_json_type type, const char *wanted, ck_error *err) {
  *out = ck_json_get(object, name);
  if (!out->len || ck_json_type_of(*out) == type) return CK_OK;
  return ck_error_set(err, CK_E_PARSE, "field %s must be %s", path, wanted);
}

static ck_status read_identity(ck_run_checkpoint *out, ck_bytes document, ck_error *err) {
  static const ck_field id = {"agent.id", CK_JSON_STRING, "a string"};
  ck_bytes agent, flow;
  ck_status status =
      read_optional(&agent, document, "agent", "agent", CK_JSON_OBJECT, "an object", err);
  if (status == CK_OK && agent.len) status = ck_field_read(&out->agent, agent, "id", &id, err);
  if (status == CK_OK)
    status = read_optional(&flow, document, "flow", "flow", CK_JSON_OBJECT, "an object", err);
  if (status != CK_OK || !flow.len) return status;
  status = read_optional(&out->flow, flow, "name", "flow.name", CK_JSON_STRING, "a string", err);
  if (status != CK_OK) return status;
  return read_optional(&out->flow_digest, flow, "digest", "flow.digest", CK_JSON_STRING, "a string",
                       err);
}

/* Without a history the run begins with what the user wanted: there must be one of both. */
static ck_status check_history(const ck_run_checkpoint *of, ck_bytes message, ck_error *err) {
  if (ck_json_count(of->history) == 0 && message.len <= 2)
    return ck_error_set(err, CK_E_PARSE,
                        "field originalInput.message must not be empty when history is");
  return ck_chat_check(of->history, err);
}

ck_status ck_run_checkpoint_read(ck_run_checkpoint *out, ck_bytes document, ck_error *err) {
  static const ck_field run = {"runId", CK_JSON_STRING, "a string"},
                        history = {"history", CK_JSON_ARRAY, "an array"},
                        input = {"originalInput", CK_JSON_OBJECT, "an object"},
                        message = {"originalInput.message", CK_JSON_STRING, "a string"};
  ck_bytes text;
  *out = (ck_run_checkpoint){0};
  if (ck_json_type_of(document) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "a run checkpoint is a JSON object");
  ck_status status = read_version(document, err);
  if (status == CK_OK) status = ck_field_read(&out->run, document, "runId", &run, err);
  if (status == CK_OK) status = ck_field_read(&out->history, document, "history", &history, err);
  if (status == CK_OK)
    status = ck_field_read_count(&out->last_completed, document, "lastCompletedIteration",
                                 "lastCompletedIteration", CK_RUN_CHECKPOINT_ITERATIONS_MAX, err);
  if (status == CK_OK) status = ck_field_read(&out->input, document, "originalInput", &input, err);
  if (status == CK_OK) status = ck_field_read(&text, out->input, "message", &message, err);
  if (status == CK_OK)
    status = ck_field_read_count(&out->at_ms, document, "checkpointedAt", "checkpointedAt",
                                 INT64_MAX, err);
  if (status == CK_OK) status = read_failure(&out->failure, document, err);
  if (status == CK_OK) status = read_identity(out, document, err);
  if (status == CK_OK) status = ck_extension_read(&out->extension, document, err);
  if (status == CK_OK) status = check_history(out, text, err);
  if (status != CK_OK) *out = (ck_run_checkpoint){0};
  return status;
}
