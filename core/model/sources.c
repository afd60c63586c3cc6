/* sources.c - joins sorted lists of names. */
#include "core/model/sources.h"

#include <string.h>

/* By their bytes, the shorter one first where one begins the other. */
static int compare(ck_bytes a, ck_bytes b) {
  size_t common = a.len < b.len ? a.len : b.len;
  int order = memcmp(a.data, b.data, common);
  return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* One that has come to its end is behind all. */
static int compare_next(bool left, const ck_json_iterator *a, bool right,
                        const ck_json_iterator *b) {
  return !left ? 1 : !right ? -1 : compare(a->value, b->value);
}

static ck_status join(ck_value **out, ck_bytes first, ck_bytes second, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_iterator a = ck_json_iterate(first), b = ck_json_iterate(second);
  bool left = ck_json_next(&a), right = ck_json_next(&b);
  ck_json_begin(&w, '[');
  while (left || right) {
    int order = compare_next(left, &a, right, &b);
    ck_json_put_raw(&w, order <= 0 ? a.value : b.value);
    if (order <= 0) left = ck_json_next(&a);
    if (order >= 0) right = ck_json_next(&b);
  }
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_sources_add(ck_value **self, ck_bytes more, ck_error *err) {
  ck_value *joined;
  if (ck_json_type_of(more) != CK_JSON_ARRAY || ck_json_count(more) == 0) return CK_OK;
  if (*self && ck_bytes_equal(ck_value_bytes(*self), more)) return CK_OK;
  ck_status status = join(&joined, ck_sources_bytes(*self), more, err);
  if (status != CK_OK) return status;
  ck_value_free(*self);
  *self = joined;
  return CK_OK;
}

ck_status ck_sources_add_name(ck_value **self, const char *name, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '[');
  ck_json_put_text(&w, name);
  ck_json_end(&w, ']');
  ck_status status = ck_buffer_check(&buffer, err);
  if (status == CK_OK) status = ck_sources_add(self, ck_buffer_bytes(&buffer), err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_sources_add_member(ck_value **self, ck_bytes object, ck_error *err) {
  return ck_sources_add(self, ck_json_get(object, CK_SOURCES_MEMBER), err);
}

ck_bytes ck_sources_bytes(const ck_value *self) {
  return self ? ck_value_bytes(self) : (ck_bytes){0};
}

void ck_sources_write(ck_json_writer *w, ck_bytes sources) {
  if (sources.len) ck_json_member_raw(w, CK_SOURCES_MEMBER, sources);
}
