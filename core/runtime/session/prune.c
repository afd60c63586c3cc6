/* prune.c - asks the policies which checkpoints of the session's history go, and lets the store
 * drop them. */
#include "core/runtime/session/prune.h"

#include <stdlib.h>

#include "core/base/log.h"
#include "core/runtime/session/boundary_event.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/checkpoint_list.h"
#include "core/runtime/session/session_private.h"

bool ck_session_prune_is_due(const ck_session *self, const ck_boundary *at) {
  int64_t every = !self->profile                     ? 0
                  : self->profile->single_checkpoint ? 1
                                                     : self->profile->prune_every_n_nodes;
  bool ends = at->kind == CK_BOUNDARY_FINAL || at->kind == CK_BOUNDARY_PAUSE || at->waits;
  return every > 0 && self->since.unpruned >= every && !ends;
}

static void log_failure(const ck_session *self, const ck_error *failure) {
  ck_log_line(CK_LOG_WARN, "session %s: nothing was pruned: %s", self->record.id, failure->text);
}

static bool keeps_one(const ck_session *self) {
  return self->profile && self->profile->single_checkpoint;
}

/* The store protects more than these; the session's own are not even asked for. Of one that keeps a
 * single checkpoint, a new one replaces also that from which it was resumed. */
static void leave_out(int64_t *seqs, size_t *count, const ck_session *self) {
  size_t kept = 0;
  int64_t also = keeps_one(self) ? 0 : self->resumed_from;
  for (size_t i = 0; i < *count; i++)
    if (seqs[i] != self->since.checkpoint && seqs[i] != also) seqs[kept++] = seqs[i];
  *count = kept;
}

/* All but the latest `keep`. */
static size_t leave_latest(int64_t *seqs, const ck_checkpoint_list *history, int64_t keep) {
  size_t count = 0;
  for (size_t i = 0; i < history->count && (int64_t)(history->count - i) > keep; i++)
    seqs[count++] = history->list[i].seq;
  return count;
}

/* With single_checkpoint all go but the latest; otherwise the policies decide. */
static ck_status ask(ck_prune_choice *out, ck_session *self, const ck_checkpoint_list *history,
                     ck_error *err) {
  ck_clock *clock = &self->runtime->clock;
  ck_error failure = CK_ERROR_INIT;
  for (size_t i = 0; keeps_one(self) && i < history->count; i++)
    out->seqs[out->count++] = history->list[i].seq;
  if (keeps_one(self)) {
    leave_out(out->seqs, &out->count, self);
    return CK_OK;
  }
  int64_t begun_us = clock->mono_us(clock->self);
  ck_status status =
      ck_checkpoint_list_ask(out, history, self->policies, clock->wall_ms(clock->self), &failure);
  out->said.took_us = clock->mono_us(clock->self) - begun_us;
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  leave_out(out->seqs, &out->count, self);
  return status == CK_OK ? CK_OK : ck_session_record_policy_error(self, "prune", &failure, err);
}

/* Where no policy was asked, that is recorded, too. */
static ck_status record(ck_session *self, ck_prune_choice *of, const ck_prune_report *report,
                        ck_error *err) {
  char answers[CK_ANSWERS_SIZE];
  ck_event event = {.kind = CK_EVENT_PRUNE};
  ck_status status = ck_prune_report_describe(&event.body, report, NULL, of->candidates, err);
  if (status != CK_OK) return status;
  of->said.hook = CK_HOOK_PRUNE;
  event.decision = ck_answers_encode(answers, &of->said);
  status = ck_session_append_decided(self, &event, err);
  ck_value_free(event.body);
  return status;
}

static ck_status drop(ck_session *self, ck_prune_choice *of, ck_error *err) {
  ck_prune_report report;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_channel_prune(
      self->channel, &(ck_pruning){.seqs = of->seqs, .count = of->count, .bases = keeps_one(self)},
      &report, &failure);
  if (status != CK_OK) log_failure(self, &failure);
  status = status == CK_OK && report.count > 0 ? record(self, of, &report, err) : CK_OK;
  ck_prune_report_clear(&report);
  return status;
}

static ck_status prune_history(ck_session *self, const ck_checkpoint_list *history, int64_t keep,
                               ck_error *err) {
  ck_status status = CK_OK;
  ck_prune_choice of = {.seqs = calloc(history->count + 1, sizeof *of.seqs)};
  if (!of.seqs) return ck_error_no_memory(err);
  if (keep < 0)
    status = ask(&of, self, history, err);
  else
    of.count = leave_latest(of.seqs, history, keep);
  if (status == CK_OK && of.count > 0) status = drop(self, &of, err);
  ck_value_free(of.candidates);
  free(of.seqs);
  return status;
}

ck_status ck_session_prune(ck_session *self, ck_error *err) {
  ck_session_mark_pruned(self);
  return self->policies->prune || keeps_one(self) ? ck_session_prune_to(self, -1, err) : CK_OK;
}

ck_status ck_session_prune_to(ck_session *self, int64_t keep, ck_error *err) {
  ck_checkpoint_list history;
  ck_status status = ck_channel_wait(self->channel, ck_channel_last(self->channel), err);
  if (status != CK_OK || ck_session_is_unsaved(self, ck_channel_last(self->channel))) return status;
  ck_error failure = CK_ERROR_INIT;
  status = ck_checkpoint_list_read_held(&history, self->runtime->store, self->lease, &failure);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  if (status != CK_OK) {
    log_failure(self, &failure);
    return CK_OK;
  }
  status = history.count > 0 ? prune_history(self, &history, keep, err) : CK_OK;
  ck_checkpoint_list_clear(&history);
  return status;
}
