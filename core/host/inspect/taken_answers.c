/* taken_answers.c - finds which run went on by what people had said to a session at rest. */
#include "core/host/inspect/taken_answers.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/person.h"
#include "core/runtime/session/opening/approval.h"

void ck_taken_answers_clear(ck_taken_answers *self) {
  for (size_t i = 0; i < self->count; i++) ck_event_free(self->list[i].event);
  free(self->list);
  *self = (ck_taken_answers){0};
}

static ck_bytes member(const ck_event *event, const char *name) {
  return ck_json_get(ck_value_bytes(event->body), name);
}

/* By a person: policies say so within their runs. */
static bool is_answer(const ck_event *event) {
  if (event->kind == CK_EVENT_RESUME_APPROVAL) return member(event, "answer").len > 0;
  return !member(event, "policy").len && !member(event, "correction").len;
}

typedef struct reading {
  ck_taken_answers *to;
  ck_status status;
  ck_error *err;
} reading;

static bool take(void *to, const ck_event *event) {
  reading *self = to;
  ck_taken_answers *answers = self->to;
  if (!is_answer(event)) return true;
  ck_taken_answer *grown =
      ck_array_grow(answers->list, answers->count, &answers->cap, sizeof *grown);
  if (!grown) self->status = ck_error_no_memory(self->err);
  if (!grown) return false;
  answers->list = grown;
  grown[answers->count] = (ck_taken_answer){0};
  self->status = ck_event_new(&grown[answers->count].event, event, self->err);
  answers->count += self->status == CK_OK;
  return self->status == CK_OK;
}

/* An acquisition that only adds an event, as an answer is, keeps nothing of what it ran. */
static ck_status find_taker(ck_taken_answer *of, const ck_inspection *in, ck_error *err) {
  const ck_head *head = &in->head;
  ck_status status = CK_OK;
  for (size_t i = 0; i < head->timeline_count && status == CK_OK && !of->timeline; i++) {
    const ck_timeline *at = &head->timelines[i];
    ck_value *about = NULL;
    if (at->begin <= of->event->seq) continue;
    int64_t owner = at->session ? at->session : head->session.no;
    status = ck_store_get_about(&about, in->store, owner, at->no, err);
    if (about) of->timeline = at->no;
    ck_value_free(about);
  }
  return status;
}

typedef struct asking {
  ck_bytes key;
  bool asks_anew;
} asking;

/* What a run does first about the question: it asks, or the answer counts. */
static bool look_for_key(void *to, const ck_event *event) {
  asking *self = to;
  if (!ck_bytes_equal(member(event, "key"), self->key)) return true;
  self->asks_anew = event->kind == CK_EVENT_INTENT;
  return false;
}

static ck_status look_for_use(ck_taken_answer *of, const ck_inspection *in, ck_error *err) {
  asking self = {.key = member(of->event, "key")};
  const ck_head *head = &in->head;
  ck_view view;
  if (!of->timeline || of->event->kind != CK_EVENT_RESOLUTION) return CK_OK;
  ck_status status = ck_view_make(&view, head->timelines, head->timeline_count, of->timeline, err);
  ck_event_query query = {.session = head->session.no,
                          .view = &view,
                          .after = of->event->seq,
                          .kinds = UINT64_C(1) << CK_EVENT_INTENT | UINT64_C(1)
                                                                        << CK_EVENT_OUTCOME};
  if (status == CK_OK) status = ck_store_read_events(in->store, &query, look_for_key, &self, err);
  ck_view_clear(&view);
  of->dropped = self.asks_anew && member(of->event, "by").len > 0;
  return status;
}

ck_status ck_taken_answers_read(ck_taken_answers *out, const ck_inspection *of, ck_error *err) {
  reading all = {.to = out, .err = err};
  ck_event_query query = {
      .session = of->head.session.no,
      .kinds = UINT64_C(1) << CK_EVENT_RESOLUTION | UINT64_C(1) << CK_EVENT_RESUME_APPROVAL};
  *out = (ck_taken_answers){0};
  ck_status status = ck_store_read_events(of->store, &query, take, &all, err);
  if (status == CK_OK) status = all.status;
  for (size_t i = 0; i < out->count && status == CK_OK; i++)
    if ((status = find_taker(&out->list[i], of, err)) == CK_OK)
      status = look_for_use(&out->list[i], of, err);
  if (status != CK_OK) ck_taken_answers_clear(out);
  return status;
}

static ck_bytes key_of(const ck_event *event) {
  static const char own[] = "\"" CK_APPROVAL_KEY "\"";
  return event->kind == CK_EVENT_RESUME_APPROVAL ? ck_bytes_text(own) : member(event, "key");
}

/* Another answer to the same question came behind it, before that run. */
static bool is_replaced(const ck_taken_answers *self, size_t index) {
  const ck_taken_answer *one = &self->list[index];
  for (size_t i = index + 1; i < self->count; i++)
    if (self->list[i].timeline == one->timeline &&
        ck_bytes_equal(key_of(self->list[i].event), key_of(one->event)))
      return true;
  return false;
}

/* "the answer allow"; of a doubt "the verdict done". */
static void append_word(ck_buffer *out, const ck_event *event) {
  bool approval = event->kind == CK_EVENT_RESUME_APPROVAL;
  ck_bytes said = member(event, approval ? "answer" : "result"), by = member(event, "by");
  bool answer = approval || by.len;
  ck_buffer_append_text(out, answer ? "the answer " : "the verdict ");
  if (!answer) said = member(event, "verdict");
  if (!ck_json_read_string(out, said)) ck_buffer_append_bytes(out, said);
}

void ck_taken_answers_append(ck_buffer *out, const ck_taken_answers *self, const ck_event *event) {
  const char *before = "; by ";
  if (event->kind != CK_EVENT_SESSION_RESUMED) return;
  for (size_t i = 0; i < self->count; i++) {
    const ck_event *said = self->list[i].event;
    ck_bytes by = member(said, "by");
    if (self->list[i].timeline != event->timeline || is_replaced(self, i)) continue;
    bool dropped = self->list[i].dropped;
    ck_buffer_append_text(out, dropped ? "; " : before);
    append_word(out, said);
    ck_buffer_append_text(out, " to ");
    ck_json_read_string(out, key_of(said));
    if (by.len) ck_buffer_append_text(out, ", of ");
    if (by.len) ck_person_append(out, by);
    if (dropped) ck_buffer_append_text(out, ", did not count");
    before = dropped ? before : "; ";
  }
}
