/* runner.c - one coroutine: resume it, act on its yield, wait, resume it again. */
#include <stdio.h>

#include "core/base/reserve.h"
#include "core/base/text.h"
#include "core/model/pause_reason.h"
#include "core/runtime/execution/call_private.h"
#include "core/runtime/execution/scope_private.h"
#include "core/runtime/execution/untrusted.h"
#include "core/runtime/execution/limits.h"
#include "core/store/packer.h"

enum { POLICY_FAILURES_MAX = 3 };

/* Want of memory is no fault of the flow's, in whatever scope: none may act on it. A resume opens
 * the coroutine again, at its last boundary. What is kept back is for the session's end; a flow
 * would only fill it, too. */
static ck_status fail(ck_runner *self, const ck_error *failure, ck_error *err) {
  if (failure->status != CK_E_NO_MEMORY)
    return ck_runner_fail(self, failure->status, failure->text, err);
  ck_reserve_use();
  self->phase = CK_PHASE_REST;
  ck_execution_end(self->execution, CK_SESSION_PAUSED, failure->status, failure->text);
  return CK_OK;
}

/* ---- boundaries ---- */

/* A safe point marks a place in a node. */
static ck_status take_node(ck_runner *self, ck_error *err) {
  const ck_boundary *at = &self->yield.boundary;
  if (!at->node || at->kind == CK_BOUNDARY_SAFE_POINT) return CK_OK;
  return ck_text_replace(&self->node, at->node, err);
}

/* The path distinguishes effects before a boundary from those behind it: under a path that stays,
 * or comes again, they would pass for each other. */
static ck_status move_position(ck_runner *self, ck_error *err) {
  bool fresh;
  ck_value_free(self->position);
  ck_value_free(self->counts);
  self->counts = NULL;
  self->position = ck_value_share(self->yield.position);
  ck_status status = take_node(self, err);
  if (status == CK_OK) status = ck_runner_read_path(self, err);
  if (status == CK_OK) status = ck_name_set_add(&fresh, &self->paths, self->path, err);
  if (status == CK_OK && !fresh)
    status = ck_error_set(
        err, CK_E_FLOW,
        "a boundary of scope %s comes back to the position \"%s\": each must be a new one",
        self->scope, self->path);
  return status == CK_OK
             ? ck_runner_put_position(self, ck_session_next_seq(self->execution->session), err)
             : status;
}

/* Between a model's answer and its calls: the path stays, and so do the keys of what is called. A
 * scope that an earlier process had forked for one of these calls is found by its fork, as long as
 * that lies behind the position; so the position stays as well until it is. */
static ck_status stay(ck_runner *self, ck_error *err) {
  ck_bytes path = ck_json_get(ck_value_bytes(self->yield.position), "path");
  if (!ck_json_is_text(path, self->path))
    return ck_error_set(
        err, CK_E_FLOW,
        "a before_call of scope %s leaves the position \"%s\" for %.*s: it has none "
        "of its own",
        self->scope, self->path, path.len < 200 ? (int)path.len : 200, path.data);
  if (ck_runner_awaits_fork(self)) return CK_OK;
  ck_value_free(self->position);
  self->position = ck_value_share(self->yield.position);
  ck_status status = ck_runner_keep_counts(self, err);
  return status == CK_OK
             ? ck_runner_put_position(self, ck_session_next_seq(self->execution->session), err)
             : status;
}

static void report_boundary(ck_execution *self, const ck_boundary *at, const ck_saved *saved) {
  const char *kind = ck_boundary_kind_name(at->kind);
  ck_progress progress = {.what = "boundary",
                          .text = kind,
                          .saved = saved,
                          .scope = at->scope,
                          .agent = at->agent,
                          .node = at->node};
  ck_execution_notify(self, &progress);
  progress.what = "checkpoint";
  if (saved->taken) ck_notifications_push(&self->notifications, &progress, saved->ticket);
}

/* A limit may end the session before the flow's own number of rounds. */
static void number_round(ck_boundary *at, const ck_runner *self) {
  ck_limits_usage usage;
  if (at->kind != CK_BOUNDARY_ROUND_COMPLETE || self->parent) return;
  ck_limits_get(&usage, self->execution->session);
  int64_t limit = usage.limit.of[CK_DIMENSION_ROUNDS];
  if (!at->number) at->number = usage.spent.of[CK_DIMENSION_ROUNDS];
  if (limit > 0 && (!at->of || limit < at->of)) at->of = limit;
}

/* What the turn has joined and left is put away at its end. */
static ck_status put_away(ck_runner *self, ck_error *err) {
  ck_status status = ck_runner_forget_joined(self, err);
  return status == CK_OK ? ck_runner_settle_orphans(self, err) : status;
}

/* The coroutine stands here: no call of its scope is under way that could read it. The next call of
 * a model unpacks it again. */
static void pack_conversation(ck_runner *self) {
  ck_scope *scope = ck_map_get(&self->execution->session->scopes.by_name, self->scope);
  if (scope) ck_conversation_pack(ck_scope_conversation(scope), &ck_store_packer);
}

static ck_status save_boundary(ck_saved *saved, ck_runner *self, ck_boundary *at, ck_error *err) {
  ck_execution *execution = self->execution;
  bool within = at->kind == CK_BOUNDARY_BEFORE_CALL;
  at->scope = self->scope;
  if (!at->agent) at->agent = self->agent;
  if (!at->depth) at->depth = ck_runner_agents_above(self);
  at->node_latency_ms = (ck_execution_now_us(execution) - self->boundary_us) / 1000;
  ck_status status = ck_runner_apply_changes(self, err);
  if (status == CK_OK && !within) status = put_away(self, err);
  if (status == CK_OK) status = ck_limits_reach(execution, at, err);
  number_round(at, self);
  if (status == CK_OK) status = ck_session_boundary(saved, execution->session, at, err);
  if (status != CK_OK) return status;
  if (!within) pack_conversation(self);
  if (!within) self->boundary_us = ck_execution_now_us(execution);
  execution->counts.boundaries++;
  execution->counts.checkpoints += saved->taken;
  report_boundary(execution, at, saved);
  return CK_OK;
}

static void end_of_policies(ck_execution *execution) {
  char text[CK_ERROR_TEXT_MAX];
  ck_text_format(text, sizeof text, "policies failed three times in a row, the last: %.900s",
                 execution->session->boundaries.policy_failure.text);
  ck_execution_end(execution, CK_SESSION_PAUSED, CK_E_POLICY, text);
}

static ck_status reach_boundary(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_boundary at = self->yield.boundary;
  ck_saved saved = {0};
  ck_error misplaced = CK_ERROR_INIT;
  ck_status moved =
      at.kind == CK_BOUNDARY_BEFORE_CALL ? stay(self, &misplaced) : move_position(self, &misplaced);
  if (moved != CK_OK) return fail(self, &misplaced, err);
  ck_status status = save_boundary(&saved, self, &at, err);
  if (status != CK_OK) return status;
  if (execution->session->boundaries.policy_failures >= POLICY_FAILURES_MAX)
    end_of_policies(execution);
  self->ticket = saved.ticket;
  self->phase = execution->ending.status ? CK_PHASE_REST
                : saved.sync             ? CK_PHASE_SAVE
                                         : CK_PHASE_READY;
  return CK_OK;
}

/* ---- pausing and ending ---- */

static void read_reason(char out[256], const ck_value *value) {
  ck_buffer text = {0};
  ck_json_read_string(&text, value ? ck_value_bytes(value) : (ck_bytes){0});
  ck_text_format(out, 256, "%s", text.data ? text.data : "paused by the flow");
  ck_buffer_clear(&text);
}

/* What workers go on with would come back to the pause's next one at once. */
static ck_status check_reason(const char *reason, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  if (ck_pause_reason_check(reason, &problem) == CK_OK) return CK_OK;
  return ck_error_set(err, CK_E_FLOW, "the flow pauses: %s", problem.text);
}

/* A pause asked for by the flow happens once: that it happened is an outcome below its path. */
static ck_status reach_pause(ck_runner *self, ck_error *err) {
  char name[CK_STATE_KEY_MAX], key[2 * CK_STATE_KEY_MAX], reason[256];
  ck_session *session = self->execution->session;
  ck_error refused = CK_ERROR_INIT;
  ck_effect effect = {.scope = self->scope,
                      .key = key,
                      .attempt = session->timeline.attempt,
                      .kind = CK_EFFECT_ASK};
  ck_runner_name(name, self);
  snprintf(key, sizeof key, "%s/%s/pause/%u", name, self->path, ++self->pauses);
  const ck_ledger_entry *entry = ck_ledger_get(session->ledger, key);
  self->phase = CK_PHASE_READY;
  if (entry && entry->outcome) return CK_OK;
  read_reason(reason, self->yield.value);
  if (check_reason(reason, &refused) != CK_OK) return fail(self, &refused, err);
  ck_outcome paused = {.status = CK_OUTCOME_ENDED};
  ck_value *body;
  ck_status status = ck_ledger_write_outcome(&body, &effect, &paused, "", "flow", NULL, err);
  if (status != CK_OK) return status;
  status = ck_session_record_outcome(session, &effect, body, &paused.seq, err);
  ck_value_free(body);
  self->phase = CK_PHASE_REST;
  ck_execution_end(self->execution, CK_SESSION_PAUSED, CK_E_PAUSED, reason);
  return status;
}

/* Drivers get the number of outcomes of each scope: a recording with more of them was not
 * followed. */
static ck_status finish_drivers(const ck_execution *self, ck_error *err) {
  const ck_session *session = self->session;
  ck_status status = CK_OK;
  for (const ck_effect_driver *const *d = self->options.drivers; d && *d; d++)
    for (size_t i = 0; (*d)->finish && i < session->scopes.count && status == CK_OK; i++)
      status = (*d)->finish((*d)->self, ck_scope_name(session->scopes.list[i]),
                            ck_scope_consumed(session->scopes.list[i]), err);
  return status;
}

static const ck_runner *find_open(const ck_execution *self) {
  const ck_runner *runner = self->runners.first->place.next;
  while (runner && (runner->phase == CK_PHASE_ENDED || runner->abandoned))
    runner = runner->place.next;
  return runner;
}

static ck_status reach_done(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_error failure = CK_ERROR_INIT;
  char text[CK_ERROR_TEXT_MAX];
  if (self->parent) {
    self->result = ck_value_share(self->yield.value);
    return ck_runner_end(self, err);
  }
  const ck_runner *open = find_open(execution);
  snprintf(text, sizeof text, "the flow ended while its scope %s was open: it must be joined",
           open ? open->scope : "");
  if (open) return ck_runner_fail(self, CK_E_FLOW, text, err);
  ck_status status = ck_runner_apply_changes(self, err);
  if (status == CK_OK) status = ck_runner_forget_joined(self, err);
  if (status == CK_OK) status = ck_runner_remove_orphans(self, err);
  if (status != CK_OK) return status;
  if (finish_drivers(execution, &failure) != CK_OK) return fail(self, &failure, err);
  self->result = ck_value_share(self->yield.value);
  ck_execution_complete(execution);
  self->end = ck_session_last_seq(execution->session);
  if (self->result)
    status = ck_session_put(execution->session, CK_SESSION_RESULT_KEY, self->result, err);
  return status == CK_OK ? ck_runner_put_position(self, self->cut, err) : status;
}

/* ---- one step ---- */

/* Who acts, where neither the scope nor the flow says whose a message is: whoever the step is
 * for. */
static const char *find_actor(const ck_runner *self) {
  const ck_flow_yield *yield = &self->yield;
  if (self->agent) return self->agent;
  if (yield->step == CK_FLOW_EFFECT) return yield->effect.agent;
  if (yield->step == CK_FLOW_EFFECTS && yield->ask_count) return yield->asks[0].effect.agent;
  return yield->step == CK_FLOW_BOUNDARY ? yield->boundary.agent : NULL;
}

/* The flow may have made them of all that its scope knows. */
static ck_status record_messages(ck_runner *self, const char *actor, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  ck_value *untrusted = NULL;
  ck_status status = yield->message_count ? ck_untrusted_add(&untrusted, self, err) : CK_OK;
  for (size_t i = 0; i < yield->message_count && status == CK_OK; i++) {
    const ck_flow_message *given = &yield->messages[i];
    const ck_said said = {.agent = given->agent ? given->agent : actor,
                          .message = given->message,
                          .untrusted = untrusted};
    status = ck_session_record_said(self->execution->session, self->scope, &said, err);
  }
  ck_value_free(untrusted);
  return status;
}

/* Events and writes of the yield, whatever step it asks for. */
static ck_status record_yield(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  ck_session *session = self->execution->session;
  const char *actor = find_actor(self);
  ck_status status = record_messages(self, actor, err);
  if (status == CK_OK && yield->rewind)
    status = ck_session_record_rewind(session, self->scope, actor, yield->rewind, err);
  for (size_t i = 0; i < yield->fact_count && status == CK_OK; i++) {
    const ck_flow_fact *fact = &yield->facts[i];
    status = ck_session_append(session, fact->kind, self->scope, fact->agent, fact->body, err);
  }
  return status == CK_OK ? ck_runner_buffer_changes(self, err) : status;
}

static ck_status act_on_yield(ck_runner *self, ck_error *err) {
  ck_status status = record_yield(self, err);
  if (status != CK_OK) return status;
  switch (self->yield.step) {
    case CK_FLOW_EFFECT:
    case CK_FLOW_EFFECTS:
      return ck_runner_begin_calls(self, err);
    case CK_FLOW_BOUNDARY:
      return reach_boundary(self, err);
    case CK_FLOW_PAUSE:
      return reach_pause(self, err);
    case CK_FLOW_FORK:
      return ck_runner_fork(self, err);
    case CK_FLOW_JOIN:
      return ck_runner_begin_join(self, err);
    case CK_FLOW_DONE:
      break;
  }
  return reach_done(self, err);
}

static ck_status resume_coroutine(ck_runner *self, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_outcome *outcome = self->outcome;
  self->outcome = NULL;
  ck_status status =
      self->execution->options.engine->resume(&self->yield, self->coroutine, outcome, &failure);
  ck_runner_free_outcomes(outcome);
  return status == CK_OK ? act_on_yield(self, err) : fail(self, &failure, err);
}

/* For a pause a coroutine goes on to its next boundary, if there is memory; for any other end it
 * stops at once. */
static bool must_rest(const ck_execution *self) {
  return self->stopping || (self->ending.status && (self->ending.status != CK_SESSION_PAUSED ||
                                                    self->ending.cause == CK_E_NO_MEMORY));
}

static ck_status check_saved(bool *moved, ck_runner *self, ck_error *err) {
  ck_status status = ck_session_peek(self->execution->session, self->ticket, err);
  *moved = status == CK_OK;
  if (status == CK_OK) self->phase = CK_PHASE_READY;
  return status == CK_E_PENDING ? CK_OK : status;
}

/* Its calls were cancelled; their drivers must have delivered. */
static ck_status abandon(bool *moved, ck_runner *self, ck_error *err) {
  *moved = self->phase != CK_PHASE_ENDED;
  ck_status status = *moved ? ck_runner_close_calls(moved, self, err) : CK_OK;
  if (*moved) ck_runner_set_ended(self);
  return status;
}

ck_status ck_runner_advance(bool *moved, ck_runner *self, ck_error *err) {
  *moved = true;
  if (self->abandoned) return abandon(moved, self, err);
  switch (self->phase) {
    case CK_PHASE_READY:
      if (!must_rest(self->execution)) return resume_coroutine(self, err);
      self->phase = CK_PHASE_REST;
      return CK_OK;
    case CK_PHASE_CALLS:
      return ck_runner_advance_calls(moved, self, err);
    case CK_PHASE_SAVE:
      return check_saved(moved, self, err);
    case CK_PHASE_JOIN:
      return ck_runner_join(moved, self, err);
    case CK_PHASE_REST:
    case CK_PHASE_ENDED:
      break;
  }
  *moved = false;
  return CK_OK;
}
