/* policy_explain.c - policy explain: why a session has a checkpoint at a boundary, or none. */
#include <stdlib.h>
#include <string.h>

#include "core/host/print/pager.h"
#include "core/host/command/commands.h"
#include "core/host/explain/explanation.h"
#include "core/host/explain/nearest.h"
#include "core/host/explain/other.h"
#include "core/host/explain/permit_words.h"
#include "core/host/explain/place.h"
#include "core/host/explain/pruned_list.h"
#include "core/host/explain/rerun_hooks.h"
#include "core/host/explain/run_policies.h"
#include "core/host/explain/tail_words.h"
#include "core/host/print/paragraph.h"
#include "core/host/print/table.h"
#include "core/runtime/session/tail/abandoned.h"
#include "lua/vm/sandbox.h"

typedef struct values {
  const char *session, *place;
  ck_words reruns;
  bool all;
} values;

typedef struct explaining {
  ck_output *output;
  const values *given;
  const char *with; /* the policy that is asked now; NULL: none */
  ck_inspection inspection;
  ck_view view;
  ck_run_policies policies;
  ck_pruned_list pruned;
  ck_rerun rerun;
  ck_explanation now; /* of the event that is looked at, a boundary */
  ck_other other;     /* the same of another event */
  int64_t seq;        /* the one that is asked about; 0: all */
  size_t shown, boundaries, differing, asked;
  size_t unrecorded;        /* written by an earlier version */
  size_t left, left_pruned; /* checkpoints that are not shown, as they were left behind */
  ck_hook failed_hook;
  char *failure;   /* of that hook, of a policy at the event that is asked about; owned */
  ck_event *leave; /* the answer by which an effect that is asked about could begin; owned */
  bool ended;      /* the last event that was looked at ends a run */
  ck_table table;
  ck_status status;
  ck_error *err;
} explaining;

static const ck_column columns[] = {
    {"SEQ", CK_COLUMN_RIGHT},
    {"WHAT", CK_COLUMN_LEFT},
    {"NODE", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"CHECKPOINT", CK_COLUMN_LEFT},
    {"WHY", CK_COLUMN_WRAP},
    {NULL, 0},
};
static const ck_column columns_of_rerun[] = {
    {"SEQ", CK_COLUMN_RIGHT},
    {"WHAT", CK_COLUMN_LEFT},
    {"NODE", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"CHECKPOINT", CK_COLUMN_LEFT},
    {"WHY", CK_COLUMN_CUT},
    {"NOW", CK_COLUMN_LEFT},
    {"WHY NOW", CK_COLUMN_WRAP},
    {NULL, 0},
};

/* ---- one boundary ---- */

static void put_member(ck_table *table, ck_bytes body, const char *name) {
  ck_buffer text = {0};
  ck_json_read_string(&text, ck_json_get(body, name));
  if (text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

typedef void (*append_words)(ck_buffer *out, const ck_explanation *self);

static void put_words(ck_table *table, const ck_explanation *of, append_words append) {
  ck_buffer text = {0};
  append(&text, of);
  if (text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void put_other_row(explaining *self) {
  const ck_other *of = &self->other;
  ck_buffer text = {0};
  ck_table_put_count(&self->table, of->event->seq);
  ck_table_put_word(&self->table, ck_event_kind_name(of->event->kind));
  ck_table_put_word(&self->table, NULL);
  ck_table_put_text(&self->table, ck_bytes_text(of->event->agent));
  ck_table_put_word(&self->table, of->abandoned ? "(abandoned)" : NULL);
  ck_other_append_why(&text, of);
  if (text.failed) self->table.text.failed = true;
  ck_table_put_text(&self->table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void put_row(explaining *self) {
  const ck_explanation *of = &self->now;
  ck_bytes body = ck_value_bytes(of->event->body);
  const char *taken = of->pruned ? "pruned" : of->checkpoint.len ? "yes" : "no";
  ck_table_put_count(&self->table, of->event->seq);
  put_member(&self->table, body, "kind");
  put_member(&self->table, body, "node");
  ck_table_put_text(&self->table, ck_bytes_text(of->event->agent));
  char cell[48];
  snprintf(cell, sizeof cell, "%s%s", taken, of->abandoned ? " (abandoned)" : "");
  ck_table_put_word(&self->table, cell);
  put_words(&self->table, of, ck_explanation_append_why);
  if (!self->with) return;
  ck_table_put_word(&self->table, of->now && of->now->taken ? "yes" : "no");
  put_words(&self->table, of, ck_explanation_append_now);
}

/* Each sentence is a line. */
static ck_status print_sentences(explaining *self, bool boundary) {
  ck_buffer text = {0};
  if (boundary)
    ck_explanation_append_sentences(&text, &self->now);
  else
    ck_other_append_sentences(&text, &self->other);
  ck_status status = ck_buffer_check(&text, self->err);
  for (size_t at = 0; status == CK_OK && at < text.len; at += strlen(text.data + at) + 1)
    ck_paragraph_print(self->output, ck_bytes_text(text.data + at), 0, CK_TONE_PLAIN);
  ck_buffer_clear(&text);
  return status;
}

static ck_status print_json(explaining *self, bool boundary) {
  ck_document document;
  ck_document_init(&document, self->output);
  if (boundary)
    ck_explanation_put(&document, &self->now);
  else
    ck_other_put(&document, &self->other);
  ck_status status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return status;
}

static bool print(explaining *self, bool boundary) {
  self->shown++;
  if (self->output->json)
    self->status = print_json(self, boundary);
  else if (self->seq)
    self->status = print_sentences(self, boundary);
  else if (boundary)
    put_row(self);
  else
    put_other_row(self);
  return self->status == CK_OK && ck_output_is_read(self->output);
}

static void find_fate(explaining *self) {
  char *id = self->now.checkpoint.len ? ck_json_dup_string(self->now.checkpoint) : NULL;
  self->now.pruned = id && ck_pruned_list_has(&self->pruned, self->now.event->seq);
  self->now.fate = (ck_pruned_fate){0};
  if (id) ck_pruned_list_get(&self->now.fate, &self->pruned, id, self->now.event->seq);
  self->now.abandoned = !ck_view_contains(&self->view, self->now.event->seq);
  free(id);
}

/* What a policy failed of, in the event beside the one that has its answer. */
static bool take_failure(void *to, const ck_event *event) {
  explaining *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (event->kind != CK_EVENT_POLICY_ERROR ||
      !ck_json_is_text(ck_json_get(body, "hook"), ck_hook_name(self->failed_hook)))
    return true;
  free(self->failure);
  self->failure = ck_json_dup_string(ck_json_get(body, "error"));
  return true;
}

static const char *find_failure(explaining *self, const ck_said_list *said, int64_t seq) {
  bool failed = false;
  for (size_t i = 0; i < said->count; i++) failed |= said->list[i].answer == CK_ANSWER_FAILED;
  ck_event_query query = {
      .session = self->inspection.head.session.no, .after = seq - 2, .until = seq + 1};
  self->failed_hook = said->hook;
  free(self->failure);
  self->failure = NULL;
  if (failed)
    self->status =
        ck_store_read_events(self->inspection.store, &query, take_failure, self, self->err);
  return self->failure;
}

static bool explain_boundary(explaining *self, const ck_event *event, ck_bytes policies) {
  self->now.session = self->inspection.head.session.id;
  ck_explanation_read(&self->now, event, policies, self->with ? &self->rerun : NULL);
  find_fate(self);
  self->now.failure = find_failure(self, &self->now.said, event->seq);
  if (self->status != CK_OK) return false;
  bool differs = ck_rerun_differs(&self->rerun, self->now.now);
  self->asked += self->now.now != NULL;
  self->differing += differs;
  if (self->with && !self->seq && !differs) return true;
  self->boundaries++;
  self->unrecorded += self->now.said.recorded == CK_E_EMPTY && self->now.kind != CK_BOUNDARY_EDIT;
  return print(self, true);
}

/* Who let the effect that is asked about begin. */
static bool find_leave(explaining *self, const ck_event *event) {
  ck_event_free(self->leave);
  self->leave = NULL;
  if (self->seq)
    self->status = ck_permit_words_find(&self->leave, &self->inspection, event, self->err);
  self->other.leave = self->leave;
  return self->status == CK_OK;
}

/* What a person does at rest, or a resume that is refused, is no part of a run. */
static void note_end(explaining *self, ck_event_kind kind) {
  bool end = kind >= CK_EVENT_SESSION_PAUSED && kind <= CK_EVENT_SESSION_CANCELLED;
  bool work = kind == CK_EVENT_BOUNDARY || kind == CK_EVENT_MESSAGE || kind == CK_EVENT_INTENT ||
              kind == CK_EVENT_OUTCOME || kind < CK_EVENT_SESSION_PAUSED;
  if (end || work) self->ended = end;
}

/* Without --all, or a number, what was left behind is not. */
static bool is_shown(const explaining *self, const ck_event *event) {
  return self->given->all || self->seq || ck_view_contains(&self->view, event->seq) ||
         ck_abandoned_is_of_session(event->kind);
}

static void count_left(explaining *self, const ck_event *event) {
  if (event->kind != CK_EVENT_BOUNDARY ||
      !ck_json_get(ck_value_bytes(event->body), "checkpoint").len)
    return;
  self->left++;
  self->left_pruned += ck_pruned_list_has(&self->pruned, event->seq);
}

static bool visit(void *to, const ck_event *event) {
  explaining *self = to;
  ck_bytes policies;
  if (!is_shown(self, event)) {
    count_left(self, event);
    return true;
  }
  note_end(self, event->kind);
  bool effect = event->kind == CK_EVENT_INTENT || event->kind == CK_EVENT_OUTCOME;
  bool decision = event->kind == CK_EVENT_BOUNDARY || event->kind == CK_EVENT_SESSION_RESUMED ||
                  ck_other_is_decision(event->kind) || ck_permit_words_is_answer(event) ||
                  (effect && self->seq);
  if (!decision && !event->decision.len) return true;
  self->status = ck_run_policies_get(&policies, &self->policies, event->timeline, self->err);
  if (self->status != CK_OK) return false;
  if (event->kind == CK_EVENT_BOUNDARY) return explain_boundary(self, event, policies);
  ck_other_read(&self->other, event, policies);
  self->other.abandoned =
      !ck_view_contains(&self->view, event->seq) && !ck_abandoned_is_of_session(event->kind);
  self->other.failure = find_failure(self, &self->other.said, event->seq);
  if (self->status != CK_OK || !find_leave(self, event)) return false;
  bool asked = self->seq && (self->other.said.recorded == CK_OK || self->other.own ||
                             self->other.unasked || self->other.leave);
  return self->other.decided || asked ? print(self, false) : true;
}

/* ---- all ---- */

static ck_status tell_hooks(explaining *self) {
  ck_rerun_telling telling = {.output = self->output,
                              .of = &self->inspection,
                              .policy = self->with,
                              .seq = self->seq,
                              .asked = self->asked,
                              .differing = self->differing,
                              .table = &self->table};
  ck_status status = ck_rerun_hooks_tell(&telling, self->err);
  self->shown += telling.shown;
  return status;
}

static ck_status explain(explaining *self) {
  const ck_head *head = &self->inspection.head;
  uint64_t kinds = self->with ? UINT64_C(1) << CK_EVENT_BOUNDARY : 0;
  ck_event_query query = {.session = head->session.no,
                          .after = self->seq ? self->seq - 1 : 0,
                          .until = self->seq,
                          .kinds = kinds};
  ck_status status = ck_store_read_events(self->inspection.store, &query, visit, self, self->err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK && self->with) status = tell_hooks(self);
  if (status == CK_OK && self->seq && !self->with)
    status =
        ck_tail_words_tell(&self->shown, self->output, &self->inspection, self->seq, self->err);
  if (status == CK_OK && self->seq && !self->shown)
    status = ck_nearest_refuse(&self->inspection, self->seq, self->err);
  return status == CK_OK && !self->seq && self->shown ? ck_table_print(&self->table, self->err)
                                                      : status;
}

static ck_status prepare(explaining *self) {
  const ck_head *head = &self->inspection.head;
  self->policies.of = &self->inspection;
  ck_status status =
      ck_explained_place(&self->seq, &self->inspection, self->given->place, self->err);
  if (status == CK_OK)
    status = ck_view_make(&self->view, head->timelines, head->timeline_count,
                          head->session.timeline, self->err);
  if (status == CK_OK)
    status = ck_pruned_list_read(&self->pruned, &self->inspection, self->seq, self->err);
  if (status == CK_OK && self->with)
    status = ck_rerun_ask(&self->rerun, &self->inspection, self->with, self->err);
  return status;
}

static void tell_left(const explaining *self) {
  char pruned[32] = "none";
  if (!self->left || self->with) return;
  if (self->left_pruned) snprintf(pruned, sizeof pruned, "%zu", self->left_pruned);
  if (self->left == 1)
    ck_output_notice(self->output,
                     "a checkpoint that a resume or a rewind left behind is not shown%s; --all "
                     "shows it",
                     self->left_pruned ? ", it was pruned" : "");
  else
    ck_output_notice(self->output,
                     "%zu checkpoints that a resume or a rewind left behind are not shown, %s of "
                     "them pruned; --all shows them",
                     self->left, pruned);
}

static ck_status conclude(explaining *self) {
  const ck_session_record *record = &self->inspection.head.session;
  bool stopped = !self->ended && record->status == CK_SESSION_PAUSED && record->reason;
  const ck_simulation *simulation = &self->rerun.simulation;
  if (!self->with && !self->shown && !stopped)
    ck_output_notice(self->output, "no boundary yet: no policy was asked");
  bool answered = stopped && strcmp(record->reason, "answered") == 0;
  if (answered && !self->with && !self->seq)
    ck_output_notice(self->output, "what it asked is answered; it was not resumed yet");
  else if (stopped && !self->with && !self->seq)
    ck_output_notice(self->output, "the last run stopped, and wrote no event of it: %s",
                     record->reason);
  if (self->unrecorded && !self->seq)
    ck_output_notice(self->output,
                     "an import or an earlier ckrun wrote %zu of the %zu %s: who was asked "
                     "there is not recorded; --rerun POLICY asks a policy now",
                     self->unrecorded, self->boundaries,
                     self->boundaries == 1 ? "boundary" : "boundaries");
  tell_left(self);
  if (!simulation->failures) return CK_OK;
  return ck_error_set(self->err, CK_E_POLICY, "policy %s: %lld %s of it failed%s: %s", self->with,
                      (long long)simulation->failures, simulation->failures == 1 ? "call" : "calls",
                      simulation->failures == 1 ? "" : "; the first", simulation->failure.text);
}

static ck_status check_reruns(const ck_words *all, ck_error *err) {
  if (all->count < 2) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "--rerun is given twice, %s and %s: one policy is asked at a time; a profile "
                      "asks several together",
                      all->list[0], all->list[1]);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  ck_pager_begin(host->output);
  explaining *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->output = host->output;
  self->given = given;
  self->err = err;
  self->with = self->given->reruns.count ? self->given->reruns.list[0] : NULL;
  ck_sandbox_quiet_print(true);
  ck_table_init(&self->table, host->output, self->with ? columns_of_rerun : columns);
  ck_status status = check_reruns(&self->given->reruns, err);
  if (status == CK_OK)
    status = ck_inspection_open_session(&self->inspection, host, self->given->session, err);
  bool opened = status == CK_OK;
  if (status == CK_OK) status = prepare(self);
  if (status == CK_OK) status = explain(self);
  if (status == CK_OK && ck_output_is_read(self->output)) status = conclude(self);
  ck_rerun_clear(&self->rerun);
  ck_pruned_list_clear(&self->pruned);
  ck_run_policies_clear(&self->policies);
  ck_view_clear(&self->view);
  free(self->failure);
  ck_event_free(self->leave);
  ck_table_clear(&self->table);
  if (opened) ck_inspection_close(&self->inspection);
  free(self);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "SEQ|CHECKPOINT",
     .optional = true,
     .offset = offsetof(values, place),
     .help = "one boundary in whole sentences: the number of its event or a checkpoint, an id or "
             "the beginning of one, \"first\" or \"latest\"; of one that was pruned the whole id"},
    {0},
};

static const ck_option options[] = {
    {.name = "rerun",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, reruns),
     .value = "POLICY",
     .complete = CK_COMPLETE_FILE,
     .help = "ask this policy now, or those of this profile, a file or a shipped one, and show "
             "where it decides otherwise"},
    {.name = "all",
     .offset = offsetof(values, all),
     .help = "boundaries of every timeline, also those that a resume has left behind"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy explain trip", "why there is a checkpoint at each boundary, or none"},
    {0},
};

const ck_command ck_command_policy_explain = {
    .name = "policy explain",
    .summary = "say what policies decided in a session, and why",
    .details =
        "Columns: seq, what it was (the kind of a boundary; pruned; intent of what a person was "
        "asked about; outcome of what failed or was denied, or of a tail; resolution, by a policy; "
        "session_paused, in doubt; session_resumed, by rules of policies; policy_error; "
        "resume_refused; resume_approval), node, agent, whether a checkpoint was taken (or pruned "
        "since), and why: which policies said yes with their reasons, which failed, which said no; "
        "who dropped checkpoints, had an effect retried, refused a resume, took something out of "
        "an event or a key. Policies that are not named were not asked: they have no such hook, or "
        "none for the agent who acted. Of sessions that were imported, or that an earlier ckrun "
        "wrote, only reasons are recorded.\n\n"
        "With --rerun each recorded boundary is shown to that policy or profile alone, with what "
        "was recorded of it; what is told since the last checkpoint is counted from those that it "
        "takes, as policy simulate does. Boundaries at which it decides otherwise are listed, with "
        "its reasons, and the answers to other hooks that would be others. Exit code 5 when it "
        "failed.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
