/* refusal.c - one event for a refused resume, behind all others. */
#include "core/runtime/session/opening/refusal.h"

#include "core/base/log.h"
#include "core/runtime/session/opening/approval.h"
#include "core/runtime/session/session_private.h"

static ck_status write_body(ck_value **out, const ck_session *self, const ck_refusal *refusal,
                            ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reason", refusal->reason);
  if (refusal->policy) ck_json_member_text(&w, "policy", refusal->policy);
  if (self->seen) ck_json_member_raw(&w, "seen", ck_value_bytes(self->seen));
  if (self->answers) ck_json_member_raw(&w, "answers", ck_value_bytes(self->answers));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

typedef struct last_event {
  const ck_value *body;
  bool same;
} last_event;

static bool is_same(const ck_value *a, const ck_value *b, const char *name) {
  return ck_bytes_equal(ck_json_get(ck_value_bytes(a), name), ck_json_get(ck_value_bytes(b), name));
}

/* By whom, and why; at another time, or on another machine, it is the same. */
static bool compare(void *to, const ck_event *event) {
  last_event *self = to;
  self->same = event->kind == CK_EVENT_RESUME_REFUSED &&
               is_same(event->body, self->body, "policy") &&
               is_same(event->body, self->body, "reason");
  return true;
}

static ck_status is_known(bool *out, ck_store *store, const ck_head *head, const ck_value *body,
                          ck_error *err) {
  last_event last = {.body = body};
  ck_event_query query = {.session = head->session.no, .after = head->last_seq - 1};
  ck_status status = ck_store_read_events(store, &query, compare, &last, err);
  *out = last.same;
  return status;
}

static ck_status record(ck_session *self, const ck_head *head, const ck_refusal *refusal,
                        ck_error *err) {
  ck_value *given, *body = NULL;
  bool known = false;
  ck_status status = write_body(&given, self, refusal, err);
  if (status != CK_OK) return status;
  status = ck_session_redact(&body, self, CK_EVENT_RESUME_REFUSED, NULL, given, err);
  if (status == CK_OK) status = is_known(&known, self->runtime->store, head, body, err);
  if (status == CK_OK && !known)
    status = ck_opening_record(self->runtime, head, CK_EVENT_RESUME_REFUSED, body, err);
  ck_value_free(body);
  ck_value_free(given);
  return status;
}

void ck_session_record_refusal(ck_session *self, const ck_head *head, const ck_refusal *refusal) {
  ck_error failure = CK_ERROR_INIT;
  if (record(self, head, refusal, &failure) != CK_OK)
    ck_log_line(CK_LOG_WARN, "session %s: that its resume was refused is not written down: %s",
                head->session.id, failure.text);
}
