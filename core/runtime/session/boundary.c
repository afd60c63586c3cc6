/* boundary.c - a place where a checkpoint may be taken: asks the policies, records what they said,
 * makes the checkpoint. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/session_private.h"

void ck_decision_clear(ck_decision *self) {
  ck_value_free(self->reasons);
  *self = (ck_decision){0};
}

static ck_status always(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self, (void)at, (void)err;
  *out = (ck_decision){.take = true, .sync = true};
  return CK_OK;
}

const ck_policy_engine ck_policy_always = {.checkpoint = always};

void ck_session_mark_checkpoint(ck_session *self, int64_t seq) {
  self->since = (ck_since){.begun_us = self->runtime->clock.mono_us(self->runtime->clock.self),
                           .seq = seq,
                           .totals = self->totals};
  self->clean = true;
}

/* SplitMix64 (Steele, Lea, Flood 2014) from a random seed: what policies are given must be
 * unpredictable to no one. */
static uint64_t random_53(ck_session *self) {
  uint64_t z = self->random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) >> 11;
}

static void fill(ck_boundary *at, ck_session *self) {
  ck_clock *clock = &self->runtime->clock;
  const ck_totals *then = &self->since.totals, *now = &self->totals;
  if (!at->scope) at->scope = "main";
  at->seq = self->next_seq;
  at->now_ms = clock->wall_ms(clock->self);
  at->random = random_53(self);
  at->since.ms = (clock->mono_us(clock->self) - self->since.begun_us) / 1000;
  at->since.events = self->next_seq - 1 - self->since.seq;
  at->since.cost_micros = now->cost_micros - then->cost_micros;
  at->since.tokens =
      now->input_tokens + now->output_tokens - then->input_tokens - then->output_tokens;
  at->since.changed_keys = (int64_t)ck_state_count(self->changed);
  at->since.changed_bytes = self->since.changed_bytes;
  at->budget.spent_micros = now->cost_micros - self->base.cost_micros;
  at->budget.limit_micros = self->profile ? self->profile->budget_micros : -1;
  if (at->last_error) self->clean = false;
  at->clean = self->clean;
  at->checkpoint_cost_us = ck_writer_checkpoint_cost_us(self->runtime->writer);
}

static void put_nonzero(ck_json_writer *w, const char *name, int64_t number) {
  if (number) ck_json_member_int(w, name, number);
}

static void write_inputs(ck_json_writer *w, const ck_boundary *at) {
  ck_json_member_text(w, "kind", ck_boundary_kind_name(at->kind));
  ck_json_member_text(w, "node", at->node);
  put_nonzero(w, "depth", at->depth);
  ck_json_member_int(w, "now", at->now_ms);
  ck_json_member_int(w, "random", (int64_t)at->random);
  put_nonzero(w, "latency_ms", at->node_latency_ms);
  ck_json_name(w, "since");
  ck_json_begin(w, '{');
  put_nonzero(w, "ms", at->since.ms);
  put_nonzero(w, "events", at->since.events);
  put_nonzero(w, "cost", at->since.cost_micros);
  put_nonzero(w, "tokens", at->since.tokens);
  put_nonzero(w, "keys", at->since.changed_keys);
  put_nonzero(w, "bytes", at->since.changed_bytes);
  ck_json_end(w, '}');
  if (at->next.node || at->next.tool) {
    ck_json_name(w, "next");
    ck_json_begin(w, '{');
    ck_json_member_text(w, "node", at->next.node);
    ck_json_member_text(w, "tool", at->next.tool);
    if (at->next.has_class) ck_json_member_text(w, "class", ck_effect_class_name(at->next.class));
    ck_json_end(w, '}');
  }
  put_nonzero(w, "spent", at->budget.spent_micros);
  if (at->budget.limit_micros >= 0) ck_json_member_int(w, "limit", at->budget.limit_micros);
  if (!at->clean) ck_json_member_bool(w, "clean", false);
  put_nonzero(w, "cost_us", at->checkpoint_cost_us);
  ck_json_member_text(w, "last_error", at->last_error);
}

static ck_status write_event(ck_value **out, const ck_boundary *at, const ck_decision *decision,
                             const char *checkpoint_id, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  write_inputs(&w, at);
  ck_json_member_text(&w, "checkpoint", checkpoint_id);
  if (checkpoint_id && decision->sync) ck_json_member_bool(&w, "sync", true);
  if (decision->reasons) ck_json_member_raw(&w, "reasons", ck_value_bytes(decision->reasons));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static void write_place(ck_json_writer *w, const ck_boundary *at, ck_bytes place) {
  static const char *const members[] = {"node", "next", "agent"};
  const char *const reached[] = {at->node, at->next.node, at->agent};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ck_bytes stood = ck_json_get(place, members[i]);
    if (ck_json_type_of(stood) == CK_JSON_STRING)
      ck_json_member_raw(w, members[i], stood);
    else if (place.len == 0)
      ck_json_member_text(w, members[i], reached[i]);
  }
}

/* `place`: where the flow stands, when the boundary is none of its own; no bytes: it is. */
static ck_status write_info(ck_value **out, const ck_boundary *at, ck_bytes place, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  write_place(&w, at, place);
  if (at->kind == CK_BOUNDARY_FAILURE) ck_json_member_text(&w, "description", at->last_error);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* Where a session fails, the flow stands at the place that it reached last. */
static ck_bytes get_place(const ck_session *self, const ck_boundary *at) {
  return at->kind == CK_BOUNDARY_FAILURE && self->place ? ck_value_bytes(self->place)
                                                        : (ck_bytes){NULL, 0};
}

static ck_status keep_place(ck_session *self, const ck_boundary *at, ck_error *err) {
  if (ck_boundary_kind_always(at->kind) || strcmp(at->scope, "main") != 0) return CK_OK;
  ck_value_free(self->place);
  return write_info(&self->place, at, (ck_bytes){NULL, 0}, err);
}

/* Shares every changed value: this is all that a checkpoint costs the flow. */
static ck_status take_changes(ck_checkpoint *to, ck_session *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, self->changed, err);
  if (status != CK_OK) return status;
  to->changes = calloc(count ? count : 1, sizeof *to->changes);
  for (size_t i = 0; to->changes && i < count; i++) {
    to->changes[i].key = strdup(entries[i].key);
    if (!to->changes[i].key) break;
    to->changes[i].value =
        entries[i].value == self->removed ? NULL : ck_value_share(entries[i].value);
    to->change_count++;
  }
  free(entries);
  return to->changes && to->change_count == count ? CK_OK : ck_error_no_memory(err);
}

static ck_status make_checkpoint(ck_checkpoint **out, ck_session *self, const ck_boundary *at,
                                 ck_error *err) {
  *out = NULL;
  ck_checkpoint *made = calloc(1, sizeof *made);
  if (!made) return ck_error_no_memory(err);
  ck_session_update_active(self);
  *made = (ck_checkpoint){.seq = at->seq,
                          .parent = self->checkpoint,
                          .kind = at->kind,
                          .created_ms = at->now_ms,
                          .clean = at->clean,
                          .resumable = true,
                          .totals = self->totals};
  ck_id_make_checkpoint(made->id, at->now_ms);
  ck_status status = write_info(&made->info, at, get_place(self, at), err);
  if (status == CK_OK) status = take_changes(made, self, err);
  if (status != CK_OK) {
    ck_checkpoint_free(made);
    return status;
  }
  *out = made;
  return CK_OK;
}

ck_status ck_session_record_policy_error(ck_session *self, const char *hook, const ck_error *cause,
                                         ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "hook", hook);
  ck_json_member_text(&w, "error", cause->text);
  ck_json_end(&w, '}');
  ck_value *body = NULL;
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK)
    status = ck_session_append(self, CK_EVENT_POLICY_ERROR, NULL, NULL, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

/* The boundary's event, then (when it failed) what the policy said. */
static ck_status record(ck_session *self, const ck_boundary *at, const ck_decision *decision,
                        const char *checkpoint_id, const ck_error *failure, ck_error *err) {
  ck_value *body;
  ck_status status = write_event(&body, at, decision, checkpoint_id, err);
  if (status == CK_OK)
    status = ck_session_append(self, CK_EVENT_BOUNDARY, at->scope, at->agent, body, err);
  if (status == CK_OK && failure->status != CK_OK)
    status = ck_session_record_policy_error(self, "checkpoint", failure, err);
  ck_value_free(body);
  return status;
}

ck_status ck_session_mark_edit(ck_checkpoint **out, ck_session *self, ck_error *err) {
  ck_boundary at = {.kind = CK_BOUNDARY_EDIT};
  ck_decision decision = {.take = true, .sync = true};
  ck_error none = CK_ERROR_INIT;
  fill(&at, self);
  ck_status status = make_checkpoint(out, self, &at, err);
  if (status == CK_OK) status = record(self, &at, &decision, (*out)->id, &none, err);
  if (status == CK_OK) return CK_OK;
  ck_checkpoint_free(*out);
  *out = NULL;
  return status;
}

static void take_fresh(ck_session *self, ck_state *fresh) {
  ck_state_free(self->changed);
  self->changed = fresh;
}

/* Nothing but the queueing can fail here: the event that announces the checkpoint is appended
 * already. */
static ck_status save(ck_saved *out, ck_session *self, ck_checkpoint *checkpoint, ck_error *err) {
  memcpy(out->id, checkpoint->id, sizeof out->id);
  self->checkpoint = checkpoint->seq;
  self->unpruned++;
  ck_session_mark_checkpoint(self, checkpoint->seq);
  ck_queueing how = {.checkpoint = checkpoint,
                     .durability = CK_DURABLE_POWER,
                     .waited = out->sync,
                     .may_wait = !ck_boundary_kind_always(checkpoint->kind)};
  return ck_session_queue(&out->ticket, self, &how, err);
}

/* A run that ends prunes by itself. */
static bool prune_is_due(const ck_session *self, ck_boundary_kind kind) {
  int64_t every = !self->profile                     ? 0
                  : self->profile->single_checkpoint ? 1
                                                     : self->profile->prune_every_n_nodes;
  return every > 0 && self->unpruned >= every && kind != CK_BOUNDARY_FINAL &&
         kind != CK_BOUNDARY_PAUSE;
}

/* What agents have spent becomes state with every checkpoint, whatever it is taken for. */
static ck_status put_spending(ck_session *self, ck_error *err) {
  ck_value *value = NULL;
  if (!self->spending.changed) return CK_OK;
  ck_status status = ck_spending_write(&value, &self->spending, err);
  if (status == CK_OK) status = ck_session_put(self, "spending", value, err);
  ck_value_free(value);
  self->spending.changed = false;
  return status;
}

ck_status ck_session_boundary(ck_saved *out, ck_session *self, const ck_boundary *given,
                              ck_error *err) {
  *out = (ck_saved){0};
  ck_boundary at = *given;
  ck_decision decision = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_checkpoint *checkpoint = NULL;
  ck_state *fresh = NULL;
  ck_status status = put_spending(self, err);
  if (status != CK_OK) return status;
  fill(&at, self);
  status = keep_place(self, &at, err);
  if (status != CK_OK) return status;
  if (self->policies->checkpoint &&
      self->policies->checkpoint(&decision, self->policies->self, &at, &failure) != CK_OK)
    self->clean = false;
  self->policy_failures = failure.status == CK_OK ? 0 : self->policy_failures + 1;
  bool always_taken = ck_boundary_kind_always(at.kind);
  out->taken = decision.take || always_taken;
  decision.sync |= always_taken;
  out->sync = out->taken && decision.sync;
  out->seq = at.seq;
  status = out->taken ? make_checkpoint(&checkpoint, self, &at, err) : CK_OK;
  if (status == CK_OK && out->taken) status = ck_state_new(&fresh, err);
  if (status == CK_OK)
    status = record(self, &at, &decision, checkpoint ? checkpoint->id : NULL, &failure, err);
  if (status == CK_OK && checkpoint) {
    take_fresh(self, fresh);
    fresh = NULL;
    status = save(out, self, checkpoint, err);
    checkpoint = NULL;
    if (status == CK_OK && prune_is_due(self, at.kind)) status = ck_session_prune(self, err);
  }
  ck_state_free(fresh);
  ck_checkpoint_free(checkpoint);
  ck_decision_clear(&decision);
  return status;
}
