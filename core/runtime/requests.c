/* requests.c - requests to the owner of a session, and the end of a run that cannot reach a boundary. */
#include "core/runtime/requests.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session_private.h"

static const char *const names[] = {
#define X(name, text) text,
    CK_REQUEST_TABLE(X)
#undef X
};

void ck_wish_clear(ck_wish *self) {
  free(self->text);
  free(self->effect);
  *self = (ck_wish){0};
}

static ck_request_kind kind_of(const char *name) {
  int kind = 0;
  while (kind < CK_REQUEST_KIND_COUNT && strcmp(names[kind], name) != 0) kind++;
  return (ck_request_kind)kind;
}

ck_status ck_request_leave(ck_store *store, const ck_session_record *record, ck_wish *wish, ck_error *err) {
  char kind[16];
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_id_make_run(wish->id);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "id", wish->id);
  ck_json_member_text(&w, "run", record->run);
  ck_json_member_text(&w, "text", wish->text);
  ck_json_member_text(&w, "effect", wish->effect);
  ck_json_end(&w, '}');
  ck_request request = {.session = record->no, .kind = kind};
  strcpy(kind, names[wish->kind]);
  ck_status status = ck_value_from(&request.body, &buffer, err);
  if (status == CK_OK) status = ck_store_put_request(store, &request, err);
  ck_value_free(request.body);
  ck_buffer_clear(&buffer);
  return status;
}

typedef struct search {
  const char *id;
  ck_buffer *problem;
  bool found;
} search;

static bool look_at_note(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "request"), self->id)) return true;
  self->found = true;
  ck_json_read_string(self->problem, ck_json_get(body, "problem"));
  return false;
}

ck_status ck_request_find_note(bool *out, ck_store *store, int64_t session, int64_t after, const char *id, ck_buffer *problem,
                               ck_error *err) {
  search s = {.id = id, .problem = problem};
  ck_event_query query = {.session = session, .after = after, .kinds = UINT64_C(1) << CK_EVENT_NOTE};
  ck_status status = ck_store_read_events(store, &query, look_at_note, &s, err);
  *out = s.found;
  return status == CK_OK ? ck_buffer_check(problem, err) : status;
}

static bool read_wish(ck_wish *out, const ck_request *request) {
  ck_bytes body = request->body ? ck_value_bytes(request->body) : (ck_bytes){0};
  char *id = ck_json_dup_string(ck_json_get(body, "id"));
  bool whole = id && strlen(id) < sizeof out->id;
  if (whole) strcpy(out->id, id);
  free(id);
  out->kind = kind_of(request->kind);
  out->text = ck_json_dup_string(ck_json_get(body, "text"));
  out->effect = ck_json_dup_string(ck_json_get(body, "effect"));
  return whole;
}

/* What was left for a run that is gone is dropped without a word: whoever left it has seen that run end. */
ck_status ck_session_take_request(ck_wish *out, bool *found, ck_session *self, ck_error *err) {
  for (*out = (ck_wish){0};;) {
    ck_request request;
    ck_status status = ck_store_get_request(&request, found, self->runtime->store, self->lease, err);
    if (status != CK_OK || !*found) return status;
    ck_bytes body = request.body ? ck_value_bytes(request.body) : (ck_bytes){0};
    bool ours = ck_json_is_text(ck_json_get(body, "run"), self->timeline.run);
    *found = ours && read_wish(out, &request);
    ck_request_clear(&request);
    if (*found) return CK_OK;
    ck_wish_clear(out);
  }
}

ck_status ck_session_note_request(ck_session *self, const ck_wish *wish, const char *problem, ck_error *err) {
  uint64_t ticket;
  ck_value *body = NULL;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  bool known = wish->kind < CK_REQUEST_KIND_COUNT;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "request", wish->id);
  ck_json_member_text(&w, "kind", known ? names[wish->kind] : NULL);
  ck_json_member_text(&w, "text", wish->text);
  ck_json_member_text(&w, "effect", wish->effect);
  ck_json_member_text(&w, "problem", problem);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = ck_session_append(self, CK_EVENT_NOTE, NULL, NULL, body, err);
  if (status == CK_OK) status = ck_session_push(&ticket, self, CK_DURABLE_PROCESS, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

/* What a person is asked can be asked again. */
static bool must_not_repeat(const ck_ledger_entry *entry) {
  return entry->open && entry->verdict == CK_VERDICT_NONE && entry->class == CK_EFFECT_ONCE && entry->kind != CK_EFFECT_ASK;
}

/* Of this run: what earlier ones left in doubt it has met and settled, or not come to. */
static ck_status find_doubt(ck_buffer *key, ck_session *self, ck_error *err) {
  ck_ledger_fold fold = {.err = err};
  ck_event_query query = {.session = self->record.no, .after = self->timeline.begin - 1,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_RESOLUTION};
  ck_status status = ck_ledger_new(&fold.ledger, err);
  if (status == CK_OK) status = ck_session_flush(self, CK_DURABLE_PROCESS, err);
  if (status == CK_OK) status = ck_store_read_events(self->runtime->store, &query, ck_ledger_fold_event, &fold, err);
  if (status == CK_OK) status = fold.status;
  const ck_ledger_entry *entry;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(fold.ledger, i)) != NULL; i++)
    if (key->len == 0 && must_not_repeat(entry)) ck_buffer_append_text(key, entry->key);
  ck_ledger_free(fold.ledger);
  return status == CK_OK ? ck_buffer_check(key, err) : status;
}

ck_status ck_session_break_off(ck_session_status *out, ck_session *self, const char *reason, ck_error *err) {
  ck_buffer key = {0};
  *out = CK_SESSION_PAUSED;
  ck_status status = find_doubt(&key, self, err);
  if (status == CK_OK && key.len > 0) *out = CK_SESSION_IN_DOUBT;
  self->clean = false;
  if (status == CK_OK) status = ck_session_end(self, *out, reason, NULL, err);
  ck_buffer_clear(&key);
  return status;
}
