/* ledger.c - folds intents, outcomes and resolutions by key, and tells the case of an effect. */
#include "core/runtime/ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fnv.h"
#include "core/base/placeholder.h"
#include "core/runtime/ledger/acted_on.h"
#include "core/runtime/ledger/ledger_body.h"

/* Open addressing over indices into `entries`; -1 is free. Entries are never removed. */
typedef struct record {
  ck_ledger_entry view;
  char *key, *scope, *agent;
  ck_value *intent, *displaced, *outcome, *resolution;
  struct record *before; /* carried out under this key before another request was; newest first */
} record;

struct ck_ledger {
  record **entries;
  size_t count, cap;
  int32_t *slots;
  size_t slot_count;
  const ck_view *view; /* see ck_ledger_set_lineage; NULL: all counts */
  uint32_t attempt;
};

static const char *const verdict_names[] = {NULL, "done", "retry", "abort"};

ck_verdict ck_verdict_of(const char *name) {
  for (int i = CK_VERDICT_DONE; i <= CK_VERDICT_ABORT; i++)
    if (strcmp(verdict_names[i], name) == 0) return (ck_verdict)i;
  return CK_VERDICT_NONE;
}

ck_status ck_ledger_new(ck_ledger **out, ck_error *err) {
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static void free_entry(record *self) {
  if (!self) return;
  for (record *next; self->before; self->before = next) {
    next = self->before->before;
    self->before->before = NULL;
    free_entry(self->before);
  }
  ck_value_free(self->intent);
  ck_value_free(self->displaced);
  ck_value_free(self->outcome);
  ck_value_free(self->resolution);
  free(self->key);
  free(self->scope);
  free(self->agent);
  free(self);
}

void ck_ledger_free(ck_ledger *self) {
  if (!self) return;
  for (size_t i = 0; i < self->count; i++) free_entry(self->entries[i]);
  free(self->entries);
  free(self->slots);
  free(self);
}

/* Keys are made by the runtime, not by an attacker. */
static uint64_t hash(const char *key) { return ck_fnv_add(CK_FNV_BEGIN, key, strlen(key)); }

static size_t find_slot(const ck_ledger *self, const char *key) {
  size_t slot = hash(key) & (self->slot_count - 1);
  while (self->slots[slot] >= 0 && strcmp(self->entries[self->slots[slot]]->key, key) != 0)
    slot = (slot + 1) & (self->slot_count - 1);
  return slot;
}

static bool grow(ck_ledger *self) {
  size_t cap = self->cap ? self->cap * 2 : 32, slot_count = cap * 2;
  record **entries = realloc(self->entries, cap * sizeof *entries);
  if (!entries) return false;
  self->entries = entries;
  int32_t *slots = malloc(slot_count * sizeof *slots);
  if (!slots) return false;
  memset(slots, 0xff, slot_count * sizeof *slots);
  free(self->slots);
  self->slots = slots;
  self->slot_count = slot_count;
  self->cap = cap;
  for (size_t i = 0; i < self->count; i++)
    slots[find_slot(self, self->entries[i]->key)] = (int32_t)i;
  return true;
}

static record *add_entry(ck_ledger *self, const char *key, const char *scope) {
  if (self->count == self->cap && !grow(self)) return NULL;
  size_t slot = find_slot(self, key);
  if (self->slots[slot] >= 0) return self->entries[self->slots[slot]];
  record *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->key = strdup(key);
  made->scope = strdup(scope);
  if (!made->key || !made->scope) {
    free_entry(made);
    return NULL;
  }
  made->view.key = made->key;
  made->view.scope = made->scope;
  self->slots[slot] = (int32_t)self->count;
  self->entries[self->count++] = made;
  return made;
}

const ck_ledger_entry *ck_ledger_get(const ck_ledger *self, const char *key) {
  if (self->count == 0) return NULL;
  int32_t index = self->slots[find_slot(self, key)];
  return index < 0 ? NULL : &self->entries[index]->view;
}

const ck_ledger_entry *ck_ledger_at(const ck_ledger *self, size_t index) {
  return index < self->count ? &self->entries[index]->view : NULL;
}

static void replace(ck_value **slot, const ck_value *value) {
  ck_value_free(*slot);
  *slot = ck_value_share(value);
}

static void read_short(char *out, size_t size, ck_bytes value) {
  ck_buffer text = {0};
  ck_json_read_string(&text, value);
  size_t len = text.len < size ? text.len : size - 1;
  if (text.data) memcpy(out, text.data, len);
  out[len] = 0;
  ck_buffer_clear(&text);
}

static uint32_t read_attempt(ck_bytes body) {
  int64_t attempt = 1;
  ck_json_read_int(&attempt, ck_json_get(body, "attempt"));
  return attempt < 1 ? 1 : (uint32_t)attempt;
}

static bool keep_agent(record *to, const char *agent) {
  free(to->agent);
  to->agent = agent ? strdup(agent) : NULL;
  to->view.agent = to->agent;
  return to->agent || !agent;
}

void ck_ledger_set_lineage(ck_ledger *self, const ck_view *view, uint32_t attempt) {
  self->view = view;
  self->attempt = attempt;
}

static bool is_past(const ck_ledger *self, int64_t seq, uint32_t attempt) {
  return !self->view || attempt == self->attempt || ck_view_contains(self->view, seq);
}

static bool was_lost(const ck_ledger *self, const ck_ledger_entry *entry) {
  bool waits = entry->kind == CK_EFFECT_ASK || entry->kind == CK_EFFECT_SLEEP;
  return entry->open && !entry->blocked && !waits &&
         is_past(self, entry->intent_seq, entry->intent_attempt);
}

bool ck_ledger_went_wrong(const ck_ledger *self, const ck_ledger_entry *entry) {
  return entry->troubles > 0 || was_lost(self, entry);
}

static ck_ledger_state closed_state(const ck_ledger_entry *entry) {
  return ck_ledger_read_state(ck_value_bytes(entry->outcome));
}

/* ---- what was carried out before another request under the same key ---- */

/* What came of it stands, whatever is asked for in its place. */
static bool stands(const ck_ledger_entry *entry) {
  if (entry->open || !entry->outcome || ck_effect_class_repeats(entry->class)) return false;
  ck_ledger_state state = closed_state(entry);
  return state == CK_LEDGER_OK || state == CK_LEDGER_UNKNOWN;
}

static ck_bytes request_of(const ck_ledger_entry *entry) {
  return entry->intent ? ck_json_get(ck_value_bytes(entry->intent), "request") : (ck_bytes){0};
}

static bool is_digest(ck_bytes member, const char *recorded) {
  char digest[CK_REQUEST_DIGEST_SIZE];
  read_short(digest, sizeof digest, member);
  return ck_request_digest_equal(ck_bytes_text(digest), ck_bytes_text(recorded));
}

/* What stands is kept when another request takes its place. */
static bool keep_before(record *to, ck_bytes body) {
  if (!stands(&to->view) || is_digest(ck_json_get(body, "digest"), to->view.outcome_digest) ||
      ck_ledger_is_same_action(ck_json_get(body, "request"), request_of(&to->view)))
    return true;
  record *kept = calloc(1, sizeof *kept);
  if (!kept) return false;
  *kept = (record){.view = to->view, .before = to->before};
  kept->intent = ck_value_share(to->intent);
  kept->outcome = ck_value_share(to->outcome);
  kept->resolution = ck_value_share(to->resolution);
  kept->agent = to->agent ? strdup(to->agent) : NULL;
  kept->view.agent = kept->agent;
  kept->view.displaced = NULL;
  to->before = kept;
  return kept->agent || !to->agent;
}

/* The one at `link` takes the entry's place. */
static void put_back(record *to, record **link) {
  record *found = *link, latest = *to;
  *link = found->before;
  found->before = to->before;
  *to = *found;
  *found = latest;
  to->view.key = to->key = latest.key;
  to->view.scope = to->scope = latest.scope;
  to->view.troubles = latest.view.troubles;
  found->before = NULL;
  found->key = found->scope = NULL;
  free_entry(found);
}

static bool is_asked(const record *self, const ck_ledger_request *asked) {
  ck_bytes recorded = ck_bytes_text(self->view.outcome_digest);
  return ck_request_digest_equal(ck_bytes_text(asked->digest), recorded) ||
         (ck_request_digest_is_open(asked->digest, recorded) &&
          ck_placeholder_equal(asked->request, request_of(&self->view))) ||
         (asked->by_model && ck_ledger_is_same_action(asked->request, request_of(&self->view)));
}

void ck_ledger_recall(ck_ledger *self, const char *key, const ck_ledger_request *asked) {
  int32_t index = self->count ? self->slots[find_slot(self, key)] : -1;
  record *to = index < 0 ? NULL : self->entries[index];
  if (!to || !to->before) return;
  const ck_ledger_entry *view = &to->view;
  bool held = view->open && view->blocked;
  uint32_t attempt = view->open ? view->intent_attempt : view->outcome_attempt;
  if ((view->open && !held) || attempt >= asked->attempt) return;
  if (stands(view) && is_asked(to, asked)) return;
  record **link = &to->before;
  while (*link && !is_asked(*link, asked)) link = &(*link)->before;
  if (!*link && !held && !stands(view)) link = &to->before;
  if (*link) put_back(to, link);
}

/* ---- events ---- */

/* What was carried out in the place of one that is not begun; asked for again, it stays. */
static void keep_displaced(record *to, bool held) {
  if (held && to->view.open && to->view.blocked) return;
  replace(&to->displaced, held ? to->intent : NULL);
}

static bool apply_intent(const ck_ledger *self, record *to, const ck_event *event, ck_bytes body) {
  bool held = false;
  char name[24];
  to->view.troubles += was_lost(self, &to->view);
  ck_json_read_bool(&held, ck_json_get(body, "held"));
  if (held && to->before && !to->view.open && !stands(&to->view)) put_back(to, &to->before);
  if (!keep_before(to, body)) return false;
  keep_displaced(to, held);
  replace(&to->intent, event->body);
  to->view.intent_seq = event->seq;
  replace(&to->resolution, NULL);
  to->view.open = true;
  to->view.blocked = held;
  to->view.verdict = CK_VERDICT_NONE;
  to->view.intent_attempt = read_attempt(body);
  read_short(to->view.intent_digest, sizeof to->view.intent_digest, ck_json_get(body, "digest"));
  read_short(name, sizeof name, ck_json_get(body, "class"));
  if (!ck_effect_class_of(&to->view.class, name)) to->view.class = CK_EFFECT_ONCE;
  read_short(name, sizeof name, ck_json_get(body, "kind"));
  if (!ck_effect_kind_of(&to->view.kind, name)) to->view.kind = CK_EFFECT_TOOL;
  return keep_agent(to, event->agent);
}

static void apply_outcome(const ck_ledger *self, record *to, const ck_event *event, ck_bytes body) {
  char kind[24];
  replace(&to->outcome, event->body);
  read_short(kind, sizeof kind, ck_json_get(body, "kind"));
  if (!to->intent) ck_effect_kind_of(&to->view.kind, kind);
  to->view.open = false;
  to->view.outcome_attempt = read_attempt(body);
  to->view.outcome_seq = event->seq;
  to->view.troubles +=
      ck_ledger_is_failure(body) && is_past(self, event->seq, to->view.outcome_attempt);
  read_short(to->view.outcome_digest, sizeof to->view.outcome_digest, ck_json_get(body, "digest"));
}

static void apply_resolution(record *to, const ck_event *event, ck_bytes body) {
  char name[16];
  replace(&to->resolution, event->body);
  read_short(name, sizeof name, ck_json_get(body, "verdict"));
  to->view.verdict = ck_verdict_of(name);
}

ck_status ck_ledger_apply(ck_ledger *self, const ck_event *event, ck_error *err) {
  if (event->kind != CK_EVENT_INTENT && event->kind != CK_EVENT_OUTCOME &&
      event->kind != CK_EVENT_RESOLUTION)
    return CK_OK;
  ck_bytes body = ck_value_bytes(event->body);
  if (ck_json_type_of(ck_json_get(body, "key")) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_CORRUPT, "event %lld (%s) has no key", (long long)event->seq,
                        ck_event_kind_name(event->kind));
  char *key = ck_json_dup_string(ck_json_get(body, "key"));
  if (!key) return ck_error_no_memory(err);
  record *to = add_entry(self, key, event->scope);
  free(key);
  if (!to || (event->kind == CK_EVENT_INTENT && !apply_intent(self, to, event, body)))
    return ck_error_no_memory(err);
  if (event->kind == CK_EVENT_OUTCOME) apply_outcome(self, to, event, body);
  if (event->kind == CK_EVENT_RESOLUTION) apply_resolution(to, event, body);
  to->view.intent = to->intent;
  to->view.displaced = to->displaced;
  to->view.outcome = to->outcome;
  to->view.resolution = to->resolution;
  return CK_OK;
}

bool ck_ledger_fold_event(void *to, const ck_event *event) {
  ck_ledger_fold *self = to;
  self->status = ck_ledger_apply(self->ledger, event, self->err);
  return self->status == CK_OK;
}

/* ---- the case of an effect ---- */

static ck_ledger_state open_state(const ck_ledger_entry *entry) {
  switch (entry->verdict) {
    case CK_VERDICT_DONE:
    case CK_VERDICT_ABORT:
      return CK_LEDGER_SETTLED;
    case CK_VERDICT_RETRY:
      return CK_LEDGER_RELEASED;
    case CK_VERDICT_NONE:
      break;
  }
  return entry->blocked ? CK_LEDGER_BLOCKED : CK_LEDGER_OPEN;
}

static bool acts(ck_effect_kind kind) {
  return kind == CK_EFFECT_TOOL || kind == CK_EFFECT_EXEC || kind == CK_EFFECT_AGENT;
}

/* Another tool did what may be repeated, in a branch that the session has left: that stands against
 * nothing. Of the same tool the stricter class counts, as a flow may have been edited. */
static bool is_harmless(const ck_ledger_entry *entry, bool other_tool) {
  return other_tool && !entry->open && ck_effect_class_repeats(entry->class);
}

static bool is_other_tool(const ck_ledger_entry *entry, const ck_effect *effect) {
  return entry->intent &&
         ck_ledger_is_other_tool(effect->request,
                                 ck_json_get(ck_value_bytes(entry->intent), "request"));
}

ck_ledger_case ck_ledger_find_entry(const ck_ledger_entry *entry, const ck_effect *effect,
                                    const char *digest) {
  ck_ledger_case out = {.class = effect->class, .acts = acts(effect->kind), .tries_left = true};
  if (!entry || (!entry->open && !entry->outcome)) return out;
  const char *recorded = entry->open ? entry->intent_digest : entry->outcome_digest;
  if (entry->open || (entry->intent && entry->class > out.class)) out.class = entry->class;
  out.state = entry->open ? open_state(entry) : closed_state(entry);
  bool same = ck_request_digest_is_of(digest, effect, recorded, entry->intent);
  out.request = same ? CK_REQUEST_SAME : CK_REQUEST_OTHER;
  out.later = (entry->open ? entry->intent_attempt : entry->outcome_attempt) < effect->attempt;
  bool other_tool = is_other_tool(entry, effect);
  if (out.later && is_harmless(entry, other_tool)) out.class = entry->class;
  /* What a person said was of the other one. */
  if (other_tool && out.state == CK_LEDGER_SETTLED) out.state = CK_LEDGER_BLOCKED;
  return out;
}

ck_ledger_case ck_ledger_find(const ck_ledger *self, const ck_effect *effect, const char *digest) {
  const ck_ledger_entry *entry = ck_ledger_get(self, effect->key);
  ck_ledger_case out = ck_ledger_find_entry(entry, effect, digest);
  if (out.state == CK_LEDGER_OK && effect->kind == CK_EFFECT_MODEL &&
      out.request == CK_REQUEST_SAME && ck_ledger_was_acted_on(self, entry))
    out.state = CK_LEDGER_ACTED_ON;
  return out;
}
