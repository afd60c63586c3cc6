/* script.c - the texts of the Lua files that a run executes. */
#include "core/model/script.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

static void clear_script(ck_script *self) {
  free(self->asked);
  free(self->name);
  ck_buffer_clear(&self->text);
  *self = (ck_script){0};
}

void ck_scripts_clear(ck_scripts *self) {
  for (size_t i = 0; i < self->count; i++) clear_script(&self->list[i]);
  free(self->list);
  *self = (ck_scripts){0};
}

ck_script *ck_scripts_get(const ck_scripts *self, const char *kind, const char *asked) {
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->list[i].kind, kind) == 0 && strcmp(self->list[i].asked, asked) == 0)
      return &self->list[i];
  return NULL;
}

static ck_status make_script(ck_script *out, const char *kind, const char *asked, const char *name,
                             ck_bytes text, ck_error *err) {
  *out = (ck_script){.kind = kind, .asked = strdup(asked), .name = strdup(name)};
  ck_buffer_append_bytes(&out->text, text);
  out->digest = ck_digest_of(text);
  ck_status status = ck_buffer_check(&out->text, err);
  if (status == CK_OK && !(out->asked && out->name)) status = ck_error_no_memory(err);
  if (status != CK_OK) clear_script(out);
  return status;
}

static ck_status reserve(ck_scripts *self, ck_error *err) {
  ck_script *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  return CK_OK;
}

ck_status ck_scripts_put(ck_scripts *self, const char *kind, const char *asked, const char *name,
                         ck_bytes text, ck_error *err) {
  ck_script made;
  ck_status status = reserve(self, err);
  if (status == CK_OK) status = make_script(&made, kind, asked, name, text, err);
  if (status != CK_OK) return status;
  ck_script *there = ck_scripts_get(self, kind, asked);
  if (there)
    clear_script(there);
  else
    there = &self->list[self->count++];
  *there = made;
  return CK_OK;
}
