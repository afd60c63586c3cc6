/* boundary_event.c - writes a boundary's inputs and decision, and a policy's error, as events. */
#include "core/runtime/session/boundary_event.h"

#include "core/runtime/session/session_private.h"

static void put_nonzero(ck_json_writer *w, const char *name, int64_t number) {
  if (number) ck_json_member_int(w, name, number);
}

static ck_status write_changed(ck_json_writer *w, const ck_changed_keys *keys, bool since_boundary,
                               ck_error *err) {
  ck_buffer list = {0};
  ck_status status = keys ? ck_changed_keys_write(&list, keys, since_boundary, err) : CK_OK;
  if (list.len) ck_json_member_raw(w, "changed", ck_buffer_bytes(&list));
  ck_buffer_clear(&list);
  return status;
}

/* Which keys changed: at a boundary since the one before, so that those since any checkpoint can be
 * told; at a place since the last checkpoint. */
static ck_status write_inputs(ck_json_writer *w, const ck_boundary *at, bool is_place,
                              ck_error *err) {
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
  put_nonzero(w, "tool_calls", at->since.tool_calls);
  put_nonzero(w, "keys", at->since.changed_keys);
  put_nonzero(w, "bytes", at->since.changed_bytes);
  put_nonzero(w, "boundaries", at->since.boundaries);
  put_nonzero(w, "iterations", at->since.iterations);
  ck_json_end(w, '}');
  ck_status status = write_changed(w, at->since.changed, !is_place, err);
  if (at->next.node || at->next.tool) {
    ck_json_name(w, "next");
    ck_json_begin(w, '{');
    ck_json_member_text(w, "node", at->next.node);
    ck_json_member_text(w, "tool", at->next.tool);
    if (at->next.has_class)
      ck_json_member_text(w, "class", ck_effect_class_name(at->next.effect_class));
    ck_json_end(w, '}');
  }
  if (at->calls.len) ck_json_member_raw(w, "calls", at->calls);
  if (at->message.len) ck_json_member_raw(w, "last_message", at->message);
  if (at->tools.len) ck_json_member_raw(w, "ran", at->tools);
  if (at->model.len) ck_json_member_raw(w, "model", at->model);
  put_nonzero(w, "spent", at->budget.spent_micros);
  if (at->budget.limit_micros >= 0) ck_json_member_int(w, "limit", at->budget.limit_micros);
  if (at->budget.is_set) ck_json_member_bool(w, "limit_set", true);
  if (!at->clean) ck_json_member_bool(w, "clean", false);
  put_nonzero(w, "cost_us", at->checkpoint_cost_us);
  ck_json_member_text(w, "last_error", at->last_error);
  return status;
}

ck_status ck_boundary_write_event(ck_value **out, const ck_boundary *at,
                                  const ck_decision *decision, const char *checkpoint_id,
                                  ck_bytes outcome, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_status status = write_inputs(&w, at, false, err);
  ck_json_member_text(&w, "checkpoint", checkpoint_id);
  if (outcome.len) ck_json_member_raw(&w, "outcome", outcome);
  if (checkpoint_id && decision->sync) ck_json_member_bool(&w, "sync", true);
  if (at->waits) ck_json_member_bool(&w, "waits", true);
  if (at->asked) ck_json_member_raw(&w, "requests", ck_bytes_text(at->asked));
  if (at->masked.len) ck_json_member_raw(&w, "redacted_keys", at->masked);
  if (decision->reasons) ck_json_member_raw(&w, "reasons", ck_value_bytes(decision->reasons));
  ck_json_end(&w, '}');
  *out = NULL;
  if (status == CK_OK) status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

const char *const ck_boundary_place_fields[] = {"effect.reserve_usd",
                                                "at.node",
                                                "at.depth",
                                                "at.seq",
                                                "at.now",
                                                "at.random",
                                                "at.latency_ms",
                                                "at.is_clean",
                                                "at.last_error",
                                                "at.since",
                                                "at.message",
                                                "at.tools",
                                                "at.model",
                                                "at.budget",
                                                "at.checkpoint_cost_ms",
                                                NULL};

ck_status ck_boundary_write_place(ck_value **out, const ck_boundary *at, int64_t reserve_micros,
                                  ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "seq", at->seq);
  put_nonzero(&w, "reserve", reserve_micros);
  ck_status status = write_inputs(&w, at, true, err);
  ck_json_end(&w, '}');
  *out = NULL;
  if (status == CK_OK) status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
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
