/* session.c - a session's transcript and keyed state, and their way to the writer. */
#include "core/runtime/session/session_private.h"
#include "core/runtime/ledger/replay_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ck_status ck_session_new(ck_session **out, ck_runtime *runtime, const ck_profile *profile,
                         const ck_policy_engine *policies, ck_error *err) {
  *out = NULL;
  ck_session *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->runtime = runtime;
  self->profile = profile;
  self->policies = policies ? policies : &ck_policy_always;
  self->clean = true;
  ck_random_bytes(&self->random, sizeof self->random);
  self->began_us = runtime->clock.mono_us(runtime->clock.self);
  self->since.begun_us = self->began_us;
  ck_status status = ck_state_new(&self->state, err);
  if (status == CK_OK) status = ck_state_new(&self->changed, err);
  if (status == CK_OK) status = ck_ledger_new(&self->ledger, err);
  if (status == CK_OK) status = ck_session_make_redactor(self, err);
  if (status == CK_OK) status = ck_value_copy(&self->removed, ck_bytes_text("null"), err);
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
  for (size_t i = 0; i < self->pending_count; i++) ck_event_free(self->pending[i]);
  free(self->pending);
  for (size_t i = 0; i < self->scope_count; i++) ck_scope_free(self->scopes[i]);
  free(self->scopes);
  ck_ledger_free(self->ledger);
  ck_redactor_free(self->redactor);
  ck_state_free(self->state);
  ck_state_free(self->changed);
  ck_value_free(self->removed);
  ck_value_free(self->place);
  ck_spending_clear(&self->spending);
  ck_view_clear(&self->view);
  ck_session_record_clear(&self->record);
  free(self);
}

void ck_session_close(ck_session *self) {
  if (!self) return;
  ck_error ignored = CK_ERROR_INIT;
  if (self->channel && self->pending_count > 0 &&
      ck_session_flush(self, CK_DURABLE_PROCESS, &ignored) != CK_OK)
    ignored.status =
        CK_OK; /* the failure was already told to whoever waited; closing cannot mend it */
  ck_channel_free(self->channel);
  self->channel = NULL;
  if (self->lease.session) ck_store_release(self->runtime->store, self->lease);
  ck_session_free(self);
}

const char *ck_session_id(const ck_session *self) { return self->record.id; }
const char *ck_session_run(const ck_session *self) { return self->timeline.run; }
const ck_session_record *ck_session_get_record(const ck_session *self) { return &self->record; }
const ck_totals *ck_session_totals(const ck_session *self) { return &self->totals; }
uint32_t ck_session_attempt(const ck_session *self) { return self->timeline.attempt; }
int64_t ck_session_first_seq(const ck_session *self) { return self->timeline.begin; }
int64_t ck_session_last_seq(const ck_session *self) { return self->next_seq - 1; }
int64_t ck_session_resumed_from(const ck_session *self) { return self->resumed_from; }
const ck_value *ck_session_get(const ck_session *self, const char *key) {
  return ck_state_get(self->state, key);
}
const ck_state *ck_session_state(const ck_session *self) { return self->state; }

void ck_session_update_active(ck_session *self) {
  int64_t now = self->runtime->clock.mono_us(self->runtime->clock.self);
  self->totals.active_us = self->active_base_us + (now - self->began_us);
}

static ck_status add_pending(ck_session *self, ck_event *event, ck_error *err) {
  if (self->pending_count == self->pending_cap) {
    size_t cap = self->pending_cap ? self->pending_cap * 2 : 8;
    ck_event **pending = realloc(self->pending, cap * sizeof *pending);
    if (!pending) {
      ck_event_free(event);
      return ck_error_no_memory(err);
    }
    self->pending = pending;
    self->pending_cap = cap;
  }
  self->pending[self->pending_count++] = event;
  self->next_seq++;
  return CK_OK;
}

/* What may be written of a body. Everything that is folded is folded from this form: what a live
 * run goes on with is what a resumed one would. */
static ck_status keep(ck_value **out, ck_session *self, const ck_value *body, ck_error *err) {
  ck_status status = ck_redactor_apply(out, self->redactor, CK_SINK_EVENT, NULL, body, err);
  if (status == CK_OK && !*out)
    status = ck_value_copy(out, ck_bytes_text("{\"dropped\":true}"), err);
  return status;
}

static ck_status append_kept(ck_session *self, ck_event_kind kind, const char *scope,
                             const char *agent, ck_value *kept, ck_error *err) {
  ck_status status = ck_channel_failure(self->channel, err);
  if (status != CK_OK) return status;
  ck_event event = {.seq = self->next_seq,
                    .timeline = self->timeline.no,
                    .kind = kind,
                    .at_ms = self->runtime->clock.wall_ms(self->runtime->clock.self),
                    .scope = scope ? scope : "main",
                    .agent = agent,
                    .body = kept};
  ck_event *made;
  status = ck_event_new(&made, &event, err);
  return status == CK_OK ? add_pending(self, made, err) : status;
}

ck_status ck_session_append(ck_session *self, ck_event_kind kind, const char *scope,
                            const char *agent, const ck_value *body, ck_error *err) {
  ck_value *kept;
  ck_status status = keep(&kept, self, body, err);
  if (status != CK_OK) return status;
  status = append_kept(self, kind, scope, agent, kept, err);
  ck_value_free(kept);
  return status;
}

/* A forked scope's writes lie under "branch.SCOPE/": what is behind that is the key the rules
 * know. */
static const char *plain_key(const char *key) {
  const char *slash = strncmp(key, "branch.", 7) == 0 ? strchr(key, '/') : NULL;
  return slash ? slash + 1 : key;
}

ck_status ck_session_put(ck_session *self, const char *key, const ck_value *value, ck_error *err) {
  ck_status status = ck_channel_failure(self->channel, err);
  if (status == CK_OK) status = ck_state_check_key(key, err);
  if (status != CK_OK) return status;
  ck_value *kept = NULL;
  if (value)
    status = ck_redactor_apply(&kept, self->redactor, CK_SINK_STATE, plain_key(key), value, err);
  if (status == CK_OK) status = ck_state_put(self->changed, key, kept ? kept : self->removed, err);
  if (status == CK_OK && value) status = ck_state_put(self->state, key, value, err);
  if (status == CK_OK && !value) ck_state_remove(self->state, key);
  if (status == CK_OK && kept) self->since.changed_bytes += (int64_t)ck_value_bytes(kept).len;
  ck_value_free(kept);
  return status;
}

ck_status ck_session_queue(uint64_t *ticket, ck_session *self, const ck_queueing *how,
                           ck_error *err) {
  const ck_session_update *update = how->update;
  *ticket = 0;
  ck_job job = {
      .events = self->pending,
      .event_count = self->pending_count,
      .checkpoint = how->checkpoint,
      .durability = how->durability,
      .waited = how->waited,
      .may_wait = how->may_wait,
      .at_us = how->may_wait ? self->runtime->clock.mono_us(self->runtime->clock.self) : 0};
  if (update) {
    job.has_update = true;
    job.update_status = update->status;
    job.update_failure = update->failure;
    job.update_reason = update->reason ? strdup(update->reason) : NULL;
  }
  self->pending = NULL;
  self->pending_count = self->pending_cap = 0;
  return ck_channel_put(ticket, self->channel, &job, err);
}

ck_status ck_session_push(uint64_t *ticket, ck_session *self, ck_durability durability,
                          ck_error *err) {
  *ticket = ck_channel_last(self->channel);
  if (self->pending_count == 0) return ck_channel_failure(self->channel, err);
  return ck_session_queue(
      ticket, self,
      &(ck_queueing){.durability = durability, .may_wait = durability == CK_DURABLE_PROCESS}, err);
}

ck_status ck_session_check(ck_session *self, uint64_t ticket, ck_error *err) {
  return ck_channel_check(self->channel, ticket, err);
}

ck_status ck_session_wait(ck_session *self, uint64_t ticket, ck_error *err) {
  return ck_channel_wait(self->channel, ticket, err);
}

static ck_status check_saved(ck_session *self, uint64_t ticket, ck_error *err) {
  ck_saving saving;
  if (!ck_session_is_unsaved(self, ticket)) return CK_OK;
  ck_session_get_saving(&saving, self);
  return ck_error_set(err, CK_E_IO, "%s", saving.cause);
}

ck_status ck_session_flush(ck_session *self, ck_durability durability, ck_error *err) {
  uint64_t ticket;
  bool pending = self->pending_count > 0;
  ck_status status = ck_session_push(&ticket, self, durability, err);
  if (status == CK_OK) status = ck_channel_wait(self->channel, ticket, err);
  if (status == CK_OK) status = check_saved(self, ticket, err);
  /* Nothing of its own to commit, but what came before may only be process-durable. */
  if (status == CK_OK && !pending && durability == CK_DURABLE_POWER)
    status = ck_store_sync(self->runtime->store, err);
  return status;
}

/* A checkpoint holds one cut per open scope; a scope without a position of its own ends where the
 * checkpoint does. */
static int64_t scope_cut(const ck_session *self, const char *name) {
  char key[CK_STATE_KEY_MAX];
  int64_t cut = self->cut;
  snprintf(key, sizeof key, "position.%s", name);
  const ck_value *position = ck_state_get(self->state, key);
  if (position) cut = ck_replay_range_cut(ck_value_bytes(position), self->timeline.attempt);
  return cut >= 0 && cut < self->cut ? cut : self->cut;
}

ck_status ck_session_scope(ck_scope **out, ck_session *self, const char *name, ck_error *err) {
  for (size_t i = 0; i < self->scope_count; i++)
    if (strcmp(ck_scope_name(self->scopes[i]), name) == 0) {
      *out = self->scopes[i];
      return CK_OK;
    }
  *out = NULL;
  ck_scope **scopes = realloc(self->scopes, (self->scope_count + 1) * sizeof *scopes);
  if (!scopes) return ck_error_no_memory(err);
  self->scopes = scopes;
  ck_scope *made;
  ck_status status = ck_scope_new(&made, name, err);
  if (status == CK_OK && self->cut > 0)
    status = ck_scope_fold(made, self->runtime->store, self->record.no, &self->view,
                           scope_cut(self, name), err);
  if (status != CK_OK) {
    ck_scope_free(made);
    return status;
  }
  *out = self->scopes[self->scope_count++] = made;
  return CK_OK;
}

ck_status ck_session_conversation(ck_conversation **out, ck_session *self, const char *scope,
                                  ck_error *err) {
  ck_scope *found;
  ck_status status = ck_session_scope(&found, self, scope, err);
  *out = status == CK_OK ? ck_scope_conversation(found) : NULL;
  return status;
}

ck_status ck_session_record_message(ck_session *self, const char *scope_name, const char *agent,
                                    const ck_value *message, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "message", ck_value_bytes(message));
  ck_json_end(&w, '}');
  ck_value *body = NULL, *kept = NULL;
  ck_scope *scope;
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = keep(&kept, self, body, err);
  if (status == CK_OK) status = ck_session_scope(&scope, self, scope_name, err);
  if (status == CK_OK) status = append_kept(self, CK_EVENT_MESSAGE, scope_name, agent, kept, err);
  if (status == CK_OK) status = ck_scope_apply(scope, kept, err);
  ck_value_free(kept);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_session_record_rewind(ck_session *self, const char *scope_name, const ck_value *rewind,
                                   ck_error *err) {
  ck_value *kept;
  ck_scope *scope;
  ck_status status = keep(&kept, self, rewind, err);
  if (status != CK_OK) return status;
  status = ck_session_scope(&scope, self, scope_name, err);
  if (status == CK_OK) status = append_kept(self, CK_EVENT_REWIND, scope_name, NULL, kept, err);
  if (status == CK_OK) status = ck_scope_rewind(scope, kept, err);
  ck_value_free(kept);
  return status;
}

ck_status ck_session_record_outcome(ck_session *self, const ck_effect *effect, const ck_value *body,
                                    int64_t *seq, ck_error *err) {
  ck_scope *scope;
  ck_value *kept;
  *seq = self->next_seq;
  ck_status status = keep(&kept, self, body, err);
  if (status == CK_OK) status = ck_session_scope(&scope, self, effect->scope, err);
  if (status == CK_OK)
    status = append_kept(self, CK_EVENT_OUTCOME, effect->scope, effect->agent, kept, err);
  if (status == CK_OK) status = ck_scope_apply(scope, kept, err);
  if (status == CK_OK) ck_totals_add_outcome(&self->totals, kept);
  if (status == CK_OK) status = ck_spending_add_outcome(&self->spending, kept, err);
  ck_value_free(kept);
  return status;
}

ck_status ck_session_record_cost(ck_session *self, ck_event *outcome, ck_error *err) {
  ck_value *kept;
  outcome->seq = self->next_seq;
  ck_status status = keep(&kept, self, outcome->body, err);
  if (status == CK_OK)
    status = append_kept(self, CK_EVENT_OUTCOME, outcome->scope, outcome->agent, kept, err);
  if (status == CK_OK) ck_totals_add_outcome(&self->totals, kept);
  if (status == CK_OK) status = ck_spending_add_outcome(&self->spending, kept, err);
  ck_value_free(kept);
  return status;
}

ck_status ck_session_record_replay(ck_session *self, const ck_effect *effect, const ck_value *body,
                                   int64_t of, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", effect->key);
  ck_json_member_int(&w, "of", of);
  ck_json_end(&w, '}');
  ck_value *event = NULL;
  ck_scope *scope;
  ck_status status = ck_value_from(&event, &buffer, err);
  if (status == CK_OK) status = ck_session_scope(&scope, self, effect->scope, err);
  if (status == CK_OK)
    status = ck_session_append(self, CK_EVENT_REPLAY, effect->scope, effect->agent, event, err);
  if (status == CK_OK) status = ck_scope_apply(scope, body, err);
  ck_value_free(event);
  ck_buffer_clear(&buffer);
  return status;
}
