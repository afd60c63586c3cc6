/* state.c - a session's keys: the values it runs with, and their redacted form for the next
 * checkpoint. */
#include "core/runtime/session/state.h"

#include <stdio.h>
#include <string.h>

#include "core/runtime/session/session_private.h"

const ck_value *ck_session_get(const ck_session *self, const char *key) {
  return ck_state_get(self->state, key);
}

const ck_state *ck_session_state(const ck_session *self) { return self->state; }

ck_status ck_session_set_state(ck_session *self, ck_state *state, ck_error *err) {
  ck_state *written;
  ck_state_free(self->state);
  self->state = state;
  ck_status status = ck_state_copy(&written, state, err);
  if (status != CK_OK) return status;
  ck_state_free(self->changes.written);
  self->changes.written = written;
  return CK_OK;
}

ck_status ck_session_restore_value(ck_session *self, const char *key, const ck_value *value,
                                   ck_error *err) {
  return ck_state_put(self->state, key, value, err);
}

/* ---- changes ---- */

/* A forked scope's writes lie under "branch.SCOPE/": what is behind that is the key the rules
 * know. */
static const char *plain_key(const char *key) {
  const char *slash = strncmp(key, "branch.", 7) == 0 ? strchr(key, '/') : NULL;
  return slash ? slash + 1 : key;
}

/* What the writer of the key sees there: a forked scope what those above it have, until it has
 * written its own. */
static const ck_value *find_seen(const ck_session *self, const char *key) {
  const ck_state *written = self->changes.written;
  const ck_value *found = ck_state_get(written, key);
  const char *plain = plain_key(key);
  char above[CK_STATE_KEY_MAX + 1];
  size_t len = plain == key ? 0 : (size_t)(plain - key) - 1; /* of "branch.SCOPE" */
  while (!found && len > 0) {
    while (len > 0 && key[--len] != '.') continue;
    snprintf(above, sizeof above, "%.*s/%s", (int)len, key, plain);
    found = ck_state_get(written, above);
  }
  return found ? found : ck_state_get(written, plain);
}

static bool is_same(const ck_value *a, const ck_value *b) {
  if (!a || !b) return !a && !b;
  return ck_bytes_equal(ck_value_bytes(a), ck_value_bytes(b));
}

/* That a forked scope is over, and its own keys go, is no change of theirs. */
static bool is_named(const ck_session *self, const char *key, const ck_value *kept) {
  const char *plain = plain_key(key);
  return ck_changed_keys_counts(plain) && (kept || plain == key) &&
         !is_same(find_seen(self, key), kept);
}

/* `kept`: as it may be written; NULL: it is not there any more. */
static ck_status note_change(ck_session *self, const char *key, const ck_value *kept,
                             ck_error *err) {
  ck_state_changes *changes = &self->changes;
  if (is_same(ck_state_get(changes->written, key), kept)) return CK_OK;
  ck_status status = CK_OK;
  if (is_named(self, key, kept)) status = ck_changed_keys_add(&changes->named, plain_key(key), err);
  if (status == CK_OK)
    status = ck_state_put(changes->keys, key, kept ? kept : changes->removed, err);
  if (status == CK_OK && kept) status = ck_state_put(changes->written, key, kept, err);
  if (status == CK_OK && !kept) ck_state_remove(changes->written, key);
  if (status == CK_OK && kept) changes->bytes += (int64_t)ck_value_bytes(kept).len;
  return status;
}

void ck_session_tell_changes(ck_session *self) {
  ck_changed_keys_end_boundary(&self->changes.named);
}

void ck_session_reset_changes(ck_session *self, ck_state *none) {
  ck_state_free(self->changes.keys);
  self->changes.keys = none;
  self->changes.bytes = 0;
  ck_changed_keys_clear(&self->changes.named);
}

/* ---- writes ---- */

ck_status ck_session_put_reference(ck_session *self, const char *key, const ck_value *value,
                                   const char *ref, ck_error *err) {
  ck_value *reference = NULL;
  ck_status status = ck_redact_make_ref(&reference, ref, err);
  if (status == CK_OK && value) status = ck_state_put(self->state, key, value, err);
  if (status == CK_OK) status = note_change(self, key, reference, err);
  ck_value_free(reference);
  return status;
}

ck_status ck_session_put(ck_session *self, const char *key, const ck_value *value, ck_error *err) {
  ck_status status = ck_channel_failure(self->channel, err);
  if (status == CK_OK) status = ck_state_check_key(key, err);
  if (status != CK_OK) return status;
  ck_value *kept = NULL;
  if (value)
    status = ck_redactor_apply(&kept, self->redactor, CK_SINK_STATE, plain_key(key), value, err);
  if (status == CK_OK) status = note_change(self, key, kept, err);
  if (status == CK_OK && value) status = ck_state_put(self->state, key, value, err);
  if (status == CK_OK && !value) ck_state_remove(self->state, key);
  ck_value_free(kept);
  return status;
}
