/* run_checkpoint.c - reads the document of a failed run, and gives a session its conversation and
 * position. */
#include "core/runtime/portable/run_checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/record.h"
#include "core/runtime/session/session_private.h"

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

typedef struct field {
  const char *path; /* as messages name it */
  ck_json_type type;
  const char *wanted;
} field;

static ck_status read_field(ck_bytes *out, ck_bytes object, const char *name, const field *how,
                            ck_error *err) {
  *out = ck_json_get(object, name);
  if (!out->len) return ck_error_set(err, CK_E_PARSE, "missing required field: %s", how->path);
  if (ck_json_type_of(*out) == how->type) return CK_OK;
  return ck_error_set(err, CK_E_PARSE, "field %s must be %s", how->path, how->wanted);
}

static ck_status read_count(int64_t *out, ck_bytes object, const char *name, const char *path,
                            int64_t most, ck_error *err) {
  ck_bytes value = {0};
  field how = {path, CK_JSON_NUMBER, "a whole number"};
  ck_status status = read_field(&value, object, name, &how, err);
  if (status != CK_OK) return status;
  if (ck_json_read_int(out, value) && *out >= 0 && *out <= most) return CK_OK;
  return ck_error_set(err, CK_E_PARSE, "field %s must be a whole number from 0 to %" PRId64, path,
                      most);
}

static ck_status read_version(ck_bytes document, ck_error *err) {
  int64_t version = 0;
  ck_status status = read_count(&version, document, "version", "version", INT64_MAX, err);
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
  ck_status status = read_count(&iteration, *out, "iteration", "failurePoint.iteration",
                                CK_RUN_CHECKPOINT_ITERATIONS_MAX, err);
  field how = {"failurePoint.phase", CK_JSON_STRING, "a string"};
  if (status == CK_OK) status = read_field(&phase, *out, "phase", &how, err);
  if (status != CK_OK) return status;
  stage = ck_json_get(*out, "stage");
  if (stage.len && ck_json_type_of(stage) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE, "field failurePoint.stage must be a string");
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
    if (ck_json_is_text(phase, phases[i])) return CK_OK;
  return ck_error_set(err, CK_E_PARSE,
                      "field failurePoint.phase must be iteration, tool, llm or unknown");
}

/* ---- history ---- */

static ck_status wrong_message(size_t index, const char *what, ck_error *err) {
  return ck_error_set(err, CK_E_PARSE, "field history[%zu] %s", index, what);
}

/* Every call is answered before anybody else speaks: else no provider takes the conversation. */
static ck_status check_message(size_t *open, size_t index, ck_bytes message, ck_error *err) {
  static const char *const roles[] = {"system", "developer", "user", "assistant", "tool"};
  ck_bytes role = ck_json_get(message, "role"), calls = ck_json_get(message, "tool_calls");
  bool known = false;
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    known |= ck_json_is_text(role, roles[i]);
  if (ck_json_type_of(message) != CK_JSON_OBJECT || !known)
    return wrong_message(
        index, "must be a message with a role: system, developer, user, assistant or tool", err);
  if (ck_json_is_text(role, "tool")) {
    if (*open == 0) return wrong_message(index, "answers no call of the message before it", err);
    --*open;
    return CK_OK;
  }
  if (*open) return wrong_message(index, "stands where the result of a tool call is missing", err);
  if (ck_json_type_of(calls) == CK_JSON_ARRAY) *open = ck_json_count(calls);
  return CK_OK;
}

static ck_status check_history(ck_bytes history, ck_error *err) {
  size_t open = 0, index = 0;
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(history);
  while (status == CK_OK && ck_json_next(&it))
    status = check_message(&open, index++, it.value, err);
  if (status == CK_OK && open)
    return wrong_message(index, "is missing: the result of a tool call", err);
  return status;
}

ck_status ck_run_checkpoint_read(ck_run_checkpoint *out, ck_bytes document, ck_error *err) {
  static const field run = {"runId", CK_JSON_STRING, "a string"},
                     history = {"history", CK_JSON_ARRAY, "an array"},
                     input = {"originalInput", CK_JSON_OBJECT, "an object"},
                     message = {"originalInput.message", CK_JSON_STRING, "a string"};
  ck_bytes text;
  *out = (ck_run_checkpoint){0};
  if (ck_json_type_of(document) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "a run checkpoint is a JSON object");
  ck_status status = read_version(document, err);
  if (status == CK_OK) status = read_field(&out->run, document, "runId", &run, err);
  if (status == CK_OK) status = read_field(&out->history, document, "history", &history, err);
  if (status == CK_OK)
    status = read_count(&out->last_completed, document, "lastCompletedIteration",
                        "lastCompletedIteration", CK_RUN_CHECKPOINT_ITERATIONS_MAX, err);
  if (status == CK_OK) status = read_field(&out->input, document, "originalInput", &input, err);
  if (status == CK_OK) status = read_field(&text, out->input, "message", &message, err);
  if (status == CK_OK)
    status = read_count(&out->at_ms, document, "checkpointedAt", "checkpointedAt", INT64_MAX, err);
  if (status == CK_OK) status = read_failure(&out->failure, document, err);
  if (status == CK_OK) status = check_history(out->history, err);
  if (status != CK_OK) *out = (ck_run_checkpoint){0};
  return status;
}

/* ---- restore ---- */

static ck_status put_history(const ck_run_checkpoint *self, ck_session *session, ck_bytes *last,
                             ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(self->history);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_value *message = NULL;
    *last = it.value;
    status = ck_value_copy(&message, it.value, err);
    if (status == CK_OK) status = ck_session_record_message(session, "main", NULL, message, err);
    ck_value_free(message);
  }
  return status;
}

/* The boundary that follows covers all messages: its seq is the cut. After an assistant's last word
 * it is the user's turn. */
static ck_status put_position(const ck_run_checkpoint *self, ck_session *session, ck_bytes last,
                              ck_error *err) {
  bool spoke = ck_json_is_text(ck_json_get(last, "role"), "assistant");
  bool restarts = session->profile && session->profile->resume.rounds == CK_RULE_RESET;
  int64_t turn = restarts ? 1 : self->last_completed + 1;
  char path[32];
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *value = NULL;
  snprintf(path, sizeof path, "agent#%" PRId64, turn);
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "cut", ck_session_next_seq(session));
  ck_json_name(&w, "at");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "path", path);
  ck_json_member_int(&w, "turn", turn);
  ck_json_member_text(&w, "next", spoke ? "ask" : "model");
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&value, &json, err);
  if (status == CK_OK) status = ck_session_put(session, "position.main", value, err);
  ck_value_free(value);
  ck_buffer_clear(&json);
  return status;
}

/* The origin of the session, for readers of the log. */
static ck_status put_note(const ck_run_checkpoint *self, ck_session *session, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *body = NULL;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "type", "run_checkpoint");
  ck_json_member_raw(&w, "runId", self->run);
  ck_json_member_int(&w, "lastCompletedIteration", self->last_completed);
  ck_json_member_int(&w, "checkpointedAt", self->at_ms);
  if (self->failure.len) ck_json_member_raw(&w, "failurePoint", self->failure);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &json, err);
  if (status == CK_OK) status = ck_session_append(session, CK_EVENT_NOTE, NULL, NULL, body, err);
  ck_value_free(body);
  ck_buffer_clear(&json);
  return status;
}

ck_status ck_run_checkpoint_restore(const ck_run_checkpoint *self, ck_session *session,
                                    ck_error *err) {
  ck_bytes last = {0};
  ck_status status = put_note(self, session, err);
  if (status == CK_OK) status = put_history(self, session, &last, err);
  if (status == CK_OK) status = put_position(self, session, last, err);
  return status == CK_OK ? ck_session_end(session, CK_SESSION_PAUSED, "imported", NULL, err)
                         : status;
}
