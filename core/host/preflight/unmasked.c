/* unmasked.c - what policies have masked in the session so far, and none masks any more. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/host/preflight/preflight.h"
#include "core/host/session/policy_changes.h"
#include "lua/policy/policy.h"

/* What one policy took out of: a key, or the content of one kind of event. */
typedef struct place {
  char *policy, *agent; /* JSON strings as recorded; agent: NULL: of the profile's own list */
  char *where;          /* "memory.card", "outcome" */
  bool whole;           /* the value of a key, not texts in it: whoever masks it goes by its name */
} place;

typedef struct search {
  const ck_preflight *of;
  ck_store *store;
  place *list;
  size_t count, cap;
  ck_value *about; /* of the timeline */
  int64_t timeline;
  ck_status status;
  ck_error *err;
} search;

static void clear_place(place *self) {
  free(self->policy);
  free(self->agent);
  free(self->where);
}

static char *copy_raw(ck_bytes json) { return json.len ? strndup(json.data, json.len) : NULL; }

static bool is_text(const char *text, ck_bytes json) {
  return text ? ck_bytes_equal(ck_bytes_text(text), json) : json.len == 0;
}

static bool is_known(const search *self, ck_bytes policy, const char *where) {
  for (size_t i = 0; i < self->count; i++)
    if (is_text(self->list[i].policy, ck_json_get(policy, "name")) &&
        is_text(self->list[i].agent, ck_json_get(policy, "agent")) &&
        strcmp(self->list[i].where, where) == 0)
      return true;
  return false;
}

static void add(search *self, ck_bytes policy, const char *where, bool whole) {
  if (self->status != CK_OK || is_known(self, policy, where)) return;
  place *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->status = ck_error_no_memory(self->err);
    return;
  }
  self->list = list;
  place *made = &list[self->count++];
  *made = (place){.policy = copy_raw(ck_json_get(policy, "name")),
                  .agent = copy_raw(ck_json_get(policy, "agent")),
                  .where = strdup(where),
                  .whole = whole};
  if (!made->policy || !made->where) self->status = ck_error_no_memory(self->err);
}

/* ---- the record ---- */

static int64_t owner_of(const ck_head *head, int64_t timeline) {
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == timeline && head->timelines[i].session)
      return head->timelines[i].session;
  return head->session.no;
}

/* The policies of the run that recorded the event, in the order that its answers have. */
static ck_bytes policies_of(search *self, const ck_event *event) {
  if (event->timeline != self->timeline && self->status == CK_OK) {
    ck_value_free(self->about);
    self->about = NULL;
    self->timeline = event->timeline;
    self->status =
        ck_store_get_about(&self->about, self->store, owner_of(&self->of->head, event->timeline),
                           event->timeline, self->err);
  }
  return self->about ? ck_json_get(ck_value_bytes(self->about), "policies") : (ck_bytes){0};
}

static ck_bytes nth(ck_bytes list, int64_t at) {
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it))
    if (at-- == 0) return it.value;
  return (ck_bytes){0};
}

/* One answer to an item: the places of the policies that gave it. */
static void take_places(search *self, ck_bytes places, ck_bytes policies, const char *where,
                        bool whole) {
  int64_t at;
  for (ck_json_iterator it = ck_json_iterate(places); ck_json_next(&it);) {
    if (!ck_json_read_int(&at, it.value)) continue;
    ck_bytes policy = nth(policies, at);
    if (policy.len && ck_policy_changes_name(ck_value_bytes(self->of->changes), policy))
      add(self, policy, where, whole);
  }
}

static void take_item(search *self, const ck_event *event, ck_bytes said, const char *where,
                      bool is_key) {
  ck_bytes policies = policies_of(self, event);
  for (int answer = CK_REDACT_DROP; answer <= CK_REDACT_REPLACE; answer++) {
    ck_bytes places = ck_json_get(said, ck_answer_name(CK_HOOK_REDACT, answer));
    if (ck_json_type_of(places) == CK_JSON_ARRAY)
      take_places(self, places, policies, where, is_key && answer != CK_REDACT_REPLACE);
  }
}

/* A note's body is its writer's: what policies said of it stands behind a decision. */
static bool take_event(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body), own = ck_json_get(body, "redacted");
  ck_bytes keys =
      event->kind == CK_EVENT_BOUNDARY ? ck_json_get(body, "redacted_keys") : (ck_bytes){0};
  for (ck_json_iterator it = ck_json_iterate(keys); ck_json_next(&it);) {
    char *key = ck_json_dup_string(ck_json_get(it.value, "key"));
    if (key) take_item(self, event, it.value, key, true);
    free(key);
  }
  if (event->decision.len && ck_json_type_of(own) == CK_JSON_OBJECT)
    take_item(self, event, own, ck_event_kind_name(event->kind), false);
  return self->status == CK_OK;
}

static ck_status read(search *self) {
  const ck_head *head = &self->of->head;
  ck_view view;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, self->err);
  ck_event_query query = {.session = head->session.no, .view = &view};
  if (status == CK_OK)
    status = ck_store_read_events(self->store, &query, take_event, self, self->err);
  ck_view_clear(&view);
  return status == CK_OK ? self->status : status;
}

/* ---- the policies as they are now ---- */

/* Whether a text under that key would be masked: what is stored does not tell the value. */
static bool is_masked(const ck_policy_engine *policies, const char *key, const ck_value *text) {
  ck_fingerprint_key fingerprint = {0};
  const ck_item item = {.key = key, .value = text, .fingerprint = &fingerprint};
  ck_redaction made = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (!policies->redact) return false;
  ck_status status = policies->redact(&made, policies->self, &item, &ignored);
  bool masked = status != CK_OK || made.verdict != CK_REDACT_LEAVE;
  free(made.ref);
  ck_value_free(made.value);
  return masked;
}

/* Leaves out the keys that are masked still. */
static ck_status sieve(search *self, const ck_engine *engine, ck_error *err) {
  ck_policy_engine fresh;
  ck_value *text = NULL;
  size_t kept = 0;
  ck_status status = ck_policy_engine_open(&fresh, engine->profile, err);
  if (status != CK_OK) return status;
  status = ck_value_text(&text, ck_bytes_text("x"), err);
  for (size_t i = 0; i < self->count; i++) {
    bool masked = text && self->list[i].whole && is_masked(&fresh, self->list[i].where, text);
    if (masked)
      clear_place(&self->list[i]);
    else
      self->list[kept++] = self->list[i];
  }
  self->count = kept;
  ck_value_free(text);
  fresh.free(fresh.self);
  return status;
}

static bool go_together(const place *a, const place *b) {
  bool same_agent = a->agent && b->agent ? strcmp(a->agent, b->agent) == 0 : a->agent == b->agent;
  return strcmp(a->policy, b->policy) == 0 && same_agent && a->whole == b->whole;
}

/* One change for a policy, but for what is certain and what is not. */
static void write_change(ck_json_writer *w, const search *self, size_t first) {
  const place *one = &self->list[first];
  for (size_t i = 0; i < first; i++)
    if (go_together(&self->list[i], one)) return;
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "policy", ck_bytes_text(one->policy));
  if (one->agent) ck_json_member_raw(w, "agent", ck_bytes_text(one->agent));
  ck_json_member_text(w, "what", "unmasked");
  ck_json_member_bool(w, "certain", one->whole);
  ck_json_name(w, "where");
  ck_json_begin(w, '[');
  for (size_t i = first; i < self->count; i++)
    if (go_together(&self->list[i], one)) ck_json_put_text(w, self->list[i].where);
  ck_json_end(w, ']');
  ck_json_end(w, '}');
}

ck_status ck_preflight_write_unmasked(ck_json_writer *w, const ck_preflight *self,
                                      const ck_engine *engine, ck_error *err) {
  search found = {.of = self, .store = engine->runtime->store, .err = err};
  ck_status status = read(&found);
  if (status == CK_OK && found.count > 0) status = sieve(&found, engine, err);
  for (size_t i = 0; status == CK_OK && i < found.count; i++) write_change(w, &found, i);
  for (size_t i = 0; i < found.count; i++) clear_place(&found.list[i]);
  free(found.list);
  ck_value_free(found.about);
  return status;
}
