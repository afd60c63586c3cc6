/* fallback.c - walks the chain of a model's fallbacks, one call at a time. */
#include "core/runtime/execution/fallback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/runtime/execution/chain_memory.h"
#include "core/runtime/execution/passed_over.h"
#include "core/runtime/ledger/ledger_body.h"

/* Of the model that the flow asks; NULL: it has none, or a recording answers in its place. */
static const ck_profile_model *find_chain(const ck_call *self) {
  const ck_profile *profile = ck_call_session(self)->profile;
  bool asks = self->effect.kind == CK_EFFECT_MODEL && self->driver &&
              strcmp(self->driver->name, "model") == 0;
  char *name =
      asks && profile ? ck_json_dup_string(ck_json_get(self->effect.request, "model")) : NULL;
  const ck_profile_model *found = name ? ck_profile_get_model(profile, name) : NULL;
  free(name);
  return found && found->fallback_count ? found : NULL;
}

/* Of the one that was asked last: 0 is the flow's own. */
static size_t find_place(const ck_profile_model *chain, const char *asked) {
  size_t place = 0;
  while (asked && place < chain->fallback_count &&
         strcmp(chain->fallbacks[place].model, asked) != 0)
    place++;
  return asked ? place + 1 : 0;
}

const char *ck_fallback_next(const ck_call *self, ck_status cause) {
  const ck_profile_model *chain = find_chain(self);
  if (!chain) return NULL;
  unsigned bit = ck_model_fails_bit(cause);
  size_t count = chain->fallback_count + 1;
  for (size_t i = (find_place(chain, self->effect.model) + 1) % count; i != self->begins;
       i = (i + 1) % count) {
    if (i == 0) return chain->name;
    if (cause == CK_OK || (chain->fallbacks[i - 1].on & bit)) return chain->fallbacks[i - 1].model;
  }
  return NULL;
}

static int64_t now_ms(const ck_call *self) {
  const ck_clock *clock = &self->runner->execution->options.clock;
  return clock->wall_ms(clock->self);
}

/* `model`: NULL for the flow's own. */
static void ask_for(ck_call *self, const char *model) {
  if (!self->effect.model) self->effect.failed_ms = now_ms(self);
  if (!model) self->effect.failed_ms = 0;
  self->effect.model = model;
  ck_call_renew_leave(self);
}

ck_status ck_fallback_ask(ck_call *self, const char *model, ck_error *err) {
  const ck_profile_model *chain = find_chain(self);
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "model \"%.64s\" is asked in its place", model);
  ck_call_notify_note(self, text);
  ask_for(self, chain && strcmp(chain->name, model) == 0 ? NULL : model);
  self->effect.lost = 0;
  self->tries = 0;
  self->again = true;
  return ck_call_commit_intent(self, err);
}

/* What was begun and has no outcome, or one that says no more than that it was lost. */
static ck_bytes read_lost(const ck_ledger_entry *entry) {
  if (!entry) return (ck_bytes){0};
  if (entry->open) return entry->intent ? ck_value_bytes(entry->intent) : (ck_bytes){0};
  ck_bytes outcome = entry->outcome ? ck_value_bytes(entry->outcome) : (ck_bytes){0};
  return outcome.len && ck_ledger_is_unsettled(outcome) ? outcome : (ck_bytes){0};
}

/* The request that an open question is about; no bytes: there is none. */
static ck_bytes read_question(const ck_call *self) {
  char key[2 * CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "%s/permit", self->key);
  const ck_ledger_entry *asked = ck_ledger_get(ck_call_session(self)->ledger, key);
  if (!asked || !asked->open || !asked->intent) return (ck_bytes){0};
  ck_bytes about = ck_json_get(ck_json_get(ck_value_bytes(asked->intent), "request"), "effect");
  return ck_json_get(about, "request");
}

/* Why another one was to be asked, where it is denied now. */
static void restore_failure(ck_call *self) {
  const ck_ledger_entry *entry = ck_ledger_get(ck_call_session(self)->ledger, self->key);
  if (!entry || !entry->outcome) return;
  ck_bytes body = ck_value_bytes(entry->outcome);
  char *error = ck_json_dup_string(ck_json_get(body, "error"));
  self->failure.status = ck_ledger_read_status(ck_json_get(body, "cause"), CK_E_FAILED);
  self->chain = self->failure.status;
  ck_text_format(self->failure.text, sizeof self->failure.text, "effect %s: %s", self->key,
                 error ? error : "failed");
  free(error);
}

void ck_fallback_restore_body(ck_call *self, ck_bytes body) {
  const ck_profile_model *chain = body.len ? find_chain(self) : NULL;
  for (size_t i = 0; chain && i < chain->fallback_count; i++)
    if (ck_json_is_text(ck_json_get(body, "model"), chain->fallbacks[i].model))
      self->effect.model = chain->fallbacks[i].model;
  ck_json_read_int(&self->effect.failed_ms, ck_json_get(ck_json_get(body, "first"), "failed"));
  self->effect.remembered = chain && chain->fallback_for_ms;
  if (self->effect.model) restore_failure(self);
}

void ck_fallback_restore(ck_call *self, const ck_ledger_entry *entry) {
  ck_bytes lost = read_lost(entry);
  ck_fallback_restore_body(self, lost.len ? lost : read_question(self));
}

/* ---- a chain that remembers ---- */

/* The place in the chain of who answered last, while that counts; 0: the flow's own is asked. */
static size_t find_answered(int64_t *failed_ms, const ck_call *self, const ck_profile_model *chain,
                            ck_bytes last) {
  size_t place = 0;
  ck_bytes model = ck_json_get(last, "model"), first = ck_json_get(last, "first");
  for (size_t i = 0; i < chain->fallback_count; i++)
    if (ck_json_is_text(model, chain->fallbacks[i].model)) place = i + 1;
  if (!place || !ck_json_read_int(failed_ms, ck_json_get(first, "failed"))) return 0;
  bool counts = chain->fallback_for_ms == CK_MODEL_FOR_GOOD ||
                now_ms(self) - *failed_ms < chain->fallback_for_ms;
  return counts ? place : 0;
}

/* Where all that is left may not be asked, that it has failed is what holds. */
static void begin_with(ck_call *self, const ck_profile_model *chain, size_t place,
                       int64_t failed_ms) {
  self->begins = place;
  ask_for(self, chain->fallbacks[place - 1].model);
  self->effect.failed_ms = failed_ms;
  self->chain = CK_OK;
  ck_error_set(&self->failure, CK_E_UNAVAILABLE,
               "effect %s: model \"%.64s\" has failed before, and \"%.64s\" answered", self->key,
               chain->name, self->effect.model);
}

ck_status ck_fallback_begin(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  const ck_profile_model *chain = find_chain(self);
  const ck_value *last;
  int64_t failed_ms;
  self->effect.remembered = chain && chain->fallback_for_ms;
  bool begun = self->effect.model || read_lost(entry).len || read_question(self).len;
  if (!self->effect.remembered || begun) return CK_OK;
  ck_status status = ck_chain_memory_get(&last, self->runner->execution, chain, err);
  if (status != CK_OK) return status;
  size_t place = find_answered(&failed_ms, self, chain, ck_value_bytes(last));
  if (place) begin_with(self, chain, place, failed_ms);
  return CK_OK;
}
