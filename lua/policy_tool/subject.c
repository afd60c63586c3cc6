/* subject.c - reads the subject of a hook from JSON. */
#include "lua/policy_tool/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy_tool/subject_names.h"

#define START_MS INT64_C(1767225600000) /* the beginning of what has no time of its own */

typedef struct reading {
  policy_subject *of;
  int64_t now_ms; /* what the ages of checkpoints are counted from */
  ck_status status;
  ck_error *err;
} reading;

/* ---- fields; the first failure stays ---- */

static void fail(reading *self, ck_status status, const char *field, ck_bytes value) {
  if (self->status != CK_OK) return;
  self->status = status;
  if (status == CK_E_NO_MEMORY)
    ck_error_no_memory(self->err);
  else
    ck_error_set(self->err, status, "%s: %.*s is not known", field,
                 (int)(value.len < 80 ? value.len : 80), value.data);
}

static int64_t get_int(reading *self, ck_bytes object, const char *name, int64_t otherwise) {
  ck_bytes value = ck_json_get(object, name);
  double number;
  int64_t whole;
  if (ck_json_read_int(&whole, value)) return whole;
  if (ck_json_read_double(&number, value) && fabs(number) < 9e18) return llround(number);
  if (value.len) fail(self, CK_E_TYPE, name, value);
  return otherwise;
}

/* Dollars to micro-dollars, milliseconds to microseconds: `scale`: of the unit of the view. */
static int64_t get_scaled(reading *self, ck_bytes object, const char *name, double scale,
                          int64_t otherwise) {
  ck_bytes value = ck_json_get(object, name);
  double number;
  if (ck_json_read_double(&number, value) && fabs(number * scale) < 9e18)
    return llround(number * scale);
  if (value.len) fail(self, CK_E_TYPE, name, value);
  return otherwise;
}

static bool get_bool(reading *self, ck_bytes object, const char *name, bool otherwise) {
  ck_bytes value = ck_json_get(object, name);
  bool truth;
  if (ck_json_read_bool(&truth, value)) return truth;
  if (value.len) fail(self, CK_E_TYPE, name, value);
  return otherwise;
}

static char *keep_text(reading *self, char *text) {
  if (!text || self->of->text_count == SUBJECT_TEXTS_MAX) {
    fail(self, CK_E_NO_MEMORY, NULL, (ck_bytes){NULL, 0});
    free(text);
    return NULL;
  }
  return self->of->texts[self->of->text_count++] = text;
}

static char *get_text(reading *self, ck_bytes object, const char *name, const char *otherwise) {
  ck_bytes value = ck_json_get(object, name);
  if (ck_json_type_of(value) == CK_JSON_STRING) return keep_text(self, ck_json_dup_string(value));
  if (value.len) fail(self, CK_E_TYPE, name, value);
  return otherwise ? keep_text(self, strdup(otherwise)) : NULL;
}

static int get_name(reading *self, ck_bytes object, const char *name, int otherwise,
                    int (*find)(const char *name)) {
  ck_bytes value = ck_json_get(object, name);
  if (!value.len) return otherwise;
  char *text = ck_json_dup_string(value);
  int found = text ? find(text) : 0;
  bool no_memory = !text && ck_json_type_of(value) == CK_JSON_STRING;
  free(text);
  if (!found) fail(self, no_memory ? CK_E_NO_MEMORY : CK_E_TYPE, name, value);
  return found;
}

static void get_value(reading *self, ck_bytes object, const char *name, const char *otherwise) {
  ck_bytes value = ck_json_get(object, name);
  if (self->status == CK_OK)
    self->status =
        ck_value_copy(&self->of->value, value.len ? value : ck_bytes_text(otherwise), self->err);
}

/* {"memory.plan": true, …}, or a list of them. How many can be said alone, or otherwise. */
static void get_changed(reading *self, ck_bytes since) {
  ck_changed_keys *keys = &self->of->changed;
  if (self->status == CK_OK)
    self->status = ck_changed_keys_read(keys, ck_json_get(since, "changed"), self->err);
  self->of->at.since.changed = keys;
  self->of->at.since.changed_keys =
      get_int(self, since, "changed_keys", (int64_t)ck_changed_keys_count(keys));
}

/* ---- read_HOOK reads the subject, and sets `about` to it ---- */

static void read_checkpoint(reading *self, ck_bytes json) {
  ck_boundary *at = &self->of->at;
  ck_bytes since = ck_json_get(json, "since"), next = ck_json_get(json, "next"),
           budget = ck_json_get(json, "budget");
  at->kind = (ck_boundary_kind)get_name(self, json, "kind", CK_BOUNDARY_TOOL_ROUND,
                                        ck_subject_find_boundary);
  at->scope = get_text(self, json, "scope", "main");
  at->node = get_text(self, json, "node", NULL);
  at->agent = get_text(self, json, "agent", NULL);
  at->last_error = get_text(self, json, "last_error", NULL);
  at->depth = (int)get_int(self, json, "depth", 0);
  at->now_ms = get_int(self, json, "now", 1767225600000);
  at->random = (uint64_t)get_scaled(self, json, "random", 9007199254740992.0, 1LL << 52);
  at->node_latency_ms = get_int(self, json, "latency_ms", 0);
  at->clean = get_bool(self, json, "is_clean", true);
  at->checkpoint_cost_us = get_scaled(self, json, "checkpoint_cost_ms", 1000, 0);
  at->since.ms = get_int(self, since, "ms", 0);
  at->since.events = get_int(self, since, "events", 1);
  at->since.cost_micros = get_scaled(self, since, "cost_usd", 1e6, 0);
  at->since.tokens = get_int(self, since, "tokens", 0);
  at->since.tool_calls = get_int(self, since, "tool_calls", 0);
  get_changed(self, since);
  at->since.changed_bytes = get_int(self, since, "changed_bytes", 0);
  at->seq = get_int(self, json, "seq", at->since.events + 2);
  self->of->counts = (ck_view_counts){
      .boundaries = get_int(self, since, "boundaries", 1),
      .iterations = get_int(self, since, "iterations",
                            ck_boundary_kind_counted(at->kind) == CK_COUNT_ITERATION)};
  at->calls = ck_json_get(json, "calls");
  at->message = ck_json_get(json, "message");
  at->tools = ck_json_get(json, "tools");
  at->model = ck_json_get(json, "model");
  at->next.node = get_text(self, next, "node", NULL);
  at->next.tool = get_text(self, next, "tool", NULL);
  int class = get_name(self, next, "class", 0, ck_subject_find_class);
  at->next.has_class = class > 0;
  at->next.effect_class = class ? (ck_effect_class)(class - 1) : CK_EFFECT_PURE;
  at->budget.spent_micros = get_scaled(self, budget, "spent", 1e6, at->since.cost_micros);
  at->budget.limit_micros = get_scaled(self, budget, "limit", 1e6, -1);
  self->of->about = &self->of->at;
}

/* Element `index` of a list as a member; beyond it there is none. */
static bool write_element(ck_json_writer *w, const char *as, ck_bytes list, size_t index) {
  ck_json_iterator it = ck_json_iterate(list.len ? list : ck_bytes_text("[]"));
  bool there = ck_json_next(&it);
  while (there && index-- > 0) there = ck_json_next(&it);
  if (there) ck_json_member_raw(w, as, it.value);
  return there;
}

/* As a checkpoint keeps who took it. */
static void write_reasons(ck_json_writer *w, ck_bytes json) {
  ck_bytes policies = ck_json_get(json, "policies"), reasons = ck_json_get(json, "reasons");
  bool more = policies.len || reasons.len;
  ck_json_name(w, "reasons");
  ck_json_begin(w, '[');
  for (size_t i = 0; more; i++) {
    ck_json_begin(w, '{');
    more = write_element(w, "policy", policies, i);
    more |= write_element(w, "reason", reasons, i);
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
}

static void write_info(reading *self, ck_checkpoint_info *out, ck_bytes json) {
  static const char *const members[] = {"node", "next", "agent", "tool", "description"};
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    ck_bytes value = ck_json_get(json, members[i]);
    if (value.len) ck_json_member_raw(&w, members[i], value);
  }
  write_reasons(&w, json);
  ck_json_end(&w, '}');
  if (self->status == CK_OK) self->status = ck_value_from(&out->info, &text, self->err);
  ck_buffer_clear(&text);
}

static void read_checkpoint_info(reading *self, ck_checkpoint_info *out, ck_bytes json,
                                 size_t index) {
  ck_bytes given = ck_json_get(json, "id");
  char *id = ck_json_dup_string(given);
  if (!id && ck_json_type_of(given) == CK_JSON_STRING) fail(self, CK_E_NO_MEMORY, NULL, given);
  out->seq = get_int(self, json, "seq", (int64_t)(index + 1) * 10);
  if (id && *id)
    snprintf(out->id, sizeof out->id, "%s", id);
  else
    snprintf(out->id, sizeof out->id, "c%zu", index + 1);
  free(id);
  out->parent = get_int(self, json, "parent", index ? out[-1].seq : 0);
  out->timeline = get_int(self, json, "timeline", 1);
  bool is_keyframe = get_bool(self, json, "is_keyframe", index == 0) || !index;
  out->keyframe = is_keyframe ? out->seq : out[-1].keyframe;
  out->kind = (ck_boundary_kind)get_name(self, json, "kind", CK_BOUNDARY_TOOL_ROUND,
                                         ck_subject_find_boundary);
  out->created_ms = get_int(self, json, "created", START_MS + (int64_t)index * 60000);
  int64_t age = get_int(self, json, "age_ms", -1);
  if (age >= 0) out->created_ms = self->now_ms - age;
  out->clean = get_bool(self, json, "is_clean", true);
  out->resumable = get_bool(self, json, "resumable", true);
  out->changed = get_int(self, json, "changed_keys", 1);
  out->stored_bytes = out->plain_bytes = get_int(self, json, "bytes", 1000);
  out->totals.cost_micros = get_scaled(self, json, "cost_usd", 1e6, 0);
  write_info(self, out, json);
}

static void read_history(reading *self, ck_bytes list, int64_t now) {
  policy_subject *of = self->of;
  size_t count = ck_json_count(list);
  bool aged = false;
  of->checkpoints = calloc(count + 1, sizeof *of->checkpoints);
  of->by_id = calloc(count + 1, sizeof *of->by_id);
  of->flags = calloc(count * 2 + 1, sizeof *of->flags);
  if (!of->checkpoints || !of->by_id || !of->flags) {
    fail(self, CK_E_NO_MEMORY, NULL, (ck_bytes){NULL, 0});
    return;
  }
  self->now_ms = now ? now : START_MS + (int64_t)count * 60000;
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it)) {
    size_t index = of->history.count++;
    of->by_id[index] = &of->checkpoints[index];
    read_checkpoint_info(self, &of->checkpoints[index], it.value, index);
    aged |= ck_json_get(it.value, "age_ms").len > 0;
  }
  of->history.checkpoints = of->checkpoints;
  of->history.now_ms = now || aged ? self->now_ms
                       : count     ? of->checkpoints[count - 1].created_ms
                                   : 0;
  qsort(of->by_id, of->history.count, sizeof *of->by_id, ck_answer_compare_ids);
}

static void copy_member(ck_json_writer *w, const char *as, ck_bytes object, const char *name) {
  ck_bytes value = ck_json_get(object, name);
  if (value.len) ck_json_member_raw(w, as, value);
}

/* What a host tells of a resume, from the fields of the view. */
static void get_seen(reading *self, ck_bytes about) {
  ck_bytes host = ck_json_get(about, "host");
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  copy_member(&w, "utc_offset_s", about, "utc_offset_s");
  copy_member(&w, "flow_changed", about, "flow_changed");
  copy_member(&w, "models", about, "models");
  copy_member(&w, "host", host, "now");
  copy_member(&w, "host_before", host, "was");
  ck_json_end(&w, '}');
  if (self->status == CK_OK) self->status = ck_value_from(&self->of->value, &text, self->err);
  ck_buffer_clear(&text);
}

static void read_resume(reading *self, ck_bytes json) {
  policy_subject *of = self->of;
  ck_session_record *session = &of->session;
  ck_bytes about = ck_json_get(json, "session"), checkpoint = ck_json_get(json, "checkpoint");
  char *id = get_text(self, about, "id", "session");
  snprintf(session->id, sizeof session->id, "%s", id ? id : "");
  session->status = (ck_session_status)get_name(self, about, "status", CK_SESSION_PAUSED,
                                                ck_subject_find_session);
  session->reason = get_text(self, about, "reason", NULL);
  session->profile = get_text(self, about, "profile", "default");
  session->flow = get_text(self, about, "flow", NULL);
  session->created_ms = get_int(self, about, "created", 1767225600000);
  session->updated_ms = get_int(self, about, "updated", session->created_ms);
  of->totals = (ck_totals){.cost_micros = get_scaled(self, about, "cost_usd", 1e6, 0),
                           .input_tokens = get_int(self, about, "tokens", 0),
                           .model_calls = get_int(self, about, "model_calls", 0),
                           .tool_calls = get_int(self, about, "tool_calls", 0),
                           .active_us = get_scaled(self, about, "active_ms", 1000, 0)};
  ck_bytes budget = ck_json_get(about, "budget");
  get_seen(self, about);
  of->resume = (ck_resume_case){
      .session = session,
      .totals = &of->totals,
      .now_ms = get_int(self, about, "now", session->updated_ms),
      .budget = {.spent_micros = get_scaled(self, budget, "spent", 1e6, of->totals.cost_micros),
                 .limit_micros = get_scaled(self, budget, "limit", 1e6, -1)},
      .seen = of->value};
  of->about = &of->resume;
  if (!checkpoint.len) return;
  ck_buffer list = {0};
  ck_buffer_append_char(&list, '[');
  ck_buffer_append_bytes(&list, checkpoint);
  ck_buffer_append_char(&list, ']');
  if (list.failed)
    fail(self, CK_E_NO_MEMORY, NULL, (ck_bytes){NULL, 0});
  else
    read_history(self, ck_buffer_bytes(&list), of->resume.now_ms);
  ck_buffer_clear(&list);
  of->resume.checkpoint = of->checkpoints;
}

static void read_tail(reading *self, ck_bytes json) {
  ck_bytes about = ck_json_get(json, "event");
  ck_event *event = &self->of->event;
  get_value(self, about, "body", "{}");
  *event = (ck_event){
      .seq = get_int(self, about, "seq", 2),
      .timeline = 1,
      .at_ms = get_int(self, about, "at", 1767225600000),
      .kind = (ck_event_kind)get_name(self, about, "kind", CK_EVENT_MESSAGE, ck_subject_find_event),
      .body = self->of->value};
  event->scope = get_text(self, about, "scope", "main");
  event->agent = get_text(self, about, "agent", NULL);
  self->of->agent = get_text(self, json, "agent", "agent");
  self->of->about = &self->of->event;
}

static void read_on_failure(reading *self, ck_bytes json) {
  ck_failure *failure = &self->of->failure;
  failure->node = get_text(self, json, "node", NULL);
  failure->agent = get_text(self, json, "agent", NULL);
  failure->key = get_text(self, json, "key", "main/start/tool/1");
  failure->error = get_text(self, json, "error", "it failed");
  failure->status = (ck_status)get_name(self, json, "status", CK_E_FAILED, ck_subject_find_status);
  failure->attempt = (uint32_t)get_int(self, json, "attempt", 1);
  failure->tries = (uint32_t)get_int(self, json, "try", 1);
  failure->retry_after_ms = get_int(self, json, "retry_after", 0);
  failure->tool = get_text(self, json, "tool", NULL);
  failure->kind =
      (ck_effect_kind)(get_name(self, json, "kind", CK_EFFECT_TOOL + 1, ck_subject_find_effect) -
                       1);
  self->of->about = &self->of->failure;
}

/* `value`: of the request. A tool and its arguments are members of it. */
static void get_request(reading *self, ck_bytes json, const char *otherwise) {
  ck_bytes tool = ck_json_get(json, "tool"), arguments = ck_json_get(json, "arguments");
  if (!tool.len && !arguments.len) {
    get_value(self, json, "request", otherwise);
    return;
  }
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  if (tool.len) ck_json_member_raw(&w, "name", tool);
  if (arguments.len) ck_json_member_raw(&w, "arguments", arguments);
  ck_json_end(&w, '}');
  if (self->status == CK_OK) self->status = ck_value_from(&self->of->value, &text, self->err);
  ck_buffer_clear(&text);
}

/* A copy of the JSON of a member; no bytes: there is none. */
static ck_bytes get_span(reading *self, ck_bytes json, const char *name) {
  ck_bytes value = ck_json_get(json, name);
  const char *kept = value.len ? keep_text(self, strndup(value.data, value.len)) : NULL;
  return kept ? ck_bytes_text(kept) : (ck_bytes){0};
}

static void read_effect(reading *self, ck_bytes json, const char *request) {
  ck_effect *effect = &self->of->effect;
  effect->scope = get_text(self, json, "scope", "main");
  effect->key = get_text(self, json, "key", "main/start/tool/1");
  effect->agent = get_text(self, json, "agent", NULL);
  effect->kind =
      (ck_effect_kind)(get_name(self, json, "kind", CK_EFFECT_TOOL + 1, ck_subject_find_effect) -
                       1);
  effect->class =
      (ck_effect_class)(get_name(self, json, "class", CK_EFFECT_ONCE + 1, ck_subject_find_class) -
                        1);
  effect->attempt = (uint32_t)get_int(self, json, "attempt", 1);
  effect->reserve_micros = get_scaled(self, json, "reserve_usd", 1e6, 0);
  effect->untrusted = get_span(self, json, "untrusted");
  get_request(self, json, request);
  effect->request = self->of->value ? ck_value_bytes(self->of->value) : (ck_bytes){NULL, 0};
  self->of->about = &self->of->effect;
}

static void read_in_doubt(reading *self, ck_bytes json) { read_effect(self, json, "{}"); }

/* Between boundaries there is no kind. */
static void read_permit(reading *self, ck_bytes json) {
  ck_bytes at = ck_json_get(json, "at");
  read_checkpoint(self, at);
  if (!ck_json_get(at, "kind").len) self->of->at.kind = (ck_boundary_kind)0;
  read_effect(self, ck_json_get(json, "effect"), "{\"name\":\"tool\",\"arguments\":{}}");
}

static void read_redact(reading *self, ck_bytes json) {
  ck_bytes kind = ck_json_get(json, "kind");
  get_value(self, json, "value", "{}");
  self->of->item.key = get_text(self, json, "key", kind.len ? NULL : "memory.x");
  self->of->item.kind =
      (ck_event_kind)get_name(self, json, "kind", CK_EVENT_MESSAGE, ck_subject_find_event);
  self->of->item.agent = get_text(self, json, "agent", NULL);
  self->of->item.value = self->of->value;
  self->of->about = &self->of->item;
}

static void read_migrate(reading *self, ck_bytes json) {
  get_value(self, json, "document", "{}");
  self->of->from = (int)get_int(self, json, "from", 1);
  self->of->to = (int)get_int(self, json, "to", 2);
  self->of->about = self->of->value;
}

static void read_prune(reading *self, ck_bytes json) {
  read_history(self, ck_json_get(json, "checkpoints"), get_int(self, json, "now", 0));
  self->of->about = &self->of->history;
}

static void (*const readers[POLICY_HOOK_COUNT])(reading *self, ck_bytes json) = {
#define X(name, ...) read_##name,
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

ck_status ck_policy_subject_read(policy_subject *out, policy_hook hook, ck_bytes json,
                                 ck_error *err) {
  *out = (policy_subject){.hook = hook};
  reading self = {.of = out, .status = CK_OK, .err = err};
  self.status = ck_value_new(&out->json, json, err);
  if (self.status == CK_OK) readers[hook](&self, ck_value_bytes(out->json));
  if (self.status != CK_OK) ck_policy_subject_clear(out);
  return self.status;
}

void ck_policy_subject_clear(policy_subject *self) {
  for (size_t i = 0; i < self->text_count; i++) free(self->texts[i]);
  for (size_t i = 0; self->checkpoints && i < self->history.count; i++)
    ck_checkpoint_info_clear(&self->checkpoints[i]);
  ck_changed_keys_clear(&self->changed);
  free(self->checkpoints);
  free(self->by_id);
  free(self->flags);
  ck_value_free(self->value);
  ck_value_free(self->json);
  *self = (policy_subject){0};
}
