/* session_view.c - reads everything that is shown of one session. */
#include "core/host/inspect/session_view.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/next_command.h"
#include "core/host/session/resume_command.h"
#include "core/model/dropped_answer.h"
#include "core/runtime/history/resolve.h"
#include "core/runtime/session/opening/approval.h"

void ck_session_view_take_record(ck_session_view *self, const ck_session_record *record,
                                 bool live) {
  self->id = record->id;
  self->status = ck_session_status_name(record->status);
  self->live = record->status == CK_SESSION_RUNNING ? live : -1;
  self->reason = record->reason;
  self->failure = record->failure;
  self->created_ms = record->created_ms;
  self->updated_ms = record->updated_ms;
  self->profile = record->profile;
  self->flow = record->flow;
  self->run = record->run;
  self->epoch = (int64_t)record->epoch;
  self->timeline = record->timeline;
  self->document = record->input;
}

void ck_session_view_set_standing(ck_session_view *self, ck_standing standing) {
  self->stands = standing;
  self->standing = ck_standing_name(standing);
  self->awaits = ck_standing_awaits(standing);
}

static void add_doubt(void *to, const ck_open_effect *effect) {
  ck_doubts *doubts = to;
  ck_buffer_append(&doubts->keys, effect->key, strlen(effect->key) + 1);
  doubts->count++;
}

static bool can_resume(const ck_inspection *inspection) {
  return ck_session_status_resumable(inspection->head.session.status) && !inspection->live;
}

/* A worker goes on with it, when one runs that has its labels. */
static ck_status find_worker(ck_session_view *self, const ck_host *host, ck_error *err) {
  ck_queued_append_command(&self->next, host, ck_value_bytes(self->queued));
  return ck_buffer_check(&self->next, err);
}

static ck_status find_next(ck_session_view *self, const ck_host *host, ck_store *store,
                           ck_error *err) {
  const char *answer = ck_questions_command(&self->questions);
  const ck_session_record *session = &self->head->session;
  bool asks = session->status == CK_SESSION_WAITING || ck_queued_from(session);
  if (!self->question && answer && asks) {
    ck_buffer_append_text(&self->next, answer);
    return ck_buffer_check(&self->next, err);
  }
  if (!self->question && self->queued && ck_queued_is_due(session))
    return find_worker(self, host, err);
  const char *words = self->question
                          ? "answer %s allow"
                          : ck_next_command_words(&self->head->session, self->doubts.count > 0);
  return ck_resume_command_append(&self->next, host, store, self->head, words, err);
}

static ck_status read_doubts(ck_doubts *out, const ck_inspection *inspection, ck_error *err) {
  ck_runtime runtime = {.store = inspection->store}; /* doubts are only read */
  ck_status status =
      ck_session_list_doubts(&runtime, inspection->head.session.id, add_doubt, out, err);
  return status == CK_OK ? ck_buffer_check(&out->keys, err) : status;
}

static void append_question(ck_buffer *out, const ck_value *body) {
  ck_bytes question = ck_approval_question(body),
           dropped = ck_json_get(ck_value_bytes(body), CK_DROPPED_ANSWER);
  ck_json_read_string(out, question);
  if (dropped.len) ck_buffer_append_text(out, " (");
  ck_dropped_answer_append(out, dropped, question);
  if (dropped.len) ck_buffer_append_text(out, ")");
}

ck_status ck_session_view_read_question(char **out, ck_store *store, const ck_head *head,
                                        ck_error *err) {
  ck_approval last;
  *out = NULL;
  ck_status status = ck_approval_read(&last, store, head, err);
  if (status == CK_OK && last.body && last.answer == CK_APPROVAL_NONE) {
    ck_buffer text = {0};
    append_question(&text, last.body);
    status = ck_buffer_check(&text, err);
    if (status == CK_OK) *out = ck_buffer_take(&text);
    ck_buffer_clear(&text);
  }
  ck_approval_clear(&last);
  return status;
}

/* What policies have settled and how often saving failed, beside the runs. */
typedef struct reading {
  ck_session_view *view;
  ck_status status;
  ck_error *err;
} reading;

static bool take_beside(void *to, const ck_event *event) {
  reading *self = to;
  if (event->kind == CK_EVENT_SAVING)
    ck_saving_take(&self->view->saving, event);
  else
    self->status = ck_verdicts_take(&self->view->verdicts, event, self->err);
  return self->status == CK_OK;
}

static ck_status read_runs(ck_session_view *self, const ck_inspection *inspection, ck_error *err) {
  reading to = {.view = self, .err = err};
  ck_runs_beside beside = {.kinds = 1ull << CK_EVENT_RESOLUTION | 1ull << CK_EVENT_SAVING,
                           .visit = take_beside,
                           .to = &to};
  ck_status status =
      ck_runs_read(&self->runs, inspection->store, self->head, inspection->live, &beside, err);
  ck_store_get_fault(self->saving.fault, inspection->store, self->head->session.id);
  return status == CK_OK ? to.status : status;
}

/* The parts that lie in the store beside the record. */
static ck_status read_stored(ck_session_view *self, const ck_inspection *inspection,
                             ck_error *err) {
  const ck_session_record *session = &self->head->session;
  ck_store *store = inspection->store;
  ck_status status = ck_store_count_checkpoints(&self->kept, store, session->no, err);
  if (status == CK_OK) status = ck_lineage_read(&self->lineage, store, session, err);
  if (status == CK_OK && can_resume(inspection))
    status = ck_session_view_read_question(&self->question, store, self->head, err);
  if (status == CK_OK) status = read_runs(self, inspection, err);
  if (status == CK_OK && can_resume(inspection) && self->runs.open)
    status = read_doubts(&self->doubts, inspection, err);
  if (status == CK_OK) status = ck_marks_read(&self->marks, store, self->head, err);
  if (status == CK_OK) status = ck_agents_spent_read(&self->agents, store, self->head, err);
  if (status == CK_OK)
    status = ck_recent_effects_read(&self->recent, store, self->head, self->runs.uncalled,
                                    self->live != 0, err);
  return status;
}

/* Whether workers have it: of a session that goes on. */
static ck_status read_queued(ck_session_view *self, ck_store *store, ck_error *err) {
  ck_last_run last;
  ck_status status = ck_last_run_read(&last, store, self->head, err);
  if (status == CK_OK && ck_queued_of(&last).len)
    status = ck_value_copy(&self->queued, ck_queued_of(&last), err);
  ck_last_run_clear(&last);
  return status;
}

/* Only an intent without an outcome can ask a person, or a resume that is to be approved: where
 * neither is, calls need not be read once more. */
static ck_status read_questions(ck_session_view *self, const ck_host *host,
                                const ck_inspection *inspection, ck_error *err) {
  ck_approval last = {0};
  ck_status status = CK_OK;
  bool asks = self->runs.open > 0;
  if (!asks) status = ck_approval_read(&last, inspection->store, self->head, err);
  asks |= last.body != NULL;
  ck_approval_clear(&last);
  return status == CK_OK && asks ? ck_questions_read(&self->questions, host, inspection, err)
                                 : status;
}

ck_status ck_session_view_read(ck_session_view *out, const ck_host *host,
                               const ck_inspection *inspection, ck_error *err) {
  const ck_session_record *session = &inspection->head.session;
  ck_error ignored = CK_ERROR_INIT;
  *out = (ck_session_view){.head = &inspection->head, .events = inspection->head.last_seq};
  ck_session_view_take_record(out, session, inspection->live);
  out->cause = out->live == 0 ? "its process is gone" : session->reason;
  if (ck_launch_read(&out->launch, session, &ignored) != CK_OK) ck_launch_clear(&out->launch);
  ck_status status = ck_place_find(&out->place, inspection->store, out->head, err);
  if (out->place.flow) out->flow = out->place.flow;
  out->lineage.filter = host->filter;
  if (status == CK_OK) status = read_stored(out, inspection, err);
  if (status == CK_OK && ck_session_status_resumable(session->status))
    status = read_queued(out, inspection->store, err);
  ck_session_view_set_standing(out, ck_standing_of(session, out->queued != NULL));
  if (out->queued && can_resume(inspection))
    ck_store_get_refusals(&out->refusals, inspection->store, session->id);
  if (status == CK_OK && can_resume(inspection))
    status = read_questions(out, host, inspection, err);
  return status == CK_OK && can_resume(inspection) ? find_next(out, host, inspection->store, err)
                                                   : status;
}

void ck_session_view_clear(ck_session_view *self) {
  ck_launch_clear(&self->launch);
  ck_place_clear(&self->place);
  ck_lineage_clear(&self->lineage);
  ck_runs_clear(&self->runs);
  ck_verdicts_clear(&self->verdicts);
  ck_marks_clear(&self->marks);
  ck_agents_spent_clear(&self->agents);
  ck_recent_effects_clear(&self->recent);
  ck_buffer_clear(&self->doubts.keys);
  free(self->question);
  ck_questions_clear(&self->questions);
  ck_value_free(self->queued);
  ck_buffer_clear(&self->next);
  *self = (ck_session_view){0};
}
