/* requests.c - requests to the owner of a session: they are left, and what became of them is looked
 * for in its transcript. */
#include "core/runtime/session/requests.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/person.h"
#include "core/model/pause_reason.h"
#include "core/runtime/session/session_private.h"
#include "core/store/request.h"

static const char *const names[] = {
#define X(name, text) text,
    CK_REQUEST_TABLE(X)
#undef X
};

void ck_session_request_clear(ck_session_request *self) {
  free(self->text);
  free(self->effect);
  ck_value_free(self->by);
  *self = (ck_session_request){0};
}

ck_request_kind ck_request_kind_of(const char *name) {
  int kind = 0;
  while (kind < CK_REQUEST_KIND_COUNT && strcmp(names[kind], name) != 0) kind++;
  return (ck_request_kind)kind;
}

const char *ck_request_kind_name(ck_request_kind kind) {
  return kind < CK_REQUEST_KIND_COUNT ? names[kind] : NULL;
}

static void write_person(ck_json_writer *w, const char *via) {
  ck_json_name(w, "by");
  ck_json_begin(w, '{');
  ck_person_write(w, via);
  ck_json_end(w, '}');
}

ck_status ck_request_leave(ck_store *store, const ck_session_record *record,
                           ck_session_request *request, ck_error *err) {
  char kind[16];
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_id_make_run(request->id);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "id", request->id);
  ck_json_member_text(&w, "run", record->run);
  ck_json_member_text(&w, "text", request->text);
  ck_json_member_text(&w, "effect", request->effect);
  if (request->kind == CK_REQUEST_ANSWER) write_person(&w, request->via);
  ck_json_end(&w, '}');
  ck_request row = {.session = record->no, .kind = kind};
  strcpy(kind, names[request->kind]);
  ck_status status = ck_value_from(&row.body, &buffer, err);
  if (status == CK_OK) status = ck_store_put_request(store, &row, err);
  ck_value_free(row.body);
  ck_buffer_clear(&buffer);
  return status;
}

/* No live run: its status says so, or its lock is free. */
static ck_status check_live(ck_store *store, const ck_session_record *record, ck_error *err) {
  ck_error ignored = CK_ERROR_INIT;
  bool live = record->status == CK_SESSION_RUNNING &&
              ck_store_check_owner(store, record->id, &ignored) == CK_E_OWNED;
  if (live) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "session %s is %s, and no process runs it", record->id,
                      ck_session_status_name(record->status));
}

ck_status ck_request_pause(ck_store *store, const char *id, const char *reason, ck_error *err) {
  ck_session_record record;
  ck_status status = ck_pause_reason_check(reason, err);
  if (status == CK_OK) status = ck_store_get_session(&record, store, id, err);
  if (status != CK_OK) return status;
  ck_session_request request = {.kind = CK_REQUEST_PAUSE,
                                .text = strdup(reason ? reason : "user_requested")};
  status = request.text ? check_live(store, &record, err) : ck_error_no_memory(err);
  if (status == CK_OK) status = ck_request_leave(store, &record, &request, err);
  ck_session_request_clear(&request);
  ck_session_record_clear(&record);
  return status;
}

typedef struct search {
  const char *id;
  ck_buffer *problem;
  bool found;
} search;

static bool find_note(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "request"), self->id)) return true;
  self->found = true;
  ck_buffer_clear(self->problem);
  ck_json_read_string(self->problem, ck_json_get(body, "problem"));
  return true;
}

ck_status ck_request_find_note(bool *out, ck_store *store, int64_t session, int64_t after,
                               const char *id, ck_buffer *problem, ck_error *err) {
  search s = {.id = id, .problem = problem};
  ck_event_query query = {
      .session = session, .after = after, .kinds = UINT64_C(1) << CK_EVENT_NOTE};
  ck_status status = ck_store_read_events(store, &query, find_note, &s, err);
  *out = s.found;
  return status == CK_OK ? ck_buffer_check(problem, err) : status;
}

typedef struct saved {
  const char *request;
  char *checkpoint; /* CK_ID_SIZE bytes */
} saved;

static bool find_saved(void *to, const ck_event *event) {
  saved *self = to;
  ck_bytes body = ck_value_bytes(event->body), asked = ck_json_get(body, "requests");
  if (ck_json_type_of(asked) != CK_JSON_ARRAY) return true;
  for (ck_json_iterator it = ck_json_iterate(asked); ck_json_next(&it);) {
    if (!ck_json_is_text(it.value, self->request)) continue;
    char *id = ck_json_dup_string(ck_json_get(body, "checkpoint"));
    if (id && strlen(id) < CK_ID_SIZE) strcpy(self->checkpoint, id);
    free(id);
    return false;
  }
  return true;
}

ck_status ck_request_find_checkpoint(char out[CK_ID_SIZE], ck_store *store, int64_t session,
                                     int64_t after, const char *id, ck_error *err) {
  saved s = {.request = id, .checkpoint = out};
  ck_event_query query = {
      .session = session, .after = after, .kinds = UINT64_C(1) << CK_EVENT_BOUNDARY};
  *out = 0;
  return ck_store_read_events(store, &query, find_saved, &s, err);
}

/* ---- how the session came to rest ---- */

typedef struct rest {
  bool found, failed; /* failed: there is no memory */
} rest;

static bool find_rest(void *to, const ck_event *event) {
  rest *self = to;
  int64_t from_ms;
  ck_bytes given = ck_json_get(ck_value_bytes(event->body), "reason");
  char *reason = ck_json_dup_string(given);
  self->failed = !reason && ck_json_type_of(given) == CK_JSON_STRING;
  self->found =
      event->kind != CK_EVENT_SESSION_PAUSED || !ck_pause_reason_goes_on(&from_ms, reason);
  free(reason);
  return !self->found && !self->failed;
}

ck_status ck_request_find_rest(bool *out, ck_store *store, int64_t session, int64_t after,
                               ck_error *err) {
  rest of = {0};
  ck_event_query query = {.session = session,
                          .after = after,
                          .kinds = UINT64_C(1) << CK_EVENT_SESSION_PAUSED |
                                   UINT64_C(1) << CK_EVENT_SESSION_FAILED |
                                   UINT64_C(1) << CK_EVENT_SESSION_COMPLETED |
                                   UINT64_C(1) << CK_EVENT_SESSION_CANCELLED};
  *out = false;
  ck_status status = ck_store_read_events(store, &query, find_rest, &of, err);
  if (status == CK_OK && of.failed) status = ck_error_no_memory(err);
  *out = status == CK_OK && of.found;
  return status;
}

/* ---- whether a question was answered ---- */

typedef struct answers {
  const char *effect, *text;
  ck_request_answered found;
} answers;

/* An outcome that came of an answer, or a resolution, which is all that an answer at rest is. */
static bool find_answer(void *to, const ck_event *event) {
  answers *self = to;
  ck_bytes body = ck_value_bytes(event->body), result = ck_json_get(body, "result");
  bool given =
      event->kind == CK_EVENT_RESOLUTION || ck_json_is_text(ck_json_get(body, "via"), "answer");
  if (!given || !ck_json_is_text(ck_json_get(body, "key"), self->effect)) return true;
  if (result.len == 0) result = ck_json_get(ck_json_get(body, "message"), "content");
  bool same = ck_json_is_text(result, self->text ? self->text : "");
  self->found = same ? CK_REQUEST_ANSWERED_SO : CK_REQUEST_ANSWERED_OTHERWISE;
  return !same;
}

ck_status ck_request_find_answer(ck_request_answered *out, ck_store *store, int64_t session,
                                 int64_t after, const ck_session_request *request, ck_error *err) {
  answers s = {.effect = request->effect, .text = request->text};
  ck_event_query query = {.session = session,
                          .after = after,
                          .kinds = UINT64_C(1) << CK_EVENT_OUTCOME | UINT64_C(1)
                                                                         << CK_EVENT_RESOLUTION};
  *out = CK_REQUEST_UNANSWERED;
  if (!request->effect) return CK_OK;
  ck_status status = ck_store_read_events(store, &query, find_answer, &s, err);
  *out = s.found;
  return status;
}
