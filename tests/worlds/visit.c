/* visit.c - people at other terminals: short processes beside a run, and between two. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/fork.h"
#include "core/runtime/history/prune_at_rest.h"
#include "core/runtime/history/rewind.h"
#include "core/runtime/session/requests.h"
#include "tests/worlds/baton.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/requests.h"
#include "tests/worlds/world.h"

enum { FIRST_NUMBER = 10, NUMBERS = 200, ANSWERS = 10 };

typedef struct picking {
  uint32_t left; /* so many more fit before the one that is taken */
  bool resumable;
  char id[CK_ID_SIZE];
  int64_t seq;
} picking;

static bool pick(void *to, const ck_checkpoint_info *checkpoint) {
  picking *self = to;
  if (self->resumable && !checkpoint->resumable) return true;
  snprintf(self->id, sizeof self->id, "%s", checkpoint->id);
  self->seq = checkpoint->seq;
  return self->left-- > 0;
}

/* One of the first ones; false: there is none. */
static bool pick_checkpoint(picking *out, ck_store *store, const ck_head *head, bool resumable) {
  ck_error err = CK_ERROR_INIT;
  *out = (picking){.left = chance_pick(CHANCE_PERSON, 8), .resumable = resumable};
  return ck_store_list_checkpoints(store, head->session.no, pick, out, &err) == CK_OK && out->seq;
}

/* There is nothing to go back to, or it is run by somebody. */
static bool may_be_refused(ck_status status) {
  return status == CK_E_REFUSED || status == CK_E_NOT_FOUND || status == CK_E_OWNED;
}

static void settle_report(world *self, ck_status status, const ck_error *err, const char *doing) {
  world_log("%s: %s", doing, ck_status_name(status));
  cover("%s, %s: %s", doing, baton_process() && self->process->execution ? "beside" : "at rest",
        status == CK_OK          ? "done"
        : may_be_refused(status) ? "refused"
                                 : "failed or cut off");
  if (!may_be_refused(status)) life_check(self, status, err, doing);
}

/* ---- at rest ---- */

static int64_t seq_of(ck_store *store, const ck_head *head, const char *checkpoint) {
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info info = {0};
  int64_t seq = 0;
  if (ck_store_get_checkpoint(&info, store, head->session.no, checkpoint, 0, &err) == CK_OK)
    seq = info.seq;
  ck_checkpoint_info_clear(&info);
  return seq;
}

static void go_back(world *self, ck_runtime *runtime, const ck_head *head, bool undo) {
  ck_error err = CK_ERROR_INIT;
  picking to;
  ck_history_edit_result made;
  if (!pick_checkpoint(&to, runtime->store, head, true)) return;
  ck_history_edit_options options = {.checkpoint = to.id, .report = "it was no good: " WORLD_WORD};
  self->model.timeline = head->session.timeline;
  ck_status status = undo ? ck_session_undo(&made, runtime, world_session, &err)
                          : ck_session_rewind(&made, runtime, world_session, &options, &err);
  settle_report(self, status, &err, undo ? "undo" : "rewind");
  if (may_be_refused(status)) self->model.timeline = 0;
  if (status != CK_OK) return;
  if (head->session.status == CK_SESSION_IN_DOUBT) cover("corner: gone back in doubt");
  int64_t seq = seq_of(runtime->store, head, made.checkpoint);
  if (seq == 0) return; /* the disk fails: the next one settles it */
  self->model.timeline = 0;
  model_rewound(&self->model, made.from_seq, seq);
}

/* It was made, and who made it never heard so: whoever sees it may see what the power still takes.
 */
void visit_settle(world *self, const ck_head *head) {
  int64_t before = self->model.timeline, saved = self->model.saved_seq, top = self->model.top_seq;
  self->model.timeline = 0;
  if (before == 0 || head->session.timeline <= before) return;
  world_log("the change of history was made");
  cover("corner: a change of history was cut off, and made");
  model_rewound(&self->model, head->timelines[head->timeline_count - 1].checkpoint,
                head->checkpoint.seq);
  self->model.saved_seq = saved;
  self->model.top_seq = top;
  model_checkpoint(&self->model, head->checkpoint.seq)->doubtful = true;
}

static void prune(world *self, ck_runtime *runtime) {
  ck_error err = CK_ERROR_INIT;
  ck_pruned done = {0};
  ck_prune_order order = {.keep = 1 + chance_pick(CHANCE_PERSON, 4)};
  ck_status status = ck_session_prune_at_rest(&done, runtime->store, world_session, &order, &err);
  settle_report(self, status, &err, "prune");
  if (status == CK_OK && self->model.fork_count) cover("corner: pruned beside a fork");
  world_model *model = &self->model;
  for (size_t i = 0; i < model->checkpoint_count && status != CK_OK; i++)
    if (!model->checkpoints[i].pinned) model->checkpoints[i].doubtful |= !may_be_refused(status);
  for (size_t i = 0; i < done.report.count && status == CK_OK; i++) {
    world_checkpoint *known = model_checkpoint(model, done.report.seqs[i]);
    if (known && known->pinned)
      model_fail(model, "checkpoint %lld is pruned, and pinned", (long long)known->seq);
    if (known) known->pruned = true;
  }
  ck_pruned_clear(&done);
}

static void pin(world *self, ck_store *store, const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  ck_lease lease;
  picking to;
  if (!pick_checkpoint(&to, store, head, false)) return;
  ck_status status = ck_store_lock_session(&lease, store, world_session, head->session.epoch, &err);
  if (status == CK_OK) {
    status = ck_store_pin(store, lease, to.seq, true, &err);
    ck_store_release(store, lease);
  }
  settle_report(self, status, &err, "pin");
  world_checkpoint *known = model_checkpoint(&self->model, to.seq);
  if (known && status == CK_OK) known->pinned = true;
}

static void fork_it(world *self, ck_runtime *runtime, const ck_head *head) {
  static const char *const ids[WORLD_FORKS] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
  ck_error err = CK_ERROR_INIT;
  ck_history_edit_result made;
  picking from;
  world_model *model = &self->model;
  if (self->visits >= WORLD_FORKS || !pick_checkpoint(&from, runtime->store, head, true)) return;
  const char *fork = ids[self->visits++];
  ck_history_edit_options options = {.checkpoint = from.id, .fork = fork};
  ck_status status = ck_session_fork(&made, runtime, world_session, &options, &err);
  settle_report(self, status, &err, "fork");
  if (status != CK_OK) return;
  struct world_fork *known = &model->forks[model->fork_count++];
  *known = (struct world_fork){.from = made.from_seq};
  snprintf(known->id, sizeof known->id, "%s", fork);
}

static void do_at_rest(world *self, ck_runtime *runtime, const ck_head *head, uint32_t what) {
  if (what == 1 || what == 2) go_back(self, runtime, head, false);
  if (what == 3) go_back(self, runtime, head, true);
  if (what == 4 || what == 5) prune(self, runtime);
  if (what == 6) pin(self, runtime->store, head);
  if (what == 7) fork_it(self, runtime, head);
}

static void do_beside(world *self, ck_runtime *runtime, const ck_head *head, uint32_t what) {
  ck_error err = CK_ERROR_INIT;
  if (what == 0) {
    requests_paused(head);
    settle_report(self, ck_request_pause(runtime->store, world_session, NULL, &err), &err, "ask");
  }
  if (what == 1) fork_it(self, runtime, head);
  if (what == 2) prune(self, runtime);
  if (what == 3) go_back(self, runtime, head, false);
  if (what > 3) requests_leave(self, runtime, head, what == ANSWERS);
}

typedef void (*visit)(world *self, ck_runtime *runtime, const ck_head *head, uint32_t what);

static void come(world *self, visit does, uint32_t what) {
  ck_error err = CK_ERROR_INIT;
  ck_runtime *runtime = NULL;
  ck_head head;
  ck_clock clock = life_clock();
  int before = baton_process();
  baton_set_process(FIRST_NUMBER + self->visitors++ % NUMBERS);
  ck_store_options options = world_store(false);
  ck_status status = ck_runtime_open(&runtime, self->url, &options, &clock, &err);
  if (life_check(self, status, &err, "open to visit")) {
    status = ck_store_get_head(&head, runtime->store, world_session, &err);
    if (status == CK_OK) visit_settle(self, &head);
    if (status == CK_OK && does == do_at_rest) tails_check(self, runtime->store, &head);
    if (life_check(self, status, &err, "look") && head.session.status != CK_SESSION_COMPLETED)
      does(self, runtime, &head, what);
    ck_head_clear(&head);
  }
  ck_runtime_close(runtime);
  baton_set_process(before);
}

void visit_at_rest(world *self) {
  chance_begin_scene();
  uint32_t what = chance_pick(CHANCE_VISIT, 16);
  if (what == 0 || what > 7 || !self->model.created) return;
  world_log("visit %u", what);
  come(self, do_at_rest, what);
  if (disk_power_is_out()) model_lost_power(&self->model);
  if (disk_power_is_out()) requests_lost_power();
  disk_restart();
}

void visit_beside(world *self, bool asked) {
  uint32_t what = asked ? ANSWERS : chance_pick(CHANCE_VISIT, ANSWERS);
  world_log("beside %u", what);
  come(self, do_beside, what);
}
