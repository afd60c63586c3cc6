/* state.c - a session's keys: the values it runs with, and their redacted form for the next
 * checkpoint. */
#include "core/runtime/session/state.h"

#include <string.h>

#include "core/runtime/session/session_private.h"

const ck_value *ck_session_get(const ck_session *self, const char *key) {
  return ck_state_get(self->state, key);
}

const ck_state *ck_session_state(const ck_session *self) { return self->state; }

void ck_session_set_state(ck_session *self, ck_state *state) {
  ck_state_free(self->state);
  self->state = state;
}

ck_status ck_session_restore_value(ck_session *self, const char *key, const ck_value *value,
                                   ck_error *err) {
  return ck_state_put(self->state, key, value, err);
}

ck_status ck_session_put_reference(ck_session *self, const char *key, const ck_value *value,
                                   const char *ref, ck_error *err) {
  ck_value *reference = NULL;
  ck_status status = ck_redact_make_ref(&reference, ref, err);
  if (status == CK_OK && value) status = ck_state_put(self->state, key, value, err);
  if (status == CK_OK) status = ck_state_put(self->changes.keys, key, reference, err);
  ck_value_free(reference);
  return status;
}

void ck_session_reset_changes(ck_session *self, ck_state *none) {
  ck_state_free(self->changes.keys);
  self->changes.keys = none;
  self->changes.bytes = 0;
}

/* A forked scope's writes lie under "branch.SCOPE/": what is behind that is the key the rules
 * know. */
static const char *plain_key(const char *key) {
  const char *slash = strncmp(key, "branch.", 7) == 0 ? strchr(key, '/') : NULL;
  return slash ? slash + 1 : key;
}

ck_status ck_session_put(ck_session *self, const char *key, const ck_value *value, ck_error *err) {
  ck_status status = ck_channel_failure(self->channel, err);
  if (status == CK_OK) status = ck_state_check_key(key, err);
  if (status != CK_OK) return status;
  ck_value *kept = NULL;
  if (value)
    status = ck_redactor_apply(&kept, self->redactor, CK_SINK_STATE, plain_key(key), value, err);
  if (status == CK_OK)
    status = ck_state_put(self->changes.keys, key, kept ? kept : self->changes.removed, err);
  if (status == CK_OK && value) status = ck_state_put(self->state, key, value, err);
  if (status == CK_OK && !value) ck_state_remove(self->state, key);
  if (status == CK_OK && kept) self->changes.bytes += (int64_t)ck_value_bytes(kept).len;
  ck_value_free(kept);
  return status;
}
