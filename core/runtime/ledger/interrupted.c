/* interrupted.c - folds the updates of an agent's turn into what its next try is told. */
#include "core/runtime/ledger/interrupted.h"

#include "core/runtime/ledger/request_digest.h"

enum { TITLE_MAX = 1000 };

/* One of the agent's own calls; each member is JSON, or empty. */
typedef struct own_call {
  ck_buffer id, title, kind, status, permission;
} own_call;

typedef struct fold {
  const char *key;
  ck_buffer digest; /* of the last intent: JSON */
  ck_buffer session, resumes;
  own_call calls[CK_INTERRUPTED_CALLS_MAX]; /* a ring */
  size_t count;                             /* calls so far */
  size_t others;                            /* of them, those of an earlier session */
} fold;

static void clear_call(own_call *self) {
  ck_buffer_clear(&self->id);
  ck_buffer_clear(&self->title);
  ck_buffer_clear(&self->kind);
  ck_buffer_clear(&self->status);
  ck_buffer_clear(&self->permission);
}

static void forget(fold *self) {
  for (size_t i = 0; i < CK_INTERRUPTED_CALLS_MAX; i++) clear_call(&self->calls[i]);
  ck_buffer_clear(&self->session);
  ck_buffer_clear(&self->resumes);
  self->count = self->others = 0;
}

static void set(ck_buffer *to, ck_bytes json) {
  if (ck_json_type_of(json) != CK_JSON_STRING || json.len > TITLE_MAX) return;
  ck_buffer_reset(to);
  ck_buffer_append_bytes(to, json);
}

/* Ids are the session's own: another session may use them again. */
static own_call *find_call(fold *self, ck_bytes id) {
  size_t kept = self->count < CK_INTERRUPTED_CALLS_MAX ? self->count : CK_INTERRUPTED_CALLS_MAX;
  if (ck_json_type_of(id) != CK_JSON_STRING) return NULL;
  for (size_t back = 1; back <= kept && self->count - back >= self->others; back++) {
    own_call *call = &self->calls[(self->count - back) % CK_INTERRUPTED_CALLS_MAX];
    if (ck_bytes_equal(ck_buffer_bytes(&call->id), id)) return call;
  }
  own_call *call = &self->calls[self->count++ % CK_INTERRUPTED_CALLS_MAX];
  clear_call(call);
  ck_buffer_append_bytes(&call->id, id);
  return call;
}

static void take_session(fold *self, ck_bytes opened) {
  ck_bytes id = ck_json_get(opened, "id");
  if (ck_json_type_of(id) != CK_JSON_STRING) return;
  if (!ck_bytes_equal(ck_buffer_bytes(&self->session), id)) self->others = self->count;
  ck_buffer_reset(&self->session);
  ck_buffer_append_bytes(&self->session, id);
  ck_buffer_reset(&self->resumes);
  set(&self->resumes, ck_json_get(opened, "resumes"));
}

static void take_update(fold *self, ck_bytes update) {
  ck_bytes kind = ck_json_get(update, "sessionUpdate"),
           decision = ck_json_get(update, "permission");
  ck_bytes opened = ck_json_get(update, "session");
  own_call *call = NULL;
  if (ck_json_type_of(opened) == CK_JSON_OBJECT) {
    take_session(self, opened);
  } else if (ck_json_is_text(kind, "tool_call") || ck_json_is_text(kind, "tool_call_update")) {
    call = find_call(self, ck_json_get(update, "toolCallId"));
    if (call) set(&call->status, ck_json_get(update, "status"));
  } else if (ck_json_type_of(decision) == CK_JSON_OBJECT) {
    update = decision;
    call = find_call(self, ck_json_get(update, "call"));
    if (call) set(&call->permission, ck_json_get(update, "option"));
  }
  if (!call) return;
  set(&call->title, ck_json_get(update, "title"));
  set(&call->kind, ck_json_get(update, "kind"));
}

/* What was begun with another request was another turn. */
static void take_intent(fold *self, ck_bytes digest) {
  if (!ck_request_digest_equal(ck_buffer_bytes(&self->digest), digest)) forget(self);
  ck_buffer_reset(&self->digest);
  ck_buffer_append_bytes(&self->digest, digest);
}

static bool take_event(void *to, const ck_event *event) {
  fold *self = to;
  ck_bytes body = ck_value_bytes(event->body), status = ck_json_get(body, "status");
  if (!ck_json_is_text(ck_json_get(body, "key"), self->key)) return true;
  if (event->kind == CK_EVENT_UPDATE)
    take_update(self, ck_json_get(body, "update"));
  else if (event->kind == CK_EVENT_INTENT)
    take_intent(self, ck_json_get(body, "digest"));
  else if (event->kind == CK_EVENT_OUTCOME &&
           (ck_json_is_text(status, "ok") || ck_json_is_text(status, "error")))
    forget(self);
  return true;
}

static void write_member(ck_json_writer *w, const char *name, const ck_buffer *json) {
  if (json->len) ck_json_member_raw(w, name, ck_buffer_bytes(json));
}

static ck_status write(ck_value **out, const fold *self, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  size_t from = self->count < CK_INTERRUPTED_CALLS_MAX ? 0 : self->count - CK_INTERRUPTED_CALLS_MAX;
  ck_json_begin(&w, '{');
  write_member(&w, "session", &self->session);
  write_member(&w, "resumes", &self->resumes);
  ck_json_name(&w, "calls");
  ck_json_begin(&w, '[');
  for (size_t i = from; i < self->count; i++) {
    const own_call *call = &self->calls[i % CK_INTERRUPTED_CALLS_MAX];
    ck_json_begin(&w, '{');
    write_member(&w, "title", &call->title);
    write_member(&w, "kind", &call->kind);
    write_member(&w, "status", &call->status);
    write_member(&w, "permission", &call->permission);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static bool has_failed(const fold *self) {
  bool failed = self->digest.failed || self->session.failed || self->resumes.failed;
  for (size_t i = 0; i < CK_INTERRUPTED_CALLS_MAX; i++) {
    const own_call *call = &self->calls[i];
    failed |= call->id.failed || call->title.failed || call->kind.failed || call->status.failed ||
              call->permission.failed;
  }
  return failed;
}

ck_status ck_interrupted_read(ck_value **out, ck_store *store, int64_t session, const char *key,
                              ck_error *err) {
  fold self = {.key = key};
  const ck_event_query events = {
      .session = session,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_UPDATE};
  *out = NULL;
  ck_status status = ck_store_read_events(store, &events, take_event, &self, err);
  if (status == CK_OK && has_failed(&self)) status = ck_error_no_memory(err);
  if (status == CK_OK && self.session.len) status = write(out, &self, err);
  forget(&self);
  ck_buffer_clear(&self.digest);
  return status;
}
