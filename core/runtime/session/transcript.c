/* transcript.c - appends events, redacted, and brings them to the writer. */
#include "core/runtime/session/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/session/session_private.h"

int64_t ck_session_next_seq(const ck_session *self) { return self->transcript.next_seq; }
int64_t ck_session_last_seq(const ck_session *self) { return self->transcript.next_seq - 1; }
void ck_session_set_next_seq(ck_session *self, int64_t seq) { self->transcript.next_seq = seq; }

void ck_session_discard_pending(ck_session *self) {
  ck_transcript *transcript = &self->transcript;
  for (size_t i = 0; i < transcript->count; i++) ck_event_free(transcript->pending[i]);
  transcript->count = transcript->bytes = 0;
}

/* Takes `event`. */
static ck_status add_pending(ck_transcript *self, ck_event *event, ck_error *err) {
  ck_event **pending = ck_array_grow(self->pending, self->count, &self->cap, sizeof *pending);
  if (!pending) {
    ck_event_free(event);
    return ck_error_no_memory(err);
  }
  self->pending = pending;
  self->pending[self->count++] = event;
  self->bytes += sizeof *event + ck_value_bytes(event->body).len;
  self->next_seq++;
  return CK_OK;
}

ck_status ck_session_redact(ck_value **out, ck_session *self, ck_event_kind kind, const char *agent,
                            const ck_value *body, ck_error *err) {
  ck_masked_begin(&self->masked, kind, agent);
  ck_status status = ck_redactor_apply_event(out, self->redactor, kind, body, err);
  if (status == CK_OK && !*out)
    status = ck_value_copy(out, ck_bytes_text("{\"dropped\":true}"), err);
  return status;
}

/* Of that kind, or else an empty one. */
static ck_kept_answers *find_kept(ck_transcript *self, ck_event_kind kind) {
  ck_kept_answers *found = &self->kept[0];
  for (size_t i = CK_KEPT_ANSWERS; i-- > 0;)
    if (!self->kept[i].len) found = &self->kept[i];
  for (size_t i = 0; i < CK_KEPT_ANSWERS; i++)
    if (self->kept[i].len && self->kept[i].kind == kind) found = &self->kept[i];
  return found;
}

void ck_session_keep_answers(ck_session *self, ck_event_kind kind, const ck_answers *answers) {
  ck_kept_answers *kept = find_kept(&self->transcript, kind);
  kept->kind = kind;
  kept->len = ck_answers_encode(kept->bytes, answers).len;
}

static void take_answers(ck_transcript *self, ck_event *event) {
  ck_kept_answers *kept = find_kept(self, event->kind);
  if (!kept->len || kept->kind != event->kind) return;
  event->decision = (ck_bytes){kept->bytes, kept->len};
  kept->len = 0;
}

/* Of the hook that the event comes from, then of what was taken out of it. */
static void put_decision(char out[2 * CK_ANSWERS_SIZE], ck_event *event, ck_session *self) {
  size_t len = event->decision.len;
  if (len) memcpy(out, event->decision.data, len);
  len += ck_masked_encode(out + len, &self->masked, event->kind);
  event->decision = (ck_bytes){out, len};
}

ck_status ck_session_make_event(ck_event **out, ck_session *self, const ck_event *like,
                                ck_error *err) {
  char decision[2 * CK_ANSWERS_SIZE];
  ck_event event = *like;
  ck_value *marked;
  ck_status status = ck_masked_mark(&marked, &event, &self->masked, err);
  *out = NULL;
  take_answers(&self->transcript, &event);
  put_decision(decision, &event, self);
  if (status == CK_OK) status = ck_event_new(out, &event, err);
  ck_value_free(marked);
  return status;
}

/* `like`: what the caller knows of the event, with its redacted body. */
static ck_status append(ck_session *self, const ck_event *like, ck_error *err) {
  ck_status status = ck_channel_failure(self->channel, err);
  if (status != CK_OK) return status;
  ck_event event = *like;
  event.seq = self->transcript.next_seq;
  event.timeline = self->timeline.no;
  event.at_ms = self->runtime->clock.wall_ms(self->runtime->clock.self);
  if (!event.scope) event.scope = "main";
  ck_event *made;
  status = ck_session_make_event(&made, self, &event, err);
  if (status == CK_OK) status = add_pending(&self->transcript, made, err);
  if (status == CK_OK) ck_session_take_sums(self, made);
  return status;
}

ck_status ck_session_append_redacted(ck_session *self, ck_event_kind kind, const char *scope,
                                     const char *agent, ck_value *redacted, ck_error *err) {
  ck_event event = {.kind = kind, .scope = scope, .agent = agent, .body = redacted};
  return append(self, &event, err);
}

ck_status ck_session_append_decided(ck_session *self, const ck_event *event, ck_error *err) {
  ck_event kept = *event;
  ck_status status =
      ck_session_redact(&kept.body, self, event->kind, event->agent, event->body, err);
  if (status != CK_OK) return status;
  status = append(self, &kept, err);
  ck_value_free(kept.body);
  return status;
}

ck_status ck_session_append(ck_session *self, ck_event_kind kind, const char *scope,
                            const char *agent, const ck_value *body, ck_error *err) {
  ck_event event = {.kind = kind, .scope = scope, .agent = agent, .body = (ck_value *)body};
  return ck_session_append_decided(self, &event, err);
}

ck_status ck_session_queue(uint64_t *ticket, ck_session *self, const ck_queueing *how,
                           ck_error *err) {
  const ck_session_update *update = how->update;
  *ticket = 0;
  ck_job job = {
      .events = self->transcript.pending,
      .event_count = self->transcript.count,
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
  self->transcript.pending = NULL;
  self->transcript.count = self->transcript.cap = self->transcript.bytes = 0;
  return ck_channel_put(ticket, self->channel, &job, err);
}

ck_status ck_session_push(uint64_t *ticket, ck_session *self, ck_durability durability,
                          ck_error *err) {
  *ticket = ck_channel_last(self->channel);
  if (self->transcript.count == 0) return ck_channel_failure(self->channel, err);
  return ck_session_queue(
      ticket, self,
      &(ck_queueing){.durability = durability, .may_wait = durability == CK_DURABLE_PROCESS}, err);
}

ck_status ck_session_push_long(ck_session *self, ck_error *err) {
  uint64_t ticket;
  if (self->transcript.bytes < CK_PENDING_BYTES_MAX) return CK_OK;
  return ck_session_push(&ticket, self, CK_DURABLE_PROCESS, err);
}

ck_status ck_session_check(ck_session *self, uint64_t ticket, ck_error *err) {
  return ck_channel_check(self->channel, ticket, err);
}

ck_status ck_session_peek(ck_session *self, uint64_t ticket, ck_error *err) {
  return ck_channel_peek(self->channel, ticket, err);
}

ck_status ck_session_commit(ck_session *self, uint64_t ticket, ck_error *err) {
  return ck_channel_commit(self->channel, ticket, ck_state_bytes(self->state), err);
}

ck_status ck_session_wait(ck_session *self, uint64_t ticket, ck_error *err) {
  return ck_channel_wait(self->channel, ticket, err);
}

/* A flush promises that everything is in the store, also where a session may go on without. */
static ck_status check_saved(ck_session *self, uint64_t ticket, ck_error *err) {
  ck_saving saving;
  if (!ck_channel_is_unsaved(self->channel, ticket)) return CK_OK;
  ck_channel_get_saving(&saving, self->channel);
  return ck_error_set(err, CK_E_IO, "%s", saving.cause);
}

ck_status ck_session_flush(ck_session *self, ck_durability durability, ck_error *err) {
  uint64_t ticket;
  bool pending = self->transcript.count > 0;
  ck_status status = ck_session_push(&ticket, self, durability, err);
  if (status == CK_OK) status = ck_channel_wait(self->channel, ticket, err);
  if (status == CK_OK) status = check_saved(self, ticket, err);
  /* Nothing of its own to commit, but what came before may only be process-durable. */
  if (status == CK_OK && !pending && durability == CK_DURABLE_POWER)
    status = ck_store_sync(self->runtime->store, err);
  return status;
}
