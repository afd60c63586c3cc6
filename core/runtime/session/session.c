/* session.c - makes, closes and frees a session, and gets at what identifies it. */
#include "core/runtime/session/session_private.h"

#include <stdlib.h>

#include "core/base/reserve.h"
#include "core/base/text.h"
#include "core/store/lapse.h"

ck_status ck_session_new(ck_session **out, ck_runtime *runtime, const ck_profile *profile,
                         const ck_policy_engine *policies, ck_error *err) {
  *out = NULL;
  ck_session *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->runtime = runtime;
  self->profile = profile;
  self->policies = policies ? policies : &ck_policy_always;
  self->redacting = policies || !runtime->redacting ? self->policies : runtime->redacting;
  ck_random_bytes(&self->boundaries.random, sizeof self->boundaries.random);
  self->spent.began_us = runtime->clock.mono_us(runtime->clock.self);
  self->since = (ck_since){.begun_us = self->spent.began_us};
  ck_status status = ck_state_new(&self->state, err);
  if (status == CK_OK) status = ck_state_new(&self->changes.keys, err);
  if (status == CK_OK) status = ck_state_new(&self->changes.written, err);
  if (status == CK_OK) status = ck_ledger_new(&self->ledger, err);
  if (status == CK_OK) status = ck_session_make_redactor(self, err);
  if (status == CK_OK) status = ck_value_copy(&self->changes.removed, ck_bytes_text("null"), err);
  if (status != CK_OK) {
    ck_session_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_session_free(ck_session *self) {
  if (!self) return;
  ck_channel_free(self->channel);
  ck_session_discard_pending(self);
  free(self->transcript.pending);
  ck_scopes_clear(&self->scopes);
  ck_ledger_free(self->ledger);
  ck_redactor_free(self->redactor);
  ck_state_free(self->state);
  ck_state_free(self->changes.keys);
  ck_state_free(self->changes.written);
  ck_changed_keys_clear(&self->changes.named);
  ck_value_free(self->changes.removed);
  ck_value_free(self->boundaries.reached);
  ck_value_free(self->seen);
  ck_value_free(self->answers);
  ck_value_free(self->asked_before);
  ck_incidents_clear(&self->incidents);
  ck_sums_clear(&self->sums);
  ck_asked_clear(&self->asked);
  ck_taken_clear(&self->taken);
  ck_masked_clear(&self->masked);
  free(self->failed_node);
  ck_spending_clear(&self->spent.agents);
  ck_view_clear(&self->view);
  ck_session_record_clear(&self->record);
  if (self->holds_reserve) ck_reserve_drop();
  free(self);
}

ck_status ck_session_hold_reserve(ck_session *self, ck_error *err) {
  ck_error none = CK_ERROR_INIT;
  self->holds_reserve = ck_reserve_hold(&none) == CK_OK;
  return self->holds_reserve
             ? CK_OK
             : ck_error_set(err, CK_E_UNAVAILABLE, "no session is begun: %s", none.text);
}

void ck_session_set_status(ck_session *self, ck_session_status status) {
  self->record.status = status;
}

ck_status ck_session_check_lease(const ck_session *self, ck_error *err) {
  if (!self->lease.session) return CK_OK;
  return ck_store_check_lapse(self->runtime->store, self->lease, err);
}

void ck_session_drop_lease(ck_session *self) { self->lease = (ck_lease){0}; }

ck_status ck_session_set_failure(ck_session *self, ck_status failure, const char *node,
                                 ck_error *err) {
  char *kept;
  ck_status status = ck_text_copy(&kept, node, err);
  if (status != CK_OK) return status;
  free(self->failed_node);
  self->failed_node = kept;
  self->failure = failure;
  return CK_OK;
}

const char *ck_session_id(const ck_session *self) { return self->record.id; }
const char *ck_session_run(const ck_session *self) { return self->timeline.run; }
const char *ck_session_parent_run(const ck_session *self) {
  return self->timeline.parent_run[0] ? self->timeline.parent_run : NULL;
}
const ck_session_record *ck_session_get_record(const ck_session *self) { return &self->record; }
uint32_t ck_session_attempt(const ck_session *self) { return self->timeline.attempt; }
int64_t ck_session_first_seq(const ck_session *self) { return self->timeline.begin; }
int64_t ck_session_resumed_from(const ck_session *self) { return self->resumed_from; }
