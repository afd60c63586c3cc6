/* simulated_prunes.c - keeps the list of a simulation's checkpoints, and prunes it. */
#include "core/runtime/simulation/simulated_prunes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/array.h"

void ck_simulated_prunes_clear(ck_simulated_prunes *self) {
  for (size_t i = 0; i < self->count; i++) ck_checkpoint_info_clear(&self->list[i]);
  free(self->list);
  free(self->decisions);
  self->list = NULL;
  self->decisions = NULL;
  self->count = 0;
}

/* ---- the list ---- */

static ck_status write_info(ck_value **out, const ck_boundary *at, const ck_boundary *place,
                            const ck_value *reasons, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "node", place->node);
  ck_json_member_text(&w, "next", place->next.node);
  ck_json_member_text(&w, "agent", place->agent);
  ck_json_member_text(&w, "tool", at->next.tool);
  if (reasons) ck_json_member_raw(&w, "reasons", ck_value_bytes(reasons));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* As a live session would list it, with an id made of time and seq. */
static ck_status describe(ck_checkpoint_info *out, const ck_simulated_prunes *self,
                          const ck_simulated_decision *made, ck_error *err) {
  const ck_recorded_boundary *recorded = &self->recording->boundaries[made->boundary];
  const ck_boundary *at = &recorded->at;
  time_t seconds = (time_t)(at->now_ms / 1000);
  struct tm utc = {0};
  gmtime_r(&seconds, &utc);
  char stamp[32];
  strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &utc);
  *out = (ck_checkpoint_info){.seq = at->seq,
                              .parent = self->count ? self->list[self->count - 1].seq : 0,
                              .keyframe = self->count ? self->list[0].keyframe : at->seq,
                              .kind = at->kind,
                              .created_ms = at->now_ms,
                              .clean = at->clean,
                              .resumable = true,
                              .timeline = recorded->timeline,
                              .changed = at->since.changed_keys,
                              .stored_bytes = made->bytes,
                              .plain_bytes = made->bytes,
                              .totals = {.cost_micros = at->budget.spent_micros}};
  snprintf(out->id, sizeof out->id, "checkpoint_%s_%08llx", stamp, (unsigned long long)at->seq);
  return write_info(&out->info, at, &self->recording->boundaries[recorded->place].at, made->reasons,
                    err);
}

static ck_status add(ck_simulated_prunes *self, ck_error *err) {
  ck_checkpoint_info made;
  size_t decision = self->out->decision_count - 1;
  ck_checkpoint_info *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (list) self->list = list;
  size_t *decisions =
      list ? ck_array_grow(self->decisions, self->count, &self->decision_cap, sizeof *decisions)
           : NULL;
  if (!decisions) return ck_error_no_memory(err);
  self->decisions = decisions;
  ck_status status = describe(&made, self, &self->out->decisions[decision], err);
  if (status != CK_OK) return status;
  list[self->count] = made;
  decisions[self->count++] = decision;
  return CK_OK;
}

/* ---- a prune ---- */

static ck_status mark_stays(bool *stays, const ck_simulated_prunes *self, bool single,
                            ck_error *err) {
  int64_t *seqs = calloc(self->count + 1, sizeof *seqs);
  if (!seqs) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->count; i++) seqs[i] = self->list[i].seq;
  int64_t at = seqs[self->count - 1];
  ck_protected_mark(stays, &self->recording->protected, seqs, self->count, at, single);
  stays[self->count - 1] = true;
  free(seqs);
  return CK_OK;
}

static void drop(ck_simulated_prunes *self, const bool *goes, const bool *stays) {
  size_t kept = 0;
  for (size_t i = 0; i < self->count; i++) {
    if (goes[i] && !stays[i]) {
      self->out->decisions[self->decisions[i]].kept = false;
      ck_checkpoint_info_clear(&self->list[i]);
      continue;
    }
    self->list[kept] = self->list[i];
    self->decisions[kept++] = self->decisions[i];
  }
  self->count = kept;
}

static ck_status ask(bool *goes, ck_simulated_prunes *self, int64_t now_ms) {
  ck_simulation *out = self->out;
  ck_history history = {.checkpoints = self->list, .count = self->count, .now_ms = now_ms};
  ck_prune_plan plan = {.drop = goes, .keep = goes + self->count};
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  if (self->policies->prune)
    status = self->policies->prune(&plan, self->policies->self, &history, &failure);
  if (status == CK_OK) return CK_OK;
  if (out->failures++ == 0) out->failure = failure;
  memset(goes, 0, self->count * sizeof *goes);
  return status;
}

static ck_status prune(ck_simulated_prunes *self, bool single, int64_t now_ms, ck_error *err) {
  ck_status asked = CK_OK;
  if (!self->count || (!self->policies->prune && !single)) return CK_OK;
  bool *goes = calloc(self->count * 3 + 1, sizeof *goes);
  if (!goes) return ck_error_no_memory(err);
  bool *stays = goes + 2 * self->count;
  if (single)
    memset(goes, true, self->count * sizeof *goes);
  else
    asked = ask(goes, self, now_ms);
  ck_status status =
      asked == CK_E_NO_MEMORY ? ck_error_no_memory(err) : mark_stays(stays, self, single, err);
  if (status == CK_OK) drop(self, goes, stays);
  free(goes);
  return status;
}

/* ---- when ---- */

static const ck_recorded_boundary *last_boundary(const ck_simulated_prunes *self) {
  const ck_simulation *out = self->out;
  return &self->recording->boundaries[out->decisions[out->decision_count - 1].boundary];
}

/* Those before a fork's cut are its origin's to prune. */
ck_status ck_simulated_prunes_take(ck_simulated_prunes *self, ck_error *err) {
  const ck_recorded_boundary *of = last_boundary(self);
  if (of->inherited) return CK_OK;
  ck_status status = add(self, err);
  if (status != CK_OK || of->edited) return status;
  bool due = ck_prune_points_pass(&self->points, &of->prunes, &of->at, of->pruned_ms > 0);
  bool single = ck_prune_points_rules(&self->points, &of->prunes).single;
  int64_t now_ms = of->pruned_ms ? of->pruned_ms : of->at.now_ms;
  return due ? prune(self, single, now_ms, err) : CK_OK;
}

ck_status ck_simulated_prunes_ask(ck_simulated_prunes *self, int64_t now_ms, ck_error *err) {
  return prune(self, false, now_ms, err);
}

ck_status ck_simulated_prunes_end(ck_simulated_prunes *self, ck_error *err) {
  if (!self->recording->imported || !self->count) return CK_OK;
  return prune(self, self->points.rules.single, self->list[self->count - 1].created_ms, err);
}
