/* state.c - a map from key to value, and what a key may be. */
#include "core/model/state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/map.h"
#include "core/base/utf8.h"

enum { KEY_SHOWN_MAX = 80 };

struct ck_state {
  ck_map map; /* of values; keys and values are owned */
  size_t bytes;
};

ck_status ck_state_new(ck_state **out, ck_error *err) {
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

void ck_state_free(ck_state *self) {
  if (!self) return;
  for (size_t i = 0; i < self->map.cap; i++) {
    free(self->map.slots[i].key);
    ck_value_free(self->map.slots[i].value);
  }
  ck_map_clear(&self->map);
  free(self);
}

static ck_status add_entry(ck_state *self, const char *key, const ck_value *value, ck_error *err) {
  char *copy = strdup(key);
  ck_status status =
      copy ? ck_map_add(&self->map, copy, (void *)value, err) : ck_error_no_memory(err);
  if (status != CK_OK) {
    free(copy);
    return status;
  }
  ck_value_share(value);
  self->bytes += strlen(copy) + ck_value_bytes(value).len;
  return CK_OK;
}

ck_status ck_state_copy(ck_state **out, const ck_state *from, ck_error *err) {
  *out = NULL;
  ck_state *self;
  ck_status status = ck_state_new(&self, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < from->map.cap && status == CK_OK; i++) {
    const ck_map_slot *entry = &from->map.slots[i];
    if (entry->key) status = add_entry(self, entry->key, entry->value, err);
  }
  if (status != CK_OK) {
    ck_state_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

/* NULL when the key is valid, else its fault. */
static const char *key_fault(const char *key) {
  if (!key || !*key) return "is empty";
  size_t len = strnlen(key, CK_STATE_KEY_MAX + 1);
  if (len > CK_STATE_KEY_MAX) return "is longer than 512 bytes";
  for (size_t i = 0, step; i < len; i += step) {
    step = ck_utf8_length(key + i, len - i);
    if (step == 0) return "is not UTF-8";
    uint32_t point = ck_utf8_point(key + i, step);
    if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return "has a control character";
  }
  return NULL;
}

ck_status ck_state_check_key(const char *key, ck_error *err) {
  const char *fault = key_fault(key);
  if (!fault) return CK_OK;
  ck_buffer shown = {0};
  size_t len = key ? strnlen(key, KEY_SHOWN_MAX + 1) : 0;
  if (len > 0) ck_escape_append(&shown, (ck_bytes){key, len > KEY_SHOWN_MAX ? KEY_SHOWN_MAX : len});
  ck_error_set(err, CK_E_USAGE,
               "state key '%s%s' %s: a key is 1 to %d bytes of UTF-8 without control characters",
               shown.data ? shown.data : "", len > KEY_SHOWN_MAX ? "…" : "", fault,
               CK_STATE_KEY_MAX);
  ck_buffer_clear(&shown);
  return CK_E_USAGE;
}

ck_value *ck_state_get(const ck_state *self, const char *key) {
  return ck_map_get(&self->map, key);
}

ck_status ck_state_put(ck_state *self, const char *key, const ck_value *value, ck_error *err) {
  ck_status status = ck_state_check_key(key, err);
  if (status != CK_OK) return status;
  if (!value) return ck_error_set(err, CK_E_USAGE, "state key '%s': there is no value to put", key);
  ck_map_slot *found = ck_map_find(&self->map, key);
  if (!found) return add_entry(self, key, value, err);
  ck_value *old = found->value;
  self->bytes += ck_value_bytes(value).len - ck_value_bytes(old).len;
  found->value = ck_value_share(value);
  ck_value_free(old);
  return CK_OK;
}

bool ck_state_remove(ck_state *self, const char *key) {
  ck_map_slot gone = ck_map_remove(&self->map, key);
  if (!gone.key) return false;
  self->bytes -= strlen(gone.key) + ck_value_bytes(gone.value).len;
  free(gone.key);
  ck_value_free(gone.value);
  return true;
}

size_t ck_state_count(const ck_state *self) { return self->map.count; }

size_t ck_state_bytes(const ck_state *self) { return self->bytes; }

static int compare_keys(const void *a, const void *b) {
  return strcmp(((const ck_state_entry *)a)->key, ((const ck_state_entry *)b)->key);
}

ck_status ck_state_list(ck_state_entry **out, size_t *count, const ck_state *self, ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_state_entry *entries = malloc((self->map.count + 1) * sizeof *entries);
  if (!entries) return ck_error_no_memory(err);
  size_t filled = 0;
  for (size_t i = 0; i < self->map.cap; i++) {
    if (self->map.slots[i].key)
      entries[filled++] = (ck_state_entry){self->map.slots[i].key, self->map.slots[i].value};
  }
  qsort(entries, filled, sizeof *entries, compare_keys);
  *out = entries;
  *count = filled;
  return CK_OK;
}
