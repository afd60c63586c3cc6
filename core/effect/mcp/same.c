/* same.c - whether two JSON values mean the same, however they are spelt. */
#include <stdlib.h>

#include "core/effect/mcp/private.h"

/* Members in another order are looked up, which takes time: a peer decides how many there are. */
enum { LOOK_UP_MAX = 16 << 20 };

typedef struct comparing {
  size_t looked; /* bytes */
} comparing;

static bool is_same(comparing *self, ck_bytes a, ck_bytes b);

static bool is_same_text(ck_bytes a, ck_bytes b) {
  char *text = ck_json_dup_string(a);
  bool same = text && ck_json_is_text(b, text);
  free(text);
  return same;
}

static bool is_same_list(comparing *self, ck_bytes a, ck_bytes b) {
  ck_json_iterator of_a = ck_json_iterate(a), of_b = ck_json_iterate(b);
  while (ck_json_next(&of_a))
    if (!ck_json_next(&of_b) || !is_same(self, of_a.value, of_b.value)) return false;
  return !ck_json_next(&of_b);
}

static ck_bytes look_up(comparing *self, ck_bytes object, ck_bytes raw_name) {
  self->looked += object.len;
  char *name = self->looked <= LOOK_UP_MAX ? ck_json_dup_string(raw_name) : NULL;
  ck_bytes found = name ? ck_json_get(object, name) : (ck_bytes){0};
  free(name);
  return found;
}

static bool is_same_object(comparing *self, ck_bytes a, ck_bytes b) {
  ck_json_iterator of_a = ck_json_iterate(a), of_b = ck_json_iterate(b);
  if (ck_json_count(a) != ck_json_count(b)) return false;
  while (ck_json_next(&of_a) && ck_json_next(&of_b)) {
    bool in_order = ck_bytes_equal(of_a.name, of_b.name);
    ck_bytes value = in_order ? of_b.value : look_up(self, b, of_a.name);
    if (!value.len || !is_same(self, of_a.value, value)) return false;
  }
  return true;
}

static bool is_same(comparing *self, ck_bytes a, ck_bytes b) {
  ck_json_type type = ck_json_type_of(a);
  double x, y;
  if (ck_bytes_equal(a, b)) return true;
  if (type != ck_json_type_of(b)) return false;
  if (type == CK_JSON_NUMBER)
    return ck_json_read_double(&x, a) && ck_json_read_double(&y, b) && x == y;
  if (type == CK_JSON_STRING) return is_same_text(a, b);
  if (type == CK_JSON_ARRAY) return is_same_list(self, a, b);
  return type == CK_JSON_OBJECT && is_same_object(self, a, b);
}

bool ck_mcp_is_same(ck_bytes a, ck_bytes b) { return is_same(&(comparing){0}, a, b); }
