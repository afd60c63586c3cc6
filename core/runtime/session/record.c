/* record.c - messages, rewinds, outcomes and replays: appended, folded into their scope, counted.
 */
#include "core/runtime/session/record.h"

#include "core/model/sources.h"
#include "core/runtime/session/media.h"
#include "core/runtime/session/session_private.h"

ck_status ck_session_record_said(ck_session *self, const char *scope_name, const ck_said *said,
                                 ck_error *err) {
  const char *agent = said->agent;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *message;
  ck_status taken = ck_session_take_media(&message, self, said->message, err);
  if (taken != CK_OK) return taken;
  ck_json_begin(&w, '{');
  ck_sources_write(&w, ck_sources_bytes(said->untrusted));
  ck_json_member_raw(&w, "message", ck_value_bytes(message));
  ck_json_end(&w, '}');
  ck_value_free(message);
  ck_value *body = NULL, *kept = NULL, *seen = NULL;
  ck_scope *scope;
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = ck_session_redact(&kept, self, CK_EVENT_MESSAGE, agent, body, err);
  if (status == CK_OK) status = ck_session_scope(&scope, self, scope_name, err);
  if (status == CK_OK)
    status = ck_session_append_redacted(self, CK_EVENT_MESSAGE, scope_name, agent, kept, err);
  if (status == CK_OK) status = ck_session_unmask(&seen, self, CK_EVENT_MESSAGE, body, kept, err);
  if (status == CK_OK) status = ck_scope_apply_seen(scope, kept, seen, err);
  ck_value_free(seen);
  ck_value_free(kept);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_session_record_message(ck_session *self, const char *scope_name, const char *agent,
                                    const ck_value *message, ck_error *err) {
  const ck_said said = {.agent = agent, .message = message};
  return ck_session_record_said(self, scope_name, &said, err);
}

ck_status ck_session_record_rewind(ck_session *self, const char *scope_name, const char *agent,
                                   const ck_value *rewind, ck_error *err) {
  ck_value *kept;
  ck_scope *scope;
  ck_status status = ck_session_redact(&kept, self, CK_EVENT_REWIND, agent, rewind, err);
  if (status != CK_OK) return status;
  status = ck_session_scope(&scope, self, scope_name, err);
  if (status == CK_OK)
    status = ck_session_append_redacted(self, CK_EVENT_REWIND, scope_name, agent, kept, err);
  if (status == CK_OK) status = ck_scope_rewind(scope, kept, err);
  ck_value_free(kept);
  return status;
}

/* `kept` is the body as it may be written; `body`: as it is, NULL when nobody is to see it. */
static ck_status add_outcome(ck_session *self, const ck_effect *effect, const ck_value *body,
                             ck_value *kept, ck_error *err) {
  ck_scope *scope;
  ck_value *seen = NULL;
  ck_status status = ck_session_scope(&scope, self, effect->scope, err);
  if (status == CK_OK)
    status =
        ck_session_append_redacted(self, CK_EVENT_OUTCOME, effect->scope, effect->agent, kept, err);
  if (status == CK_OK && body)
    status = ck_session_unmask(&seen, self, CK_EVENT_OUTCOME, body, kept, err);
  if (status == CK_OK) status = ck_scope_apply_seen(scope, kept, seen, err);
  if (status == CK_OK) status = ck_turn_add(ck_scope_turn(scope), effect, kept, err);
  ck_value_free(seen);
  return status == CK_OK ? ck_session_add_outcome(self, kept, err) : status;
}

ck_status ck_session_record_outcome(ck_session *self, const ck_effect *effect, const ck_value *body,
                                    int64_t *seq, ck_error *err) {
  ck_value *kept;
  *seq = self->transcript.next_seq;
  ck_status status = ck_session_redact(&kept, self, CK_EVENT_OUTCOME, effect->agent, body, err);
  if (status == CK_OK) status = add_outcome(self, effect, body, kept, err);
  ck_value_free(kept);
  return status;
}

ck_status ck_session_record_done(ck_session *self, const ck_effect *effect, const ck_value *body,
                                 int64_t *seq, ck_error *err) {
  ck_value *kept;
  *seq = self->transcript.next_seq;
  ck_status said = ck_session_redact(&kept, self, CK_EVENT_OUTCOME, effect->agent, body, err);
  ck_status status = said;
  if (said == CK_E_POLICY)
    status = ck_redactor_drop_event(&kept, self->redactor, CK_EVENT_OUTCOME, body, err);
  if (status == CK_OK) status = add_outcome(self, effect, said == CK_OK ? body : NULL, kept, err);
  ck_value_free(kept);
  return status == CK_OK ? said : status;
}

ck_status ck_session_record_cost(ck_session *self, ck_event *outcome, ck_error *err) {
  ck_value *kept;
  outcome->seq = self->transcript.next_seq;
  ck_status status =
      ck_session_redact(&kept, self, CK_EVENT_OUTCOME, outcome->agent, outcome->body, err);
  if (status == CK_OK)
    status = ck_session_append_redacted(self, CK_EVENT_OUTCOME, outcome->scope, outcome->agent,
                                        kept, err);
  if (status == CK_OK) status = ck_session_add_outcome(self, kept, err);
  ck_value_free(kept);
  return status;
}

ck_status ck_session_record_replay(ck_session *self, const ck_effect *effect, const ck_value *body,
                                   int64_t of, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", effect->key);
  ck_json_member_int(&w, "of", of);
  ck_json_end(&w, '}');
  ck_value *event = NULL;
  ck_scope *scope;
  ck_status status = ck_value_from(&event, &buffer, err);
  if (status == CK_OK) status = ck_session_scope(&scope, self, effect->scope, err);
  if (status == CK_OK)
    status = ck_session_append(self, CK_EVENT_REPLAY, effect->scope, effect->agent, event, err);
  if (status == CK_OK) status = ck_scope_apply(scope, body, err);
  if (status == CK_OK) status = ck_turn_add(ck_scope_turn(scope), effect, body, err);
  ck_value_free(event);
  ck_buffer_clear(&buffer);
  return status;
}
