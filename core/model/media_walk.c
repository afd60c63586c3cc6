/* media_walk.c - copies a value, with other things in the place of its images and files. */
#include "core/model/media_walk.h"

#include <string.h>

static ck_status copy(ck_media_walk *self, ck_bytes value, ck_error *err) {
  ck_media media;
  bool object = ck_json_type_of(value) == CK_JSON_OBJECT;
  if (!object && ck_json_type_of(value) != CK_JSON_ARRAY) {
    ck_json_put_raw(&self->w, value);
    return CK_OK;
  }
  if (object && ck_media_read(&media, value) && self->wants(&media)) {
    self->changed = true;
    return self->put(self, &media, value, err);
  }
  ck_status status = CK_OK;
  ck_json_begin(&self->w, object ? '{' : '[');
  for (ck_json_iterator it = ck_json_iterate(value); status == CK_OK && ck_json_next(&it);) {
    if (object) ck_json_raw_name(&self->w, it.name);
    status = copy(self, it.value, err);
  }
  ck_json_end(&self->w, object ? '}' : ']');
  return status;
}

ck_status ck_media_rewrite(ck_value **out, ck_media_walk *self, const ck_value *whole,
                           ck_error *err) {
  ck_bytes json = ck_value_bytes(whole);
  ck_buffer text = {0};
  *out = NULL;
  self->w.out = &text;
  ck_status status = CK_OK;
  if (memmem(json.data, json.len, self->mark, strlen(self->mark))) status = copy(self, json, err);
  if (status == CK_OK && self->changed) status = ck_value_from(out, &text, err);
  if (status == CK_OK && !self->changed) *out = ck_value_share(whole);
  ck_buffer_clear(&text);
  return status;
}
