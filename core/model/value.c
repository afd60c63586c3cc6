/* value.c - counts references to immutable bytes. */
#include "core/model/value.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/locked.h"

struct ck_value {
  _Atomic size_t owners;
  size_t len;
  bool locked; /* it is of ck_locked_new */
  char data[];
};

static ck_status copy(ck_value **out, ck_bytes json, bool locked, ck_error *err) {
  *out = NULL;
  size_t size;
  bool fits = !__builtin_add_overflow(json.len, sizeof(ck_value) + 1, &size) && size <= PTRDIFF_MAX;
  ck_value *self = !fits ? NULL : locked ? ck_locked_new(size) : malloc(size);
  if (!self) return ck_error_no_memory(err);
  atomic_init(&self->owners, 1);
  self->len = json.len;
  self->locked = locked;
  if (json.len > 0) memcpy(self->data, json.data, json.len);
  self->data[json.len] = '\0';
  *out = self;
  return CK_OK;
}

ck_status ck_value_copy(ck_value **out, ck_bytes json, ck_error *err) {
  return copy(out, json, false, err);
}

ck_status ck_value_new(ck_value **out, ck_bytes json, ck_error *err) {
  *out = NULL;
  ck_status status = ck_json_check(json, err);
  return status == CK_OK ? ck_value_copy(out, json, err) : status;
}

ck_status ck_value_from(ck_value **out, const ck_buffer *json, ck_error *err) {
  *out = NULL;
  ck_status status = ck_buffer_check(json, err);
  return status == CK_OK ? ck_value_copy(out, ck_buffer_bytes(json), err) : status;
}

ck_status ck_value_text(ck_value **out, ck_bytes text, ck_error *err) {
  ck_buffer json = {0};
  ck_json_append_string(&json, text);
  ck_status status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

/* All memory is taken first: a buffer that grows leaves a copy behind. */
ck_status ck_value_secret(ck_value **out, ck_bytes text, ck_error *err) {
  enum { ESCAPED = 6 }; /* bytes at most for one */
  ck_buffer json = {0};
  *out = NULL;
  if (!ck_buffer_extend(&json, ESCAPED * text.len + 2)) return ck_error_no_memory(err);
  ck_buffer_reset(&json);
  ck_json_append_string(&json, text);
  ck_status status = ck_buffer_check(&json, err);
  if (status == CK_OK) status = copy(out, ck_buffer_bytes(&json), true, err);
  explicit_bzero(json.data, json.cap);
  ck_buffer_clear(&json);
  return status;
}

/* Only the reference count changes; `const` covers the bytes. */
ck_value *ck_value_share(const ck_value *self) {
  ck_value *owned = (ck_value *)(uintptr_t)self;
  if (owned) atomic_fetch_add_explicit(&owned->owners, 1, memory_order_relaxed);
  return owned;
}

/* Release: an owner's reads come before its decrement; acquire: the last owner frees after all of
 * them. */
void ck_value_free(ck_value *self) {
  if (!self || atomic_fetch_sub_explicit(&self->owners, 1, memory_order_acq_rel) != 1) return;
  if (self->locked)
    ck_locked_free(self);
  else
    free(self);
}

ck_bytes ck_value_bytes(const ck_value *self) {
  return self ? (ck_bytes){self->data, self->len} : (ck_bytes){NULL, 0};
}

ck_status ck_value_add_member(ck_value **self, const char *name, const ck_value *value,
                              ck_error *err) {
  ck_bytes before = ck_value_bytes(*self);
  ck_value *made;
  ck_buffer buffer = {0};
  ck_buffer_append(&buffer, before.data, before.len - 1);
  ck_buffer_append_format(&buffer, ",\"%s\":", name);
  ck_buffer_append_bytes(&buffer, ck_value_bytes(value));
  ck_buffer_append_char(&buffer, '}');
  ck_status status = ck_value_from(&made, &buffer, err);
  ck_buffer_clear(&buffer);
  if (status != CK_OK) return status;
  ck_value_free(*self);
  *self = made;
  return CK_OK;
}
