/* boundary.c - takes a boundary in four steps: the policies decide, the checkpoint is made, an
 * event announces both, the checkpoint is queued. */
#include "core/runtime/session/boundary.h"

#include <stdio.h>
#include <string.h>

#include "core/runtime/budget/usage.h"
#include "core/runtime/session/boundary_event.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/opening/last_error.h"
#include "core/runtime/session/prune.h"
#include "core/runtime/session/scopes.h"
#include "core/runtime/session/session_private.h"

/* SplitMix64 (Steele, Lea, Flood 2014) from a random seed. The numbers that policies are given need
 * not be unpredictable to anyone. */
static uint64_t random_53(ck_session *self) {
  uint64_t z = self->boundaries.random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) >> 11;
}

/* A scope that nobody has looked at in this run has done nothing. */
static void show_turn(ck_boundary *at, ck_session *self) {
  ck_scope *scope = ck_map_get(&self->scopes.by_name, at->scope);
  bool text = self->profile && self->profile->message_text;
  if (scope) ck_turn_show(at, ck_scope_turn(scope), ck_scope_conversation(scope), text);
}

/* Of the event that was just appended. */
static void keep_error(ck_session *self, const ck_boundary *at) {
  ck_scope *scope = ck_map_get(&self->scopes.by_name, at->scope);
  const ck_transcript *transcript = &self->transcript;
  const ck_value *body = transcript->pending[transcript->count - 1]->body;
  ck_bytes error = at->last_error ? ck_json_get(ck_value_bytes(body), "last_error") : (ck_bytes){0};
  if (scope) (void)!ck_turn_keep_error(ck_scope_turn(scope), at->kind, error);
}

/* What comes between an answer and its calls is a part of the turn. */
static void end_turn(ck_session *self, const ck_boundary *at) {
  ck_scope *scope = ck_map_get(&self->scopes.by_name, at->scope);
  if (scope && at->kind != CK_BOUNDARY_BEFORE_CALL) ck_turn_end(ck_scope_turn(scope));
}

void ck_session_show_boundary(ck_boundary *at, ck_session *self) {
  ck_clock *clock = &self->runtime->clock;
  const ck_totals *then = &self->since.totals, *now = &self->spent.totals;
  if (!at->scope) at->scope = "main";
  at->seq = self->transcript.next_seq;
  at->now_ms = clock->wall_ms(clock->self);
  at->random = random_53(self);
  at->since.ms = (clock->mono_us(clock->self) - self->since.begun_us) / 1000;
  at->since.events = self->transcript.next_seq - 1 - self->since.seq;
  at->since.cost_micros = now->cost_micros - then->cost_micros;
  at->since.tokens =
      now->input_tokens + now->output_tokens - then->input_tokens - then->output_tokens;
  at->since.tool_calls = now->tool_calls - then->tool_calls;
  at->since.changed = &self->changes.named;
  at->since.changed_keys = (int64_t)ck_changed_keys_count(&self->changes.named);
  at->since.changed_bytes = self->changes.bytes;
  at->budget.spent_micros = now->cost_micros - self->spent.base.cost_micros;
  at->budget.limit_micros = self->profile ? self->profile->budget_micros : -1;
  at->budget.is_set =
      ck_limits_read_set(&at->budget.limit_micros, CK_DIMENSION_BUDGET, self->state, NULL);
  at->clean = !self->incidents.happened;
  at->checkpoint_cost_us = ck_writer_checkpoint_cost_us(self->runtime->writer);
  show_turn(at, self);
}

/* Behind a resume the scope's last boundary is one that an earlier run recorded. */
static void show_error(ck_boundary *at, ck_session *self) {
  ck_scope *scope = ck_map_get(&self->scopes.by_name, at->scope);
  ck_error none = CK_ERROR_INIT;
  if (!scope) return;
  ck_turn *turn = ck_scope_turn(scope);
  if (!turn->error_known && self->cut > 0) (void)!ck_session_find_error(self, scope, &none);
  at->last_error = turn->error.len ? turn->error.data : NULL;
}

/* A dry run asks about scopes that nobody has opened. */
void ck_session_show_place(ck_boundary *at, ck_session *self) {
  ck_scope *scope;
  ck_error none = CK_ERROR_INIT;
  if (!at->scope) at->scope = "main";
  (void)!ck_session_scope(&scope, self, at->scope, &none);
  ck_session_show_boundary(at, self);
  show_error(at, self);
  at->since.boundaries = self->since.boundaries;
  at->since.iterations = self->since.iterations;
}

void ck_session_set_reached(ck_session *self, const ck_value *info) {
  ck_value_free(self->boundaries.reached);
  self->boundaries.reached = info ? ck_value_share(info) : NULL;
}

/* Kinds that are always checkpointed (a pause, a failure, an edit) lie at no node of their own. */
static ck_status keep_reached(ck_session *self, const ck_boundary *at, ck_error *err) {
  if (ck_boundary_kind_always(at->kind) || strcmp(at->scope, "main") != 0) return CK_OK;
  ck_value_free(self->boundaries.reached);
  return ck_checkpoint_write_place(&self->boundaries.reached, at, err);
}

/* One boundary on its way through the four steps. */
typedef struct passage {
  ck_boundary at;            /* as the policies see it */
  ck_decision decision;      /* owned */
  ck_error failure;          /* of the checkpoint hook; CK_OK: none */
  ck_checkpoint *checkpoint; /* owned; NULL: none is taken */
  ck_state *no_changes;      /* owned: gathers what changes behind the checkpoint */
} passage;

static void clear(passage *self) {
  ck_state_free(self->no_changes);
  ck_checkpoint_free(self->checkpoint);
  ck_decision_clear(&self->decision);
}

/* A node that is begun again after an error is tried again. */
static ck_status count_incidents(ck_session *self, const ck_boundary *at, ck_error *err) {
  if (!at->last_error) return CK_OK;
  if (at->kind == CK_BOUNDARY_NODE_START) ck_session_count_retry(self);
  return ck_session_count_failure(self, at->node, err);
}

/* What agents have spent becomes state with every checkpoint, whatever it is taken for. */
static ck_status prepare(passage *self, ck_session *session, ck_error *err) {
  ck_status status = ck_session_put_spending(session, err);
  if (status == CK_OK) status = count_incidents(session, &self->at, err);
  if (status != CK_OK) return status;
  ck_session_show_boundary(&self->at, session);
  ck_session_show_asked(&self->at, session);
  return keep_reached(session, &self->at, err);
}

/* A hook that fails has filled its answer with the fail-closed one. */
static void ask(passage *self, ck_session *session) {
  const ck_policy_engine *policies = session->policies;
  ck_clock *clock = &session->runtime->clock;
  int64_t begun_us = clock->mono_us(clock->self);
  if (policies->checkpoint &&
      policies->checkpoint(&self->decision, policies->self, &self->at, &self->failure) != CK_OK)
    ck_session_mark_unclean(session);
  self->decision.answers.hook = CK_HOOK_CHECKPOINT;
  self->decision.answers.took_us = clock->mono_us(clock->self) - begun_us;
}

static void decide(ck_saved *out, passage *self, ck_session *session) {
  ask(self, session);
  bool failed = self->failure.status != CK_OK, always = ck_boundary_kind_always(self->at.kind);
  session->boundaries.policy_failures = failed ? session->boundaries.policy_failures + 1 : 0;
  session->boundaries.policy_failure = self->failure;
  self->decision.sync |= always || self->at.asked;
  out->taken = self->decision.take || always || self->at.asked;
  out->sync = out->taken && self->decision.sync;
  out->seq = self->at.seq;
  ck_session_count_boundary(session, self->at.kind);
}

/* All that a checkpoint can fail of, queueing apart, comes before the event that announces it. */
static ck_status make(passage *self, ck_session *session, ck_error *err) {
  ck_status status = ck_session_make_checkpoint(&self->checkpoint, session, &self->at,
                                                self->decision.reasons, err);
  return status == CK_OK ? ck_state_new(&self->no_changes, err) : status;
}

/* What a step came to, as a document of the session tells it between two checkpoints. */
static ck_bytes outcome_of(ck_session *session, const passage *self) {
  const ck_boundary *at = &self->at;
  char key[CK_STATE_KEY_MAX];
  bool completed = at->kind == CK_BOUNDARY_STEP_COMPLETE && at->node && !at->last_error;
  if (!completed || self->checkpoint) return (ck_bytes){0};
  snprintf(key, sizeof key, "outputs.%s", at->node);
  const ck_value *output = ck_session_get(session, key);
  return output ? ck_value_bytes(output) : ck_bytes_text("null");
}

/* The boundary's event, then (when its hook failed) the policy's error. */
static ck_status announce(ck_session *session, const passage *self, ck_error *err) {
  ck_value *body;
  const char *id = self->checkpoint ? self->checkpoint->id : NULL;
  ck_buffer masked = {0};
  ck_boundary at = self->at;
  ck_status status = ck_masked_write_keys(&masked, &session->masked, err);
  at.masked = ck_buffer_bytes(&masked);
  if (status == CK_OK)
    status =
        ck_boundary_write_event(&body, &at, &self->decision, id, outcome_of(session, self), err);
  ck_buffer_clear(&masked);
  if (status != CK_OK) return status;
  char answers[CK_ANSWERS_SIZE];
  ck_event event = {
      .kind = CK_EVENT_BOUNDARY, .scope = self->at.scope, .agent = self->at.agent, .body = body};
  if (self->decision.answers.hook)
    event.decision = ck_answers_encode(answers, &self->decision.answers);
  status = ck_session_append_decided(session, &event, err);
  if (status == CK_OK) ck_masked_forget_keys(&session->masked);
  if (status == CK_OK) ck_session_tell_changes(session);
  if (status == CK_OK) keep_error(session, &at);
  ck_value_free(body);
  if (status != CK_OK || self->failure.status == CK_OK) return status;
  return ck_session_record_policy_error(session, "checkpoint", &self->failure, err);
}

static ck_status queue(ck_saved *out, passage *self, ck_session *session, ck_error *err) {
  ck_checkpoint *checkpoint = self->checkpoint;
  ck_queueing how = {.checkpoint = checkpoint,
                     .durability = CK_DURABLE_POWER,
                     .waited = out->sync,
                     .may_wait = !ck_boundary_kind_always(checkpoint->kind)};
  memcpy(out->id, checkpoint->id, sizeof out->id);
  ck_session_reset_changes(session, self->no_changes);
  ck_session_mark_checkpoint(session, checkpoint->seq);
  ck_asked_clear(&session->asked);
  self->no_changes = NULL;
  self->checkpoint = NULL;
  ck_status status = ck_session_queue(&out->ticket, session, &how, err);
  if (status == CK_OK) ck_session_meet_asked(session, out->ticket);
  return status == CK_OK && ck_session_prune_is_due(session, &self->at)
             ? ck_session_prune(session, err)
             : status;
}

ck_status ck_session_boundary(ck_saved *out, ck_session *self, const ck_boundary *at,
                              ck_error *err) {
  *out = (ck_saved){0};
  passage p = {.at = *at, .failure = CK_ERROR_INIT};
  ck_status status = prepare(&p, self, err);
  if (status != CK_OK) return status;
  decide(out, &p, self);
  if (out->taken) status = make(&p, self, err);
  if (status == CK_OK) status = announce(self, &p, err);
  if (status == CK_OK) end_turn(self, &p.at);
  if (status == CK_OK)
    status = out->taken ? queue(out, &p, self, err) : ck_session_push_long(self, err);
  clear(&p);
  return status;
}

ck_status ck_session_mark_edit(ck_checkpoint **out, ck_session *self, const char *description,
                               ck_error *err) {
  passage p = {.at = {.kind = CK_BOUNDARY_EDIT, .description = description},
               .decision = {.take = true, .sync = true},
               .failure = CK_ERROR_INIT};
  ck_session_show_boundary(&p.at, self);
  ck_status status = ck_session_make_checkpoint(&p.checkpoint, self, &p.at, NULL, err);
  if (status == CK_OK) status = announce(self, &p, err);
  *out = status == CK_OK ? p.checkpoint : NULL;
  if (status != CK_OK) clear(&p);
  return status;
}
