/* load.c - loads what a run goes on from, without a trace: nothing is written. */
#include "core/runtime/session/opening/load.h"

#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/opening/opening.h"
#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/session_private.h"

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
                       .attempt = ck_next_attempt(head, from->seq, edited)};
  ck_id_make_run(out->run);
  memcpy(out->parent_run, head->session.run, sizeof out->parent_run);
}

typedef struct cuts {
  ck_json_writer *w;
  const ck_session *session;
} cuts;

static void write_cut(void *to, const char *scope, ck_bytes position) {
  const cuts *self = to;
  uint32_t attempt = self->session->timeline.attempt;
  bool ended = ck_replay_range_has_ended(position, attempt);
  int64_t cut = ended ? self->session->cut : ck_replay_range_cut(position, attempt);
  if (cut >= 0) ck_json_member_int(self->w, scope, cut);
}

ck_status ck_session_write_cuts(const ck_session *self, ck_json_writer *w, ck_error *err) {
  cuts to = {.w = w, .session = self};
  ck_json_name(w, "cuts");
  ck_json_begin(w, '{');
  ck_status status = ck_replay_range_visit_positions(self->state, write_cut, &to, err);
  ck_json_end(w, '}');
  return status;
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
  ck_totals_add_outcome(&self->session->spent.totals, event->body);
  self->status = ck_spending_add_outcome(&self->session->spent.agents, event->body, self->err);
  return self->status == CK_OK;
}

/* Money is the sum over all timelines: the latest checkpoint's totals, whatever its branch, and all
 * outcomes after it. */
static ck_status load_ledger(ck_session *self, const ck_head *head, ck_error *err) {
  replayable r = {.session = self,
                  .counted = head->has_latest ? head->latest.seq : 0,
                  .err = err,
                  .status = CK_OK};
  ck_replay_range range = {.session = head->session.no,
                           .view = &self->view,
                           .state = self->state,
                           .cut = self->cut,
                           .until = self->timeline.begin - 1};
  ck_ledger_set_lineage(self->ledger, &self->view, self->timeline.attempt);
  ck_status status = ck_replay_range_read(self->runtime->store, &range, load_event, &r, err);
  return status == CK_OK ? r.status : status;
}

ck_status ck_session_load_history(ck_session *self, const ck_head *head,
                                  const ck_checkpoint_info *from, bool edited, ck_error *err) {
  ck_timeline timeline;
  make_timeline(&timeline, head, from, edited);
  ck_session_set_timeline(self, &timeline);
  self->cut = timeline.cut;
  ck_session_set_reached(self, from->info);
  ck_status status = ck_session_make_view(self, head->timelines, head->timeline_count, err);
  if (status == CK_OK) status = ck_session_load_incidents(self, head, from, err);
  if (status == CK_OK) status = ck_session_load_totals(self, head, from, err);
  if (status == CK_OK)
    status = ck_session_load_sums(self, head->session.no, self->timeline.begin - 1, err);
  if (status == CK_OK) status = load_ledger(self, head, err);
  ck_session_continue_active(self);
  return status;
}

void ck_session_set_resumed_from(ck_session *self, int64_t seq) {
  self->resumed_from = seq;
  ck_session_follow_checkpoint(self, seq);
}
