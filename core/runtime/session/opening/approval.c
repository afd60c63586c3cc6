/* approval.c - reads and records the question whether a session may be resumed, and its answer. */
#include "core/runtime/session/opening/approval.h"

#include "core/base/person.h"
#include "core/store/maintenance.h"

static const char *const answers[] = {
    [CK_APPROVAL_NONE] = NULL, [CK_APPROVAL_ALLOW] = "allow", [CK_APPROVAL_DENY] = "deny"};

const char *ck_approval_answer_name(ck_approval_answer answer) { return answers[answer]; }

void ck_approval_clear(ck_approval *self) {
  ck_value_free(self->body);
  *self = (ck_approval){0};
}

ck_bytes ck_approval_question(const ck_value *body) {
  return ck_json_get(ck_value_bytes(body), "question");
}

/* ---- which one counts ---- */

/* A run has executed in it: an acquisition that only added an event, as an answer to a flow's
 * question is, keeps nothing of what it ran. */
static ck_status has_executed(bool *out, ck_store *store, const ck_head *head,
                              const ck_timeline *timeline, ck_error *err) {
  ck_value *about;
  int64_t owner = timeline->session ? timeline->session : head->session.no;
  ck_status status = ck_store_get_about(&about, store, owner, timeline->no, err);
  *out = about != NULL;
  ck_value_free(about);
  return status;
}

static ck_status was_resumed(bool *out, ck_store *store, const ck_head *head, int64_t since,
                             ck_error *err) {
  ck_status status = CK_OK;
  *out = false;
  for (size_t i = 0; i < head->timeline_count && status == CK_OK && !*out; i++)
    if (head->timelines[i].begin > since)
      status = has_executed(out, store, head, &head->timelines[i], err);
  return status;
}

/* What a run leaves where it ends. */
#define OF_A_RUN (1ull << CK_EVENT_BOUNDARY | 1ull << CK_EVENT_SESSION_PAUSED)

enum { LOOKED_AT_MAX = 64 };

typedef struct looking {
  ck_approval *out;
  ck_store *store;
  const ck_head *head;
  int looked_at;
  int64_t left; /* those before it are still to be looked at; 0: none */
  ck_status status;
  ck_error *err;
} looking;

/* No approval that counts lies before an event of a run that has executed: one of before the run's
 * beginning was taken by it, and at rest nothing else is written into its timeline. Of older stores
 * it is not known which runs have. */
static bool is_before_run(looking *self, const ck_event *event) {
  bool executed = false;
  for (size_t i = 0; i < self->head->timeline_count && self->status == CK_OK; i++)
    if (self->head->timelines[i].no == event->timeline)
      self->status =
          has_executed(&executed, self->store, self->head, &self->head->timelines[i], self->err);
  if (!executed && ++self->looked_at == LOOKED_AT_MAX) self->left = event->seq;
  return self->status == CK_OK && !executed && !self->left;
}

static bool take_last(void *to, const ck_event *event) {
  looking *self = to;
  ck_approval *out = self->out;
  if (OF_A_RUN >> event->kind & 1) return is_before_run(self, event);
  if (event->kind != CK_EVENT_RESUME_APPROVAL) return false;
  ck_bytes answer = ck_json_get(ck_value_bytes(event->body), "answer");
  out->body = ck_value_share(event->body);
  out->seq = event->seq;
  for (int i = CK_APPROVAL_ALLOW; i <= CK_APPROVAL_DENY; i++)
    if (ck_json_is_text(answer, answers[i])) out->answer = (ck_approval_answer)i;
  return false;
}

ck_status ck_approval_read(ck_approval *out, ck_store *store, const ck_head *head, ck_error *err) {
  bool taken = false;
  looking self = {.out = out, .store = store, .head = head, .err = err};
  ck_event_query query = {.session = head->session.no, .backward = true};
  uint64_t kinds = 1ull << CK_EVENT_RESUME_APPROVAL | 1ull << CK_EVENT_RESUME_REFUSED |
                   1ull << CK_EVENT_SESSION_REWOUND | 1ull << CK_EVENT_SESSION_UNDONE;
  *out = (ck_approval){0};
  query.kinds = kinds | OF_A_RUN;
  ck_status status = ck_store_read_events(store, &query, take_last, &self, err);
  if (status == CK_OK) status = self.status;
  query.kinds = kinds;
  query.until = self.left - 1;
  if (status == CK_OK && query.until > 0)
    status = ck_store_read_events(store, &query, take_last, &self, err);
  if (status == CK_OK && out->body) status = was_resumed(&taken, store, head, out->seq, err);
  if (status != CK_OK || taken) ck_approval_clear(out);
  return status;
}

/* ---- recording ---- */

ck_status ck_approval_write(ck_value **out, const char *question, const char *policies,
                            const ck_value *seen, bool changed, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "question", question);
  ck_json_member_text(&w, "policies", policies);
  if (seen) ck_json_member_raw(&w, "seen", ck_value_bytes(seen));
  if (changed) ck_json_member_bool(&w, "changed", true);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_approval_answer_record(ck_runtime *runtime, const ck_head *head,
                                    const ck_value *question, ck_approval_answer answer,
                                    ck_error *err) {
  static const char *const kept[] = {"question", "policies", "changed"};
  ck_buffer buffer = {0};
  ck_value *body = NULL;
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    ck_bytes value = ck_json_get(ck_value_bytes(question), kept[i]);
    if (value.len) ck_json_member_raw(&w, kept[i], value);
  }
  ck_json_member_text(&w, "answer", answers[answer]);
  ck_json_name(&w, "by");
  ck_json_begin(&w, '{');
  ck_person_write(&w, runtime->via);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK)
    status = ck_opening_record(runtime, head, CK_EVENT_RESUME_APPROVAL, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_opening_record(ck_runtime *runtime, const ck_head *head, ck_event_kind kind,
                            ck_value *body, ck_error *err) {
  const ck_clock *clock = &runtime->clock;
  ck_store *store = runtime->store;
  ck_lease lease;
  ck_event event = {.seq = head->last_seq + 1,
                    .timeline = head->session.timeline,
                    .kind = kind,
                    .at_ms = clock->wall_ms(clock->self),
                    .scope = "main",
                    .body = body};
  ck_event *events[] = {&event};
  ck_status status =
      ck_store_lock_session(&lease, store, head->session.id, head->session.epoch, err);
  if (status != CK_OK) return status;
  ck_batch batch = {
      .lease = lease, .events = events, .event_count = 1, .durability = CK_DURABLE_POWER};
  status = ck_store_commit(store, &batch, 1, err);
  if (status == CK_OK && batch.status != CK_OK)
    status = ck_error_set(err, batch.status, "%s", ck_status_text(batch.status));
  ck_store_release(store, lease);
  return status;
}
