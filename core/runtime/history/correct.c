/* correct.c - records what a person says of an unknown outcome that a model was told of. */
#include "core/runtime/history/correct.h"

#include <string.h>

#include "core/runtime/session/session_private.h"

static bool is_unknown(const ck_ledger_entry *entry) {
  return !entry->open && entry->outcome &&
         ck_json_is_text(ck_json_get(ck_value_bytes(entry->outcome), "status"), "unknown");
}

static ck_bytes request_of(const ck_ledger_entry *entry) {
  return entry->intent ? ck_json_get(ck_value_bytes(entry->intent), "request") : (ck_bytes){0};
}

/* A call of a model names the id that the model gave it. */
static ck_status check_entry(const char *id, const ck_ledger_entry *entry, ck_error *err) {
  if (!is_unknown(entry))
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no effect \"%s\" in doubt", id,
                        entry->key);
  if (ck_json_type_of(ck_json_get(request_of(entry), "call_id")) == CK_JSON_STRING) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "the flow of session %s was told that the outcome of effect \"%s\" is "
                      "unknown, and has gone on: it cannot be told otherwise; 'ckrun sessions "
                      "fork %s --checkpoint ID', with a checkpoint before it, makes it again",
                      id, entry->key, id);
}

static ck_status check_session(const ck_session_record *session, ck_error *err) {
  if (ck_session_status_resumable(session->status)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is %s: its model asks nothing any more; 'ckrun sessions fork "
                      "%s --checkpoint ID' makes one that goes on from there, and can be told",
                      session->id, ck_session_status_name(session->status), session->id);
}

static void write_text(ck_buffer *out, ck_bytes request, const char *verdict,
                       const ck_value *result) {
  ck_buffer_append_text(out, "Correction: the outcome of the call ");
  ck_json_read_string(out, ck_json_get(request, "name"));
  ck_buffer_append_text(out, " (");
  ck_json_read_string(out, ck_json_get(request, "call_id"));
  ck_buffer_append_text(out, ") was not known. Somebody has looked since: ");
  if (strcmp(verdict, "retry") == 0)
    ck_buffer_append_text(out, "it did not happen. Make it again if it is still wanted.");
  else if (strcmp(verdict, "abort") == 0)
    ck_buffer_append_text(out, "it cannot be found out, and the call is not to be made again.");
  else
    ck_buffer_append_text(out, result ? "it happened. Its result: " : "it happened.");
  if (result && !ck_json_read_string(out, ck_value_bytes(result)))
    ck_buffer_append_bytes(out, ck_value_bytes(result));
}

static ck_status write_body(ck_value **out, const ck_ledger_entry *entry, const char *verdict,
                            const ck_value *result, ck_error *err) {
  ck_buffer buffer = {0}, text = {0};
  ck_json_writer w = {.out = &buffer};
  ck_bytes request = request_of(entry);
  *out = NULL;
  write_text(&text, request, verdict, result);
  ck_status status = ck_buffer_check(&text, err);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", entry->key);
  ck_json_member_text(&w, "verdict", verdict);
  if (result) ck_json_member_raw(&w, "result", ck_value_bytes(result));
  ck_json_member_raw(&w, "call", ck_json_get(request, "call_id"));
  ck_json_member_raw(&w, "name", ck_json_get(request, "name"));
  if (status == CK_OK) ck_json_member_text(&w, "correction", text.data);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  ck_buffer_clear(&text);
  return status;
}

/* As it was; one that died is paused. */
static ck_status keep_status(ck_session *session, const ck_ledger_entry *entry,
                             const ck_session_record *before, const ck_value *body, ck_error *err) {
  bool ran = before->status == CK_SESSION_RUNNING;
  const ck_session_update update = {.status = ran ? CK_SESSION_PAUSED : before->status,
                                    .reason = ran ? "resolved" : before->reason,
                                    .failure = ran ? NULL : before->failure,
                                    .node = before->node};
  ck_queueing how = {.update = &update, .durability = CK_DURABLE_POWER, .waited = true};
  uint64_t ticket;
  ck_status status =
      ck_session_append(session, CK_EVENT_RESOLUTION, entry->scope, entry->agent, body, err);
  if (status == CK_OK) status = ck_session_queue(&ticket, session, &how, err);
  if (status == CK_OK) status = ck_session_wait(session, ticket, err);
  if (status == CK_OK) ck_session_set_status(session, update.status);
  return status;
}

ck_status ck_session_correct(ck_runtime *runtime, const char *id, const ck_ledger_entry *entry,
                             const char *verdict, const ck_value *result, ck_error *err) {
  ck_session *session = NULL;
  ck_value *body = NULL;
  ck_head head = {0};
  ck_status status = check_entry(id, entry, err);
  if (status == CK_OK) status = ck_store_get_head(&head, runtime->store, id, err);
  if (status == CK_OK) status = check_session(&head.session, err);
  if (status == CK_OK) status = write_body(&body, entry, verdict, result, err);
  if (status == CK_OK)
    status = ck_session_resume(&session, runtime, id, &(ck_resume_options){.keep_references = true},
                               err);
  if (status == CK_OK) status = keep_status(session, entry, &head.session, body, err);
  ck_session_close(session);
  ck_head_clear(&head);
  ck_value_free(body);
  return status;
}
