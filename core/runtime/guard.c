/* guard.c - a session's redactor: the profile's and the policies' say in what may be written, and slots filled again. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

#include "core/runtime/session_private.h"

static const ck_item_answer answers[] = {
    [CK_REDACT_LEAVE] = CK_ITEM_LEAVE, [CK_REDACT_DROP] = CK_ITEM_DROP, [CK_REDACT_MASK] = CK_ITEM_MASK, [CK_REDACT_REF] = CK_ITEM_REF};

static ck_status ask_policies(ck_item_answer *out, char **ref, void *to, const char *key, const ck_value *value, ck_error *err) {
  const ck_policy_engine *policies = to;
  ck_redaction redaction = {0};
  ck_item item = {.key = key, .value = value};
  *ref = NULL;
  ck_status status = policies->redact(&redaction, policies->self, &item, err);
  *out = status == CK_OK ? answers[redaction.verdict] : CK_ITEM_DROP;
  *ref = redaction.ref;
  return status;
}

ck_status ck_session_make_redactor(ck_session *self, ck_error *err) {
  ck_status status = ck_state_new(&self->secrets, err);
  if (status == CK_OK) status = ck_redactor_new(&self->redactor, err);
  if (status != CK_OK) return status;
  ck_redactor_set_fingerprint_key(self->redactor, ck_store_fingerprint_key(self->runtime->store));
  if (self->policies->redact) ck_redactor_set_hook(self->redactor, ask_policies, (void *)self->policies);
  if (!self->profile || !self->profile->exclude_memory_keys) return CK_OK;
  return ck_redactor_set_keys(self->redactor, (const char *const *)self->profile->exclude_memory_keys, err);
}

static ck_status read_secret_file(ck_buffer *out, const char *path, ck_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > CK_SECRET_MAX) {
    if (fd >= 0) close(fd);
    return ck_error_set(err, CK_E_SECRET_MISSING, "the secret file %s is not there, not regular or too large", path);
  }
  char *room = ck_buffer_extend(out, (size_t)info.st_size);
  ssize_t len = room ? read(fd, room, (size_t)info.st_size) : -1;
  close(fd);
  if (len < 0) return ck_error_set(err, CK_E_SECRET_MISSING, "the secret file %s cannot be read", path);
  out->len -= (size_t)info.st_size - (size_t)len;
  while (out->len > 0 && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r')) out->len--;
  return CK_OK;
}

/* "env:NAME" or "file:PATH". */
static ck_status resolve_ref(ck_buffer *out, const char *key, const char *ref, ck_error *err) {
  if (strncmp(ref, "file:", 5) == 0) return read_secret_file(out, ref + 5, err);
  const char *value = strncmp(ref, "env:", 4) == 0 ? getenv(ref + 4) : NULL;
  if (!value)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s was kept as %s, which is not set: set it, then resume again", key, ref);
  ck_buffer_append_text(out, value);
  return CK_OK;
}

static ck_status fill_slot(ck_session *self, const char *key, const char *ref, ck_error *err) {
  ck_buffer secret = {0};
  ck_value *value = NULL;
  ck_status status = resolve_ref(&secret, key, ref, err);
  if (status == CK_OK) status = ck_buffer_check(&secret, err);
  if (status == CK_OK)
    status = ck_redactor_add_secret(self->redactor, key, ck_buffer_bytes(&secret), err);
  if (status == CK_OK) status = ck_value_text(&value, ck_buffer_bytes(&secret), err);
  if (status == CK_OK) status = ck_state_put(self->state, key, value, err);
  if (status == CK_OK) status = ck_state_put(self->secrets, key, value, err);
  ck_value_free(value);
  ck_buffer_clear(&secret);
  return status;
}

ck_status ck_session_tell_secrets(const ck_session *self, ck_redactor *to, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, self->secrets, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_buffer text = {0};
    ck_json_read_string(&text, ck_value_bytes(entries[i].value));
    status = ck_buffer_check(&text, err);
    if (status == CK_OK) status = ck_redactor_add_secret(to, entries[i].key, ck_buffer_bytes(&text), err);
    ck_buffer_clear(&text);
  }
  free(entries);
  return status;
}

ck_status ck_session_fill_slots(ck_session *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, self->state, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_buffer ref = {0};
    if (ck_redact_read_ref(&ref, ck_value_bytes(entries[i].value)))
      status = ck_buffer_check(&ref, err) == CK_OK ? fill_slot(self, entries[i].key, ref.data, err) : CK_E_NO_MEMORY;
    ck_buffer_clear(&ref);
  }
  free(entries);
  return status;
}
