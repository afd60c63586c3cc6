/* begun_effects.c - follows intents and outcomes. */
#include "core/runtime/simulation/begun_effects.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/runtime/ledger/ledger_body.h"

static void free_effect(ck_begun_effect *self) {
  free(self->key);
  free(self->agent);
  free(self->scope);
  ck_value_free(self->intent);
  free(self);
}

void ck_begun_effects_clear(ck_begun_effects *self) {
  for (size_t i = 0; i < self->by_key.cap; i++)
    if (self->by_key.slots[i].key) free_effect(self->by_key.slots[i].value);
  ck_map_clear(&self->by_key);
}

/* Takes `key`. NULL: no memory. */
static ck_begun_effect *find_or_add(ck_begun_effects *self, char *key, ck_error *err) {
  ck_begun_effect *found = ck_map_get(&self->by_key, key);
  if (found) {
    free(key);
    return found;
  }
  found = calloc(1, sizeof *found);
  if (found && ck_map_add(&self->by_key, key, found, err) == CK_OK) {
    found->key = key;
    return found;
  }
  free(found);
  free(key);
  return NULL;
}

static bool put_text(char **out, const char *text) {
  free(*out);
  *out = text ? strdup(text) : NULL;
  return *out || !text;
}

static ck_status begin(ck_begun_effects *self, char *key, const ck_event *event, ck_error *err) {
  ck_begun_effect *of = find_or_add(self, key, err);
  if (!of) return ck_error_no_memory(err);
  ck_value_free(of->intent);
  of->intent = ck_value_share(event->body);
  of->masked = ck_json_get(ck_value_bytes(event->body), "redacted").len > 0;
  of->open = true;
  of->lost = false;
  of->timeline = event->timeline;
  of->seq = event->seq;
  bool ok = put_text(&of->agent, event->agent) && put_text(&of->scope, event->scope);
  return ok ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_begun_effects_take(ck_begun_effects *self, const ck_event *event, ck_error *err) {
  bool intent = event->kind == CK_EVENT_INTENT;
  if (!intent && event->kind != CK_EVENT_OUTCOME) return CK_OK;
  ck_bytes body = ck_value_bytes(event->body);
  char *key = ck_json_dup_string(ck_json_get(body, "key"));
  if (!key) return CK_OK; /* it was dropped whole */
  if (intent) return begin(self, key, event, err);
  ck_begun_effect *of = ck_map_get(&self->by_key, key);
  free(key);
  if (!of) return CK_OK;
  of->open = false;
  of->lost = ck_ledger_is_unsettled(body);
  return CK_OK;
}

const ck_begun_effect *ck_begun_effects_get(const ck_begun_effects *self, const char *key) {
  return ck_map_get(&self->by_key, key);
}

void ck_begun_effect_read(ck_effect *out, ck_bytes object) {
  int64_t attempt = 0;
  char *kind = ck_json_dup_string(ck_json_get(object, "kind")),
       *class = ck_json_dup_string(ck_json_get(object, "class"));
  if (kind) (void)ck_effect_kind_of(&out->kind, kind);
  if (class) (void)ck_effect_class_of(&out->class, class);
  if (ck_json_read_int(&attempt, ck_json_get(object, "attempt"))) out->attempt = (uint32_t)attempt;
  ck_json_read_int(&out->reserve_micros, ck_json_get(object, "reserve"));
  out->untrusted = ck_json_get(object, "untrusted");
  out->request = ck_json_get(object, "request");
  free(kind);
  free(class);
}

bool ck_begun_effect_is_masked(ck_bytes request) {
  ck_bytes found;
  return ck_placeholder_find(&found, NULL, request);
}
