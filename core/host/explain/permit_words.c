/* permit_words.c - the question whether an effect may begin, and its answer, in words. */
#include "core/host/explain/permit_words.h"

#include <string.h>

#include "core/base/person.h"
#include "core/host/inspect/questions.h"
#include "core/host/print/format.h"
#include "core/model/dropped_answer.h"

static const char suffix[] = "/permit\"";

static ck_bytes member(const ck_event *event, const char *name) {
  return ck_json_get(ck_value_bytes(event->body), name);
}

bool ck_permit_words_is_question(const ck_event *event) {
  ck_bytes key = member(event, "key");
  size_t len = sizeof suffix - 1;
  bool about = event->kind == CK_EVENT_INTENT || event->kind == CK_EVENT_OUTCOME ||
               event->kind == CK_EVENT_RESOLUTION;
  return about && key.len > len && memcmp(key.data + key.len - len, suffix, len) == 0;
}

bool ck_permit_words_is_answer(const ck_event *event) {
  return event->kind != CK_EVENT_INTENT && ck_permit_words_is_question(event);
}

/* Nothing: no policy asked any more. */
static bool was_withdrawn(const ck_event *event) {
  return ck_json_is_text(member(event, "result"), "");
}

void ck_permit_words_append(ck_buffer *out, const ck_event *event) {
  ck_bytes by = member(event, "by");
  ck_json_read_string(out, member(event, "key"));
  if (was_withdrawn(event)) {
    ck_buffer_append_text(out, " was withdrawn: no policy asks any more");
    return;
  }
  ck_buffer_append_text(out, " was answered ");
  ck_json_read_string(out, member(event, "result"));
  ck_buffer_append_text(out, by.len ? " by " : " by a person");
  if (by.len) ck_person_append(out, by);
  if (event->kind == CK_EVENT_RESOLUTION) ck_buffer_append_text(out, ", not resumed yet");
}

void ck_permit_words_append_dropped(ck_buffer *out, const ck_event *event) {
  ck_bytes dropped = member(event, CK_DROPPED_ANSWER), question = member(event, "question");
  if (!dropped.len) return;
  if (!question.len) question = ck_json_get(member(event, "request"), "question");
  ck_buffer_append_text(out, "; ");
  ck_dropped_answer_append(out, dropped, question);
}

static void end(ck_buffer *out) { ck_buffer_append(out, "", 1); }

void ck_permit_words_append_sentences(ck_buffer *out, const ck_event *event) {
  ck_bytes question = ck_json_get(member(event, "request"), "question");
  if (question.len) {
    ck_buffer_append_text(out, "the question: ");
    ck_json_read_string(out, question);
    end(out);
  }
  if (!ck_permit_words_is_answer(event) || was_withdrawn(event)) return;
  ck_buffer_append_text(out, "the answer came at ");
  ck_format_time(out, event->at_ms);
  end(out);
}

void ck_permit_words_put(ck_document *document, const ck_event *event) {
  ck_bytes question = ck_json_get(member(event, "request"), "question"), by = member(event, "by");
  ck_error failure = CK_ERROR_INIT;
  ck_document_put_string(document, NULL, "question", question);
  ck_questions_put_dropped(document, NULL, member(event, CK_DROPPED_ANSWER));
  if (!ck_permit_words_is_answer(event)) return;
  ck_document_put_string(document, NULL, "answer", member(event, "result"));
  ck_document_put_time(document, NULL, "at", event->at_ms);
  if (!by.len) return;
  struct cJSON *at = ck_document_put_object(document, NULL, "by");
  if (ck_document_put_members(document, at, by, &failure) != CK_OK) document->failed = true;
}

/* ---- of the effect itself ---- */

typedef struct search {
  ck_bytes key; /* of the effect, with its quotes */
  ck_event *found;
  ck_status status;
  ck_error *err;
} search;

static bool is_about(const search *self, const ck_event *event) {
  ck_bytes key = member(event, "key");
  size_t len = self->key.len - 1;
  return key.len == len + sizeof suffix - 1 && memcmp(key.data, self->key.data, len) == 0 &&
         memcmp(key.data + len, suffix, sizeof suffix - 1) == 0;
}

static bool visit(void *to, const ck_event *event) {
  search *self = to;
  if (!is_about(self, event)) return true;
  self->status = ck_event_new(&self->found, event, self->err);
  return false;
}

ck_status ck_permit_words_find(ck_event **out, const ck_inspection *of, const ck_event *event,
                               ck_error *err) {
  search s = {.key = member(event, "key"), .err = err};
  ck_event_query query = {.session = of->head.session.no,
                          .until = event->seq,
                          .backward = true,
                          .kinds = UINT64_C(1) << CK_EVENT_OUTCOME};
  bool about = event->kind == CK_EVENT_INTENT || event->kind == CK_EVENT_OUTCOME;
  *out = NULL;
  if (!about || s.key.len < 3 || ck_permit_words_is_question(event)) return CK_OK;
  ck_status status = ck_store_read_events(of->store, &query, visit, &s, err);
  *out = s.found;
  return status == CK_OK ? s.status : status;
}
