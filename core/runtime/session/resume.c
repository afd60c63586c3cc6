/* resume.c - goes on from a checkpoint: choose, load and verify all that is needed, then acquire.
 *
 * Rows up to the head's last seq never change, and the acquisition answers whether the head is
 * still the head: so everything that can fail comes before it, and a resume that fails has changed
 * nothing. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/select.h"
#include "core/runtime/session/migrate.h"
#include "core/runtime/session/session_private.h"
#include "core/runtime/budget/usage.h"
#include "core/runtime/ledger/replay_range.h"

static ck_status check_resumable(const ck_session_record *record, ck_error *err) {
  if (ck_session_status_resumable(record->status)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "session %s is %s and cannot be resumed", record->id,
                      ck_session_status_name(record->status));
}

/* Fills `*out` (seq 0: from the first event). */
static ck_status choose(ck_checkpoint_info *out, ck_store *store, const ck_head *head,
                        const char *id, ck_error *err) {
  ck_status status = ck_select_checkpoint(out, store, head, &(ck_choice){.id = id}, err);
  if (status == CK_OK && out->seq && !out->resumable)
    status =
        ck_error_set(err, CK_E_REFUSED, "checkpoint %s of session %s is not one to resume from",
                     out->id, head->session.id);
  return status;
}

static const ck_timeline *find_timeline(const ck_head *head, int64_t no) {
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == no) return &head->timelines[i];
  return NULL;
}

static uint32_t highest_attempt(const ck_head *head) {
  uint32_t highest = 1;
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].attempt > highest) highest = head->timelines[i].attempt;
  return highest;
}

/* After a crash the attempt stays, so that everything recorded replays; after a failure, from an
 * older checkpoint than the latest, or with edits, it rises. */
static uint32_t next_attempt(const ck_head *head, int64_t from, bool edited) {
  int64_t latest = head->has_checkpoint ? head->checkpoint.seq : 0;
  bool rises = head->session.status == CK_SESSION_FAILED || from != latest || edited;
  const ck_timeline *live = find_timeline(head, head->session.timeline);
  if (rises) return highest_attempt(head) + 1;
  return live ? live->attempt : 1;
}

static void make_timeline(ck_timeline *out, const ck_head *head, const ck_checkpoint_info *from,
                          bool edited) {
  int64_t no = 0;
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no > no) no = head->timelines[i].no;
  *out = (ck_timeline){.no = no + 1,
                       .parent = from->seq ? from->timeline : 1,
                       .cut = from->seq ? from->seq : 1,
                       .begin = head->last_seq + 1,
                       .checkpoint = from->seq,
                       .attempt = next_attempt(head, from->seq, edited)};
  ck_id_make_run(out->run);
  memcpy(out->parent_run, head->session.run, sizeof out->parent_run);
}

typedef struct cuts {
  ck_json_writer *w;
  uint32_t attempt;
} cuts;

static void write_cut(void *to, const char *scope, ck_bytes position) {
  const cuts *self = to;
  int64_t cut = ck_replay_range_cut(position, self->attempt);
  if (cut >= 0) ck_json_member_int(self->w, scope, cut);
}

ck_status ck_session_write_cuts(const ck_session *self, ck_json_writer *w, ck_error *err) {
  cuts to = {.w = w, .attempt = self->timeline.attempt};
  ck_json_name(w, "cuts");
  ck_json_begin(w, '{');
  ck_status status = ck_replay_range_visit_positions(self->state, write_cut, &to, err);
  ck_json_end(w, '}');
  return status;
}

static ck_status write_resumed(ck_value **out, const ck_session *self,
                               const ck_checkpoint_info *from, ck_error *err) {
  const ck_timeline *timeline = &self->timeline;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "run", timeline->run);
  ck_json_member_text(&w, "parent_run", timeline->parent_run);
  ck_json_member_text(&w, "checkpoint", from->seq ? from->id : NULL);
  ck_json_member_int(&w, "attempt", timeline->attempt);
  ck_status status = ck_session_write_cuts(self, &w, err);
  ck_session_write_rules(self, &w);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* What is known before the acquisition. */
typedef struct plan {
  ck_session *session;
  ck_head head;
  ck_checkpoint_info from;
  ck_state_edits edits;
  ck_value *migrated;
  ck_restarts restarts;
  bool rehearsal;
  bool failing; /* it died too often: that is all that is written */
} plan;

static void clear_plan(plan *self) {
  ck_head_clear(&self->head);
  ck_checkpoint_info_clear(&self->from);
  ck_state_edits_clear(&self->edits);
  ck_value_free(self->migrated);
}

static const char died_often[] =
    "it died three times in a row soon after it was resumed, without getting anywhere";

static ck_status write_failing(ck_value **out, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reason", died_often);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status acquire(ck_session *self, const plan *p, ck_error *err) {
  size_t count = 1 + p->edits.count;
  const ck_session_update failing = {.status = CK_SESSION_FAILING, .reason = died_often};
  ck_value *body = NULL;
  ck_event **events = calloc(count, sizeof *events);
  ck_status status = !events      ? ck_error_no_memory(err)
                     : p->failing ? write_failing(&body, err)
                                  : write_resumed(&body, self, &p->from, err);
  ck_event first = {.seq = self->timeline.begin,
                    .timeline = self->timeline.no,
                    .kind = p->failing ? CK_EVENT_SESSION_PAUSED : CK_EVENT_SESSION_RESUMED,
                    .at_ms = self->runtime->clock.wall_ms(self->runtime->clock.self),
                    .scope = "main",
                    .body = body};
  if (status == CK_OK) status = ck_session_make_opening(events, &first, &p->edits, err);
  ck_opening opening = {.timeline = &self->timeline,
                        .events = events,
                        .event_count = count,
                        .restarts = p->restarts,
                        .update = p->failing ? &failing : NULL,
                        .compress_from = ck_session_compress_from(self),
                        .unsealed = self->profile && self->profile->encrypt == CK_ENCRYPT_NEVER};
  if (status == CK_OK)
    status = ck_store_acquire(&self->lease, self->runtime->store, p->head.session.id,
                              p->head.session.epoch, &opening, err);
  for (size_t i = 0; events && i < count; i++) ck_event_free(events[i]);
  free(events);
  ck_value_free(body);
  self->next_seq = self->timeline.begin + (int64_t)count;
  return status;
}

static ck_status make_view(ck_session *self, const ck_head *head, ck_error *err) {
  ck_timeline *all = malloc((head->timeline_count + 1) * sizeof *all);
  if (!all) return ck_error_no_memory(err);
  memcpy(all, head->timelines, head->timeline_count * sizeof *all);
  all[head->timeline_count] = self->timeline;
  ck_status status =
      ck_view_make(&self->view, all, head->timeline_count + 1, self->timeline.no, err);
  free(all);
  return status;
}

typedef struct adding {
  ck_spending *spending;
  ck_status status;
  ck_error *err;
} adding;

static bool add_outcome(void *to, const ck_event *event) {
  adding *self = to;
  self->status = ck_spending_add_outcome(self->spending, event->body, self->err);
  return self->status == CK_OK;
}

static ck_status add_up_spending(ck_session *self, int64_t session, int64_t until, ck_error *err) {
  adding all = {.spending = &self->spending, .err = err};
  ck_event_query query = {.session = session, .until = until, .kinds = 1ull << CK_EVENT_OUTCOME};
  ck_spending_clear(&self->spending);
  ck_status status = ck_store_read_events(self->runtime->store, &query, add_outcome, &all, err);
  return status == CK_OK ? all.status : status;
}

typedef struct replayable {
  ck_session *session;
  int64_t counted; /* totals up to here are in the latest checkpoint */
  ck_status status;
  ck_error *err;
} replayable;

static bool load_event(void *to, const ck_event *event) {
  replayable *self = to;
  self->status = ck_ledger_apply(self->session->ledger, event, self->err);
  if (event->kind != CK_EVENT_OUTCOME || event->seq <= self->counted || self->status != CK_OK)
    return self->status == CK_OK;
  ck_totals_add_outcome(&self->session->totals, event->body);
  self->status = ck_spending_add_outcome(&self->session->spending, event->body, self->err);
  return self->status == CK_OK;
}

/* What agents had spent at the latest checkpoint, on whatever branch it lies. `latest` is the one
 * with the session's totals; its state cannot be had any more once it is pruned: then all outcomes
 * up to it are added up. */
static ck_status load_spending(ck_session *self, const ck_head *head,
                               const ck_checkpoint_info *from, ck_error *err) {
  ck_state *state = NULL;
  if (!head->has_latest) return CK_OK;
  if (head->latest.seq == from->seq) return ck_spending_read(&self->spending, self->state, err);
  ck_status status = CK_OK;
  int64_t rounds;
  if (from->seq) status = ck_spending_read(&self->spending, self->state, err);
  rounds = self->spending.rounds;
  if (status != CK_OK) return status;
  ck_error unreadable = CK_ERROR_INIT;
  if (ck_store_get_state(&state, self->runtime->store, head->session.no, head->latest.seq,
                         &unreadable) == CK_OK)
    status = ck_spending_read(&self->spending, state, err);
  else
    status = add_up_spending(self, head->session.no, head->latest.seq, err);
  self->spending.rounds =
      rounds; /* those of a branch that was left do not count, unlike its money */
  self->spending.changed = true;
  ck_state_free(state);
  return status;
}

/* Money is the sum over all timelines: the latest checkpoint's totals, whatever its branch, and all
 * outcomes after it. */
static ck_status load_ledger(ck_session *self, const ck_head *head, ck_error *err) {
  replayable r = {.session = self, .err = err, .status = CK_OK};
  if (head->has_latest) {
    self->totals = head->latest.totals;
    r.counted = head->latest.seq;
  }
  ck_replay_range what = {.session = head->session.no,
                          .view = &self->view,
                          .state = self->state,
                          .cut = self->cut,
                          .until = self->timeline.begin - 1};
  ck_status status = ck_replay_range_read(self->runtime->store, &what, load_event, &r, err);
  return status == CK_OK ? r.status : status;
}

/* The head's record becomes the session's. */
static void adopt(ck_session *self, ck_head *head, const ck_checkpoint_info *from) {
  self->record = head->session;
  head->session = (ck_session_record){0};
  self->checkpoint = self->resumed_from = from->seq;
  self->record.status = CK_SESSION_RUNNING;
  self->record.timeline = self->timeline.no;
  self->record.epoch = self->lease.epoch;
  memcpy(self->record.run, self->timeline.run, sizeof self->record.run);
}

/* The run that is about to begin, and what it may be asked for again. */
ck_status ck_session_load_checkpoint_list(ck_session *self, const ck_head *head,
                                          const ck_checkpoint_info *from, bool edited,
                                          ck_error *err) {
  make_timeline(&self->timeline, head, from, edited);
  self->cut = self->timeline.cut;
  self->place = from->info ? ck_value_share(from->info) : NULL;
  ck_status status = make_view(self, head, err);
  if (status == CK_OK) status = load_spending(self, head, from, err);
  if (status == CK_OK) status = load_ledger(self, head, err);
  self->active_base_us = self->totals.active_us;
  return status;
}

/* A slot that is about to be edited need not be filled. */
static ck_status load_state(ck_session *self, const ck_head *head, const ck_checkpoint_info *from,
                            const ck_state_edits *edits, bool keep_slots, ck_error *err) {
  if (!from->seq) return CK_OK;
  ck_state *state;
  ck_status status =
      ck_store_get_state(&state, self->runtime->store, head->session.no, from->seq, err);
  if (status != CK_OK) return status;
  ck_state_free(self->state);
  self->state = state;
  for (size_t i = 0; !keep_slots && i < edits->count; i++)
    ck_state_remove(state, edits->items[i].key);
  return ck_session_fill_secret_references(self, keep_slots, err);
}

static ck_status collect_edits(ck_state_edits *out, ck_session *self, const ck_head *head,
                               const ck_checkpoint_info *from, const ck_resume_options *options,
                               ck_error *err) {
  ck_status status = ck_session_find_edits(out, self, head, from->seq, err);
  if (status == CK_OK) status = ck_state_edits_append_all(out, options->edits, err);
  return status == CK_OK && !options->keep_slots ? ck_session_check_edits(self, out, err) : status;
}

/* A new limit changes nothing of what was done. */
static bool changes_memory(const ck_state_edits *edits) {
  for (size_t i = 0; i < edits->count; i++)
    if (!ck_limits_is_key(edits->items[i].key)) return true;
  return false;
}

static ck_status refuse_failing(const char *id, ck_error *err) {
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is failing: %s; find out why, then resume it with --retry", id,
                      died_often);
}

/* Who only adds events does not go on with it. */
static ck_status check_restarts(plan *p, const ck_resume_options *options, ck_error *err) {
  bool marked = p->head.session.status == CK_SESSION_FAILING;
  p->restarts = p->head.session.restarts;
  if (options->keep_slots && !p->rehearsal) return CK_OK;
  if (marked && !options->retry && !p->rehearsal) return refuse_failing(p->head.session.id, err);
  ck_status status = ck_session_count_restart(&p->restarts, p->session, &p->head, err);
  if (options->retry) p->restarts.count = 1;
  p->failing = p->restarts.count > CK_RESTARTS_MAX || (marked && !options->retry);
  return status;
}

/* Who only adds events leaves the state as it is. */
static int64_t version_of(const plan *p, const ck_resume_options *options) {
  return options->keep_slots && !p->rehearsal ? -1 : options->flow_version;
}

static ck_status load(plan *p, ck_runtime *runtime, const ck_resume_options *options,
                      ck_error *err) {
  ck_status status = ck_session_new(&p->session, runtime, options->profile, options->policies, err);
  ck_session *self = p->session;
  if (status == CK_OK) status = check_restarts(p, options, err);
  if (status == CK_OK) status = collect_edits(&p->edits, self, &p->head, &p->from, options, err);
  if (status == CK_OK)
    status = load_state(self, &p->head, &p->from, &p->edits, options->keep_slots, err);
  if (status == CK_OK)
    status = ck_session_migrate(&p->migrated, self, &p->head.session, version_of(p, options), err);
  bool changed = p->migrated || changes_memory(&p->edits);
  if (status == CK_OK)
    status = ck_session_load_checkpoint_list(self, &p->head, &p->from, changed, err);
  return status == CK_OK ? ck_session_ask_rules(self, &p->head, &p->from, err) : status;
}

/* Everything that can fail without a trace. */
static ck_status prepare(plan *p, ck_runtime *runtime, const char *id,
                         const ck_resume_options *options, ck_error *err) {
  ck_status status = ck_id_check("session id", id, err);
  if (status == CK_OK) status = ck_store_get_head(&p->head, runtime->store, id, err);
  if (status == CK_OK) status = check_resumable(&p->head.session, err);
  if (status == CK_OK && !p->rehearsal) status = ck_store_check_owner(runtime->store, id, err);
  if (status == CK_OK)
    status = choose(&p->from, runtime->store, &p->head, options->checkpoint, err);
  if (status == CK_OK) status = load(p, runtime, options, err);
  if (status == CK_OK) return CK_OK;
  ck_session_close(p->session);
  p->session = NULL;
  return status;
}

static ck_status begin(plan *p, const ck_resume_options *options, ck_error *err) {
  ck_session *self = p->session;
  ck_status status = acquire(self, p, err);
  if (status == CK_OK && p->failing) status = refuse_failing(p->head.session.id, err);
  if (status != CK_OK) return status;
  adopt(self, &p->head, &p->from);
  self->record.restarts = p->restarts;
  ck_session_mark_checkpoint(self, self->next_seq - 1);
  status = ck_session_open_channel(self, err);
  if (status == CK_OK) status = ck_session_put_base(self, err);
  if (status == CK_OK && !options->keep_slots) status = ck_session_make_edits(self, &p->edits, err);
  return status == CK_OK ? ck_session_make_migration(self, p->migrated, options->flow_version, err)
                         : status;
}

ck_status ck_session_prepare(ck_session **out, bool *failing, ck_runtime *runtime, const char *id,
                             const ck_resume_options *given, ck_error *err) {
  plan p = {.rehearsal = true};
  ck_resume_options options = *given;
  options.keep_slots = true;
  ck_status status = prepare(&p, runtime, id, &options, err);
  if (status == CK_OK)
    p.session->record.no = p.head.session.no; /* so that its events can be read */
  clear_plan(&p);
  *out = p.session;
  *failing = p.failing;
  return status;
}

ck_status ck_session_resume(ck_session **out, ck_runtime *runtime, const char *id,
                            const ck_resume_options *options, ck_error *err) {
  plan p = {0};
  ck_status status = prepare(&p, runtime, id, options, err);
  if (status == CK_OK) status = begin(&p, options, err);
  clear_plan(&p);
  *out = status == CK_OK ? p.session : NULL;
  if (status != CK_OK) ck_session_close(p.session);
  return status;
}
