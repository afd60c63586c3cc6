/* execution.c - turns all coroutines of a session as long as one of them can move, and ends the
 * session. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/reserve.h"
#include "core/base/shortage.h"
#include "core/runtime/execution/call_permit.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/execution/scope_private.h"
#include "core/runtime/execution/corrections.h"
#include "core/runtime/execution/unsettled.h"

/* Only questions are left: the session waits for all of them. */
static void end_waiting(ck_execution *self) {
  ck_buffer text = {0};
  for (const ck_runner *runner = self->runners.first; runner; runner = runner->place.next)
    for (size_t c = 0; c < runner->call_count; c++) {
      const ck_call *call = runner->calls[c];
      if (call->phase != CK_CALL_WAITING || call->action) continue;
      if (text.len > 0) ck_buffer_append_text(&text, "; ");
      ck_buffer_append_text(
          &text, call->outcome && call->outcome->error ? call->outcome->error : call->key);
    }
  ck_execution_end(self, CK_SESSION_WAITING, CK_E_WAITING, text.data ? text.data : "");
  ck_buffer_clear(&text);
}

static ck_status watch_saving(ck_execution *self, ck_error *err) {
  ck_saving now;
  bool changed;
  ck_status status = ck_session_watch_saving(&now, &changed, self->session, err);
  if (changed)
    ck_execution_notify(self,
                        &(ck_progress){.what = now.failing ? "unsaved" : "saved", .saving = &now});
  return status;
}

/* Saving fails, or it did when that was told last. */
static bool is_failing(const ck_execution *self) {
  ck_saving now;
  ck_session_get_saving(&now, self->session);
  return now.failing || self->session->saving.failing;
}

/* A session that ends has saved everything: reports that, when saving failed before. */
static void report_caught_up(ck_execution *self, bool failed) {
  ck_saving now;
  ck_session_get_saving(&now, self->session);
  if (failed && !now.failing)
    ck_execution_notify(self, &(ck_progress){.what = "saved", .saving = &now});
}

static ck_status finish(ck_execution *self, ck_error *err) {
  const ck_ending *ending = &self->ending;
  const ck_value *value =
      ending->status == CK_SESSION_COMPLETED ? self->runners.first->result : NULL;
  self->ended = true;
  ck_limits_update_ending(self);
  self->result = (ck_execution_result){.status = ending->status, .cause = ending->cause};
  snprintf(self->result.text, sizeof self->result.text, "%s", ending->text);
  bool failed = is_failing(self);
  ck_status status = ck_session_set_failure(self->session, ending->cause,
                                            *ending->node ? ending->node : NULL, err);
  if (status == CK_OK)
    status = ck_session_end_for(self->session, ending->status, *ending->text ? ending->text : NULL,
                                value, err);
  if (status == CK_OK) report_caught_up(self, failed);
  ck_notifications_deliver(&self->notifications, self->session, self->options.progress,
                           self->options.to);
  return status;
}

/* ---- turning ---- */

enum { TURN_US = 50000 };

/* Other sessions, signals and requests need the loop, too. */
static bool is_late(const ck_execution *self) {
  return ck_execution_now_us(self) - self->turn_us > TURN_US;
}

/* The turn of one coroutine: as far as it can, or until it is late. Then it is due again, behind
 * all others that are. */
static ck_status advance_one(bool *moved, ck_runner *runner, ck_error *err) {
  ck_execution *self = runner->execution;
  ck_status status = CK_OK;
  bool goes_on;
  do {
    status = ck_runner_advance(&goes_on, runner, err);
    *moved |= goes_on;
    ck_notifications_deliver(&self->notifications, self->session, self->options.progress,
                             self->options.to);
  } while (goes_on && status == CK_OK && !is_late(self));
  ck_runner_settle(runner);
  if (goes_on) ck_runner_wake(runner);
  return status;
}

/* However late it is by then, one of them takes its turn: a session goes on. */
static ck_status advance_all(bool *moved, ck_execution *self, ck_error *err) {
  ck_runner *next = NULL;
  *moved = false;
  ck_status status = ck_runners_wake_saved(self, err);
  do {
    next = status == CK_OK ? ck_runners_take_due(&self->runners) : NULL;
    if (next) status = advance_one(moved, next, err);
  } while (next && !is_late(self));
  return status;
}

/* One coroutine waits for its checkpoint, and nothing else is under way. */
static bool has_time_to_commit(const ck_execution *self) {
  const ck_runner *saving = self->runners.saving;
  return self->options.commits && self->runners.restless == 1 && saving &&
         saving->phase == CK_PHASE_SAVE && !is_late(self);
}

/* What comes next in the store is waited for: by this thread, or by being woken. */
static ck_status await_saved(bool *waits, ck_execution *self, ck_error *err) {
  bool here = has_time_to_commit(self);
  uint64_t last = ck_channel_last(self->session->channel);
  ck_status status = here
                         ? ck_session_commit(self->session, self->runners.saving->place.ticket, err)
                         : ck_session_check(self->session, last, err);
  if (here && status == CK_OK) *waits = false;
  return here && status != CK_E_PENDING ? status : CK_OK;
}

/* No coroutine moves: the session is over, or something is under way. */
static ck_status settle_turn(bool *waits, ck_execution *self, ck_error *err) {
  *waits = self->runners.restless > 0;
  if (*waits) return await_saved(waits, self, err);
  if (self->options.before_rest) self->options.before_rest(self->options.to);
  if (self->runners.due) return CK_OK;
  if (!self->ending.status) end_waiting(self);
  return finish(self, err);
}

/* Pauses before an allocation fails where nothing could be kept. */
static void watch_memory(ck_execution *self) {
  if (self->ending.status || !ck_reserve_is_used()) return;
  ck_execution_end(self, CK_SESSION_PAUSED, CK_E_NO_MEMORY, ck_shortage_text(ENOMEM));
}

/* In the middle of a step there is no checkpoint to take: a resume goes on from the last one, and
 * finds what was done since in the ledger. */
static ck_status stop_short(ck_execution *self, ck_status status, const ck_error *err) {
  bool stored = ck_status_exit(status) != ck_status_exit(CK_E_IO);
  const char *reason = self->options.parked && !stored ? self->options.parked : err->text;
  bool parked = ck_session_park(self->session, status, reason);
  if (!parked || status != CK_E_NO_MEMORY) return status;
  self->ended = true;
  self->result = (ck_execution_result){.status = CK_SESSION_PAUSED, .cause = status};
  snprintf(self->result.text, sizeof self->result.text, "%s", err->text);
  return CK_OK;
}

ck_status ck_execution_turn(ck_execution_result *result, ck_execution *self, ck_error *err) {
  bool waits = false;
  ck_status status = CK_OK;
  self->turn_us = ck_execution_now_us(self);
  watch_memory(self);
  while (!self->ended && !waits && status == CK_OK) {
    bool moved = false;
    status = watch_saving(self, err);
    if (status == CK_OK) status = advance_all(&moved, self, err);
    if (status == CK_OK && !moved && !self->runners.due)
      status = settle_turn(&waits, self, err);
    else if (is_late(self))
      break;
  }
  if (status == CK_OK && !self->ended && !waits) ck_waker_wake(self->options.waker);
  if (status != CK_OK) status = stop_short(self, status, err);
  *result = self->result;
  return status != CK_OK || self->ended ? status : CK_E_PENDING;
}

/* ---- a person's answer while others go on ---- */

/* A question at this terminal can be answered from elsewhere, too, until the terminal has
 * answered. */
static bool takes_answer(const ck_call *call) {
  bool asks = call->effect.kind == CK_EFFECT_ASK || ck_call_asks_leave(call);
  if (call->phase == CK_CALL_WAITING) return call->asks_limit || asks;
  return call->phase == CK_CALL_DRIVER && asks && call->run && !call->delivered &&
         call->driver->withdraw;
}

static bool is_about(const ck_call *call, const char *key) {
  const char *permit = ck_permit_key(call);
  return !key || strcmp(key, permit ? permit : call->key) == 0;
}

static ck_call *find_waiting(const ck_execution *self, const char *key, size_t *count) {
  ck_call *found = NULL;
  *count = 0;
  for (const ck_runner *runner = self->runners.first; runner; runner = runner->place.next)
    for (size_t c = 0; c < runner->call_count; c++) {
      ck_call *call = runner->calls[c];
      if (!takes_answer(call) || !is_about(call, key)) continue;
      found = call;
      ++*count;
    }
  return found;
}

ck_status ck_execution_answer(ck_execution *self, const char *key, const char *text,
                              ck_error *err) {
  size_t count;
  ck_call *call = find_waiting(self, key, &count);
  if (!call)
    return ck_error_set(err, CK_E_NOT_FOUND, "nothing waits for an answer%s%s", key ? " to " : "",
                        key ? key : "");
  if (count > 1)
    return ck_error_set(err, CK_E_USAGE, "%zu questions wait for an answer: name one by its effect",
                        count);
  ck_status status = ck_call_answer(call, text, err);
  ck_waker_wake(self->options.waker);
  return status;
}

ck_status ck_execution_answer_as(ck_execution *self, const char *key, const char *text,
                                 const ck_value *by, ck_error *err) {
  self->answered_by = by ? ck_value_bytes(by) : (ck_bytes){0};
  ck_status status = ck_execution_answer(self, key, text, err);
  self->answered_by = (ck_bytes){0};
  return status;
}

/* ---- opening and closing ---- */

/* As ck_coroutine_options has them. */
static ck_status write_flow_options(ck_value **out, const ck_session *session, ck_error *err) {
  const ck_profile *profile = session->profile;
  const ck_value *named = session->policies->named;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "checkpoint_tool");
  ck_json_begin(&w, '{');
  ck_json_member_bool(&w, "enabled", profile && profile->checkpoint_tool);
  ck_json_member_bool(&w, "subagents", profile && profile->checkpoint_tool_subagents);
  ck_json_end(&w, '}');
  if (named) ck_json_member_raw(&w, "before_call", ck_value_bytes(named));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_execution_open(ck_execution **out, const ck_execution_options *options,
                            ck_error *err) {
  *out = NULL;
  ck_execution *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  self->session = options->session;
  ck_runner *main_runner;
  ck_status status = ck_state_new(&self->limits_reported, err);
  if (status == CK_OK) status = ck_state_new(&self->agents_asked, err);
  if (status == CK_OK) status = ck_state_new(&self->answered, err);
  if (status == CK_OK) status = ck_state_new(&self->prompted, err);
  if (status == CK_OK) status = write_flow_options(&self->flow_options, self->session, err);
  if (status == CK_OK) status = ck_unsettled_open(self, err);
  if (status == CK_OK) status = ck_corrections_open(self, err);
  if (status == CK_OK) status = ck_runner_new(&main_runner, self, NULL, "main", err);
  if (status == CK_OK) status = ck_runner_open(main_runner, err);
  if (status == CK_OK) status = ck_execution_reopen(self, err);
  if (status != CK_OK) {
    ck_execution_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

const ck_execution_counts *ck_execution_get_counts(const ck_execution *self) {
  return &self->counts;
}

void ck_execution_close(ck_execution *self) {
  if (!self) return;
  while (self->runners.last) ck_runner_drop(self->runners.last);
  ck_map_clear(&self->runners.by_scope);
  ck_saved_scopes_clear(&self->saved);
  ck_reserves_clear(&self->reserves);
  free(self->corrections);
  ck_state_free(self->limits_reported);
  ck_state_free(self->agents_asked);
  ck_state_free(self->answered);
  ck_state_free(self->prompted);
  ck_buffer_clear(&self->said_masked);
  free(self->limit_agent);
  ck_value_free(self->flow_options);
  free(self);
}
