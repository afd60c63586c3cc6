/* fields.c - members, calls and blocks that are assembled from parts. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/effect/model/private.h"

static ck_model_field *find(const ck_model_fields *self, ck_bytes name) {
  for (size_t i = 0; i < self->count; i++) {
    if (ck_bytes_equal(ck_buffer_bytes(&self->list[i].name), name)) return &self->list[i];
  }
  return NULL;
}

ck_model_field *ck_model_fields_get(const ck_model_fields *self, const char *name) {
  for (size_t i = 0; i < self->count; i++) {
    if (ck_json_is_text(ck_buffer_bytes(&self->list[i].name), name)) return &self->list[i];
  }
  return NULL;
}

static ck_model_field *push(ck_model_fields *self, ck_bytes name) {
  ck_model_field *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->failed = true;
    return NULL;
  }
  self->list = list;
  ck_model_field *field = &self->list[self->count++];
  *field = (ck_model_field){0};
  ck_buffer_append_bytes(&field->name, name);
  return field;
}

static ck_bytes inside(ck_bytes json) { return (ck_bytes){json.data + 1, json.len - 2}; }

void ck_model_fields_put(ck_model_fields *self, ck_bytes name, ck_bytes value) {
  ck_model_field *field = find(self, name);
  if (!field) field = push(self, name);
  if (!field) return;
  field->text = ck_json_type_of(value) == CK_JSON_STRING;
  ck_buffer_reset(&field->value);
  ck_buffer_append_bytes(&field->value, field->text ? inside(value) : value);
  self->failed |= field->value.failed | field->name.failed;
}

void ck_model_fields_put_all(ck_model_fields *self, ck_bytes object, const char *const *except) {
  ck_json_iterator it = ck_json_iterate(object);
  while (it.object && ck_json_next(&it)) {
    bool skip = false;
    for (const char *const *name = except; name && *name; name++)
      skip |= ck_json_is_text(it.name, *name);
    if (!skip) ck_model_fields_put(self, it.name, it.value);
  }
}

static bool join_lists(ck_model_field *field, ck_bytes value) {
  bool lists = ck_json_type_of(value) == CK_JSON_ARRAY &&
               ck_json_type_of(ck_buffer_bytes(&field->value)) == CK_JSON_ARRAY;
  if (!lists || field->text) return false;
  bool both = ck_json_count(value) > 0 && ck_json_count(ck_buffer_bytes(&field->value)) > 0;
  field->value.len--; /* its bracket */
  if (both) ck_buffer_append_char(&field->value, ',');
  ck_buffer_append(&field->value, value.data + 1, value.len - 1);
  return true;
}

void ck_model_fields_join(ck_model_fields *self, ck_bytes name, ck_bytes value) {
  ck_model_field *field = find(self, name);
  if (ck_json_type_of(value) == CK_JSON_NULL && field) return;
  if (field && field->text && ck_json_type_of(value) == CK_JSON_STRING)
    ck_buffer_append_bytes(&field->value, inside(value));
  else if (!field || !join_lists(field, value))
    ck_model_fields_put(self, name, value);
  if (field) self->failed |= field->value.failed;
}

void ck_model_fields_write(ck_json_writer *w, const ck_model_fields *self, const char *except) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_model_field *field = &self->list[i];
    if (except && ck_json_is_text(ck_buffer_bytes(&field->name), except)) continue;
    if (w->comma) ck_buffer_append_char(w->out, ',');
    ck_buffer_append_bytes(w->out, ck_buffer_bytes(&field->name));
    ck_buffer_append_text(w->out, field->text ? ":\"" : ":");
    ck_buffer_append_bytes(w->out, ck_buffer_bytes(&field->value));
    if (field->text) ck_buffer_append_char(w->out, '"');
    w->comma = true;
  }
  if (self->failed) w->out->failed = true;
}

void ck_model_fields_clear(ck_model_fields *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_buffer_clear(&self->list[i].name);
    ck_buffer_clear(&self->list[i].value);
  }
  free(self->list);
  *self = (ck_model_fields){0};
}

ck_status ck_model_reply_part(ck_model_part **out, ck_model_reply *self, int64_t index,
                              ck_error *err) {
  *out = NULL;
  for (size_t i = self->part_count; i-- > 0;) {
    if (self->parts[i].index != index) continue;
    *out = &self->parts[i];
    return CK_OK;
  }
  if (index < 0 || index > INT32_MAX || self->part_count == CK_MODEL_PARTS_MAX) {
    return ck_error_set(err, CK_E_PARSE, "the stream has a part %lld behind %zu others",
                        (long long)index, self->part_count);
  }
  ck_model_part *parts =
      ck_array_grow(self->parts, self->part_count, &self->part_cap, sizeof *parts);
  if (!parts) return ck_error_no_memory(err);
  self->parts = parts;
  *out = &self->parts[self->part_count++];
  **out = (ck_model_part){.index = index};
  return CK_OK;
}

void ck_model_reply_clear(ck_model_reply *self) {
  for (size_t i = 0; i < self->part_count; i++) {
    ck_model_fields_clear(&self->parts[i].fields);
    ck_model_fields_clear(&self->parts[i].more);
    ck_buffer_clear(&self->parts[i].input);
  }
  free(self->parts);
  ck_model_fields_clear(&self->fields);
  ck_buffer_clear(&self->message);
  ck_buffer_clear(&self->fault);
  ck_buffer_clear(&self->refusal);
  ck_buffer_clear(&self->model);
  *self = (ck_model_reply){0};
}

bool ck_model_reply_is_begun(const ck_model_reply *self) {
  return self->fields.count > 0 || self->part_count > 0;
}
