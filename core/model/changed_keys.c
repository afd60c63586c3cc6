/* changed_keys.c - a set of names that knows which of them are new since the last boundary. */
#include "core/model/changed_keys.h"

#include <stdlib.h>
#include <string.h>

void ck_changed_keys_clear(ck_changed_keys *self) {
  for (size_t i = 0; i < self->by_name.cap; i++) free(self->by_name.slots[i].key);
  ck_map_clear(&self->by_name);
}

bool ck_changed_keys_counts(const char *key) {
  static const char *const own[] = {"position.", "ended.", "limits.", "flow.", "branch."};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strncmp(key, own[i], strlen(own[i])) == 0) return false;
  return strcmp(key, "spending") != 0 && strcmp(key, "base") != 0;
}

/* A boundary as the value of a map: never NULL. */
static void *mark_of(const ck_changed_keys *self) {
  return (void *)(uintptr_t)(self->boundary + 1);
}

ck_status ck_changed_keys_add(ck_changed_keys *self, const char *key, ck_error *err) {
  ck_map_slot *found = ck_map_find(&self->by_name, key);
  if (found) {
    found->value = mark_of(self);
    return CK_OK;
  }
  char *copy = strdup(key);
  ck_status status =
      copy ? ck_map_add(&self->by_name, copy, mark_of(self), err) : ck_error_no_memory(err);
  if (status != CK_OK) free(copy);
  return status;
}

bool ck_changed_keys_has(const ck_changed_keys *self, const char *key) {
  return ck_map_get(&self->by_name, key) != NULL;
}

size_t ck_changed_keys_count(const ck_changed_keys *self) { return self->by_name.count; }

void ck_changed_keys_end_boundary(ck_changed_keys *self) { self->boundary++; }

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

ck_status ck_changed_keys_write(ck_buffer *out, const ck_changed_keys *self, bool since_boundary,
                                ck_error *err) {
  size_t count = 0;
  if (self->by_name.count == 0) return CK_OK;
  char **names = malloc(self->by_name.count * sizeof *names);
  if (!names) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->by_name.cap; i++) {
    const ck_map_slot *slot = &self->by_name.slots[i];
    if (slot->key && (!since_boundary || slot->value == mark_of(self))) names[count++] = slot->key;
  }
  qsort(names, count, sizeof *names, compare);
  ck_json_writer w = {.out = out};
  if (count) ck_json_begin(&w, '[');
  for (size_t i = 0; i < count; i++) ck_json_put_text(&w, names[i]);
  if (count) ck_json_end(&w, ']');
  free(names);
  return ck_buffer_check(out, err);
}

ck_status ck_changed_keys_read(ck_changed_keys *self, ck_bytes names, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_type type = ck_json_type_of(names);
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) return CK_OK;
  ck_json_iterator it = ck_json_iterate(names);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_bytes name = type == CK_JSON_OBJECT ? it.name : it.value;
    if (ck_json_type_of(name) != CK_JSON_STRING) continue;
    char *text = ck_json_dup_string(name);
    status = text ? ck_changed_keys_add(self, text, err) : ck_error_no_memory(err);
    free(text);
  }
  return status;
}
