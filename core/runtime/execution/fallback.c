/* fallback.c - walks the chain of a model's fallbacks, one call at a time. */
#include "core/runtime/execution/fallback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Behind the one that was asked last. */
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
  for (size_t i = find_place(chain, self->effect.model); i < chain->fallback_count; i++)
    if (cause == CK_OK || (chain->fallbacks[i].on & bit)) return chain->fallbacks[i].model;
  return NULL;
}

ck_status ck_fallback_ask(ck_call *self, const char *model, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "model \"%.64s\" is asked in its place", model);
  ck_call_notify_note(self, text);
  self->effect.model = model;
  self->effect.lost = 0;
  self->tries = 0;
  self->again = true;
  ck_call_renew_leave(self);
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
  snprintf(self->failure.text, sizeof self->failure.text, "effect %s: %s", self->key,
           error ? error : "failed");
  free(error);
}

void ck_fallback_restore_body(ck_call *self, ck_bytes body) {
  const ck_profile_model *chain = body.len ? find_chain(self) : NULL;
  for (size_t i = 0; chain && i < chain->fallback_count; i++)
    if (ck_json_is_text(ck_json_get(body, "model"), chain->fallbacks[i].model))
      self->effect.model = chain->fallbacks[i].model;
  if (self->effect.model) restore_failure(self);
}

void ck_fallback_restore(ck_call *self, const ck_ledger_entry *entry) {
  ck_bytes lost = read_lost(entry);
  ck_fallback_restore_body(self, lost.len ? lost : read_question(self));
}
