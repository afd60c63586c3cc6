/* redaction.c - a session's redactor, with the profile's and the policies' say in what may be
 * written, and the values of secret references read again. */
#include "core/runtime/session/redaction.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/secret.h"
#include "core/runtime/session/session_private.h"
#include "core/store/rekey.h"

static ck_status ask_policies(ck_redact_answer *out, void *to, const char *key,
                              const ck_value *value, ck_error *err) {
  ck_session *session = to;
  const ck_policy_engine *policies = session->redacting;
  ck_redaction redaction = {0};
  ck_fingerprint_key fingerprint;
  const uint8_t *bytes = ck_store_fingerprint_key(session->runtime->store);
  if (bytes) memcpy(fingerprint.bytes, bytes, sizeof fingerprint.bytes);
  ck_item item = {.key = key, .value = value, .fingerprint = bytes ? &fingerprint : NULL};
  if (!key) item.kind = session->masked.kind, item.agent = session->masked.agent;
  const ck_clock *clock = &session->runtime->clock;
  int64_t begun_us = clock->mono_us(clock->self);
  ck_status status = policies->redact(&redaction, policies->self, &item, err);
  if (status == CK_OK)
    status = ck_masked_note(&session->masked, &item, &redaction,
                            clock->mono_us(clock->self) - begun_us, err);
  *out = (ck_redact_answer){status == CK_OK ? redaction.verdict : CK_REDACT_DROP, redaction.ref,
                            redaction.value};
  return status;
}

/* The profile demands encryption before anything is written. */
static ck_status check_key(const ck_session *self, ck_error *err) {
  bool wanted = self->profile && self->profile->encrypt == CK_ENCRYPT_ALWAYS;
  if (!wanted || ck_store_has_key(self->runtime->store)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "profile %s says encrypt = true, and store %s has no key: give a new store "
                      "one with --key, or let 'ckrun key rotate --new-key' give it one",
                      self->profile->name, ck_store_url(self->runtime->store));
}

ck_status ck_session_make_redactor(ck_session *self, ck_error *err) {
  ck_status status = check_key(self, err);
  if (status == CK_OK) status = ck_redactor_new(&self->redactor, err);
  if (status != CK_OK) return status;
  ck_redactor_set_fingerprint_key(self->redactor, ck_store_fingerprint_key(self->runtime->store));
  if (self->redacting->redact) ck_redactor_set_hook(self->redactor, ask_policies, self);
  if (self->runtime->key)
    status =
        ck_redactor_add_secret(self->redactor, "store key", ck_bytes_text(self->runtime->key), err);
  if (status == CK_OK)
    status = ck_secret_register_all(self->redactor, self->profile, NULL, NULL, err);
  if (status != CK_OK || !self->profile || !self->profile->exclude_memory_keys) return status;
  return ck_redactor_set_keys(self->redactor,
                              (const char *const *)self->profile->exclude_memory_keys, err);
}

static ck_status without_policies(ck_value **out, ck_session *self, ck_event_kind kind,
                                  const ck_value *body, ck_error *err) {
  ck_redactor_set_hook(self->redactor, NULL, NULL);
  ck_status status = ck_redactor_apply_event(out, self->redactor, kind, body, err);
  ck_redactor_set_hook(self->redactor, ask_policies, self);
  return status;
}

ck_status ck_session_unmask(ck_value **out, ck_session *self, ck_event_kind kind,
                            const ck_value *body, const ck_value *kept, ck_error *err) {
  *out = NULL;
  if (!self->profile || !self->profile->models_unmasked || !self->policies->redact) return CK_OK;
  ck_bytes stored = ck_json_get(ck_value_bytes(kept), "message");
  if (ck_json_type_of(stored) == CK_JSON_NONE) return CK_OK;
  ck_value *whole;
  ck_status status = without_policies(&whole, self, kind, body, err);
  if (status != CK_OK || !whole) return status;
  ck_bytes message = ck_json_get(ck_value_bytes(whole), "message");
  if (!ck_bytes_equal(message, stored)) status = ck_value_copy(out, message, err);
  ck_value_free(whole);
  return status;
}

static ck_status fill_reference(ck_session *self, const char *key, const char *ref, ck_error *err) {
  ck_buffer secret = {0};
  ck_value *value = NULL;
  ck_status status = ck_secret_read(&secret, ref, err);
  if (status == CK_E_SECRET_MISSING) ck_error_prefix(err, "secret \"%s\"", key);
  if (status == CK_OK)
    status = ck_redactor_add_secret(self->redactor, key, ck_buffer_bytes(&secret), err);
  if (status == CK_OK) status = ck_value_secret(&value, ck_buffer_bytes(&secret), err);
  if (status == CK_OK) status = ck_session_restore_value(self, key, value, err);
  ck_value_free(value);
  ck_secret_wipe(&secret);
  return status;
}

ck_status ck_session_register_secrets(const ck_session *self, ck_redactor *to, ck_error *err) {
  return ck_redactor_copy_secrets(to, self->redactor, err);
}

ck_redactor *ck_session_get_redactor(const ck_session *self) { return self->redactor; }

ck_status ck_session_learn_secret(ck_session *self, const char *name, const char *ref,
                                  ck_error *err) {
  return ck_secret_register(self->redactor, name, ref, err);
}

static ck_status keep_reference(ck_session *self, const char *key, const char *ref, ck_error *err) {
  ck_error missing = CK_ERROR_INIT;
  ck_status status = ck_secret_register(self->redactor, key, ref, &missing);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

ck_status ck_session_fill_secret_references(ck_session *self, bool keep, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, self->state, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_buffer ref = {0};
    bool reference = ck_redact_read_ref(&ref, ck_value_bytes(entries[i].value));
    if (reference) status = ck_buffer_check(&ref, err);
    if (reference && status == CK_OK)
      status = (keep ? keep_reference : fill_reference)(self, entries[i].key, ref.data, err);
    ck_buffer_clear(&ref);
  }
  free(entries);
  return status;
}
