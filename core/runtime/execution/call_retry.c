/* call_retry.c - the wait before a try that a policy asked for, in this run and across its end. */
#include "core/runtime/execution/call_retry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/fallback.h"

static int64_t now_ms(const ck_call *self) {
  const ck_clock *clock = &self->runner->execution->options.clock;
  return clock->wall_ms(clock->self);
}

void ck_call_plan_retry(ck_json_writer *w, ck_call *self, const ck_failure_answer *answer) {
  bool follows = answer->word == CK_FAILURE_RETRY && self->tries + 1 < CK_EFFECT_TRIES;
  self->retry_at_ms = 0;
  if (!follows) return;
  self->retry_at_ms = now_ms(self) + answer->wait_ms;
  ck_json_member_int(w, "until", self->retry_at_ms);
}

/* NULL: nothing waits, as in a recording, which would look for the wait among its own. */
static const ck_effect_driver *find_sleep(const ck_call *self) {
  ck_effect sleep = {.kind = CK_EFFECT_SLEEP, .scope = self->effect.scope, .key = self->key};
  const ck_effect_driver *found = ck_execution_find_driver(self->runner->execution, &sleep);
  return found && strcmp(found->name, "sleep") == 0 ? found : NULL;
}

static void tell_wait(const ck_call *self, const char *policy, int64_t wait_ms) {
  char text[CK_ERROR_TEXT_MAX];
  bool brief = wait_ms < 1000;
  snprintf(text, sizeof text, "policy \"%s\" has it tried again in %.*f %s (try %d of %d)",
           policy ? policy : "?", brief ? 0 : 1, brief ? (double)wait_ms : (double)wait_ms / 1000,
           brief ? "ms" : "s", self->tries + 1, CK_EFFECT_TRIES);
  ck_call_notify_note(self, text);
}

/* Until retry_at_ms, which is `wait_ms` away. Without a driver that can wait the next try is made
 * at once. */
static ck_status wait_for(ck_call *self, const char *policy, int64_t wait_ms, ck_error *err) {
  char request[48];
  const ck_effect_driver *sleeper = wait_ms > 0 ? find_sleep(self) : NULL;
  if (!sleeper) return ck_call_commit_intent(self, err);
  snprintf(request, sizeof request, "{\"ms\":%" PRId64 "}", wait_ms);
  ck_effect sleep = {.kind = CK_EFFECT_SLEEP,
                     .scope = self->effect.scope,
                     .key = self->key,
                     .request = ck_bytes_text(request)};
  tell_wait(self, policy, wait_ms);
  self->waits_with = self->driver;
  self->driver = sleeper;
  return ck_call_start_with(self, &sleep, err);
}

ck_status ck_call_wait_to_retry(ck_call *self, const ck_failure_answer *answer, ck_error *err) {
  self->again = true;
  return wait_for(self, answer->policy, answer->wait_ms, err);
}

ck_status ck_call_end_wait(ck_call *self, ck_error *err) {
  self->driver = self->waits_with;
  self->waits_with = NULL;
  ck_outcome_free(self->outcome);
  self->outcome = NULL;
  self->delivered = false;
  self->phase = CK_CALL_LEFT;
  return self->runner->execution->ending.status ? CK_OK : ck_call_commit_intent(self, err);
}

/* ---- in another run ---- */

/* What is kept of the question behind which a next try was to follow; no bytes: none was. What a
 * person has left behind by going back, or what failed of another request, is none of it. */
static ck_bytes find_planned(const ck_call *self, const ck_ledger_entry *entry) {
  const ck_ledger *ledger = ck_call_session(self)->ledger;
  if (!entry || entry->open || !entry->outcome || !ck_ledger_went_wrong(ledger, entry) ||
      !ck_request_digest_is_of(self->digest, &self->effect, entry->outcome_digest, entry->intent))
    return (ck_bytes){0};
  ck_bytes body = ck_value_bytes(entry->outcome), failure = ck_json_get(body, "failure");
  bool planned = ck_json_is_text(ck_json_get(body, "status"), "failed") &&
                 ck_json_get(failure, "until").len > 0;
  return planned ? failure : (ck_bytes){0};
}

bool ck_call_has_retry(const ck_call *self, const ck_ledger_entry *entry) {
  return find_planned(self, entry).len > 0;
}

bool ck_call_restore_retry(ck_call *self, const ck_ledger_entry *entry) {
  ck_bytes failure = find_planned(self, entry);
  int64_t tried, at_ms;
  if (!self->runner->execution->options.goes_on_waiting ||
      !ck_json_read_int(&at_ms, ck_json_get(failure, "until")) ||
      !ck_json_read_int(&tried, ck_json_get(failure, "try")) || tried < 1 ||
      tried >= CK_EFFECT_TRIES)
    return false;
  self->tries = (unsigned)tried;
  self->retry_at_ms = at_ms;
  self->permitted = true;
  ck_fallback_restore_body(self, ck_value_bytes(entry->outcome));
  return true;
}

ck_status ck_call_go_on_waiting(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_bytes failure = ck_json_get(ck_value_bytes(entry->outcome), "failure");
  char *policy = ck_json_dup_string(ck_json_get(failure, "policy"));
  self->phase = CK_CALL_LEFT;
  ck_status status = CK_OK;
  if (!self->runner->execution->ending.status)
    status = wait_for(self, policy, self->retry_at_ms - now_ms(self), err);
  free(policy);
  return status;
}
