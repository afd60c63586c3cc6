/* json_texts.c - a walk over the values of JSON that ends at the first that is wanted. */
#include "lua/vm/json_texts.h"

#include <string.h>

#include "core/base/json.h"

enum { DEPTH_MAX = 64 };

static ck_bytes inside(ck_bytes quoted) { return (ck_bytes){quoted.data + 1, quoted.len - 2}; }

static bool has_escape(ck_bytes text) { return memchr(text.data, '\\', text.len) != NULL; }

static bool wants_text(const ck_json_texts *of, lua_State *L, ck_bytes json, ck_bytes label) {
  ck_bytes text = inside(json);
  if (text.len == 0) return false;
  if (has_escape(text)) {
    ck_buffer *decoded = ck_vm_scratch(L);
    if (!ck_json_read_string(decoded, json) || decoded->failed) return true;
    text = ck_buffer_bytes(decoded);
  }
  return of->wants(of->self, label, text, false);
}

static bool wants_number(const ck_json_texts *of, ck_bytes json, ck_bytes label) {
  for (size_t i = 0; i < json.len; i++)
    if ((json.data[i] < '0' || json.data[i] > '9') && json.data[i] != '-') return false;
  return of->wants(of->self, label, json, true);
}

static bool any(const ck_json_texts *of, lua_State *L, ck_bytes json, ck_bytes label, int depth) {
  ck_json_type type = ck_json_type_of(json);
  if (type == CK_JSON_STRING) return wants_text(of, L, json, label);
  if (type == CK_JSON_NUMBER) return wants_number(of, json, label);
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) return false;
  if (depth == DEPTH_MAX) return true;
  for (ck_json_iterator it = ck_json_iterate(json); ck_json_next(&it);) {
    ck_bytes name = type == CK_JSON_OBJECT ? inside(it.name) : label;
    ck_vm_charge(L, 1);
    if (type == CK_JSON_OBJECT && has_escape(name)) return true;
    if (any(of, L, it.value, name, depth + 1)) return true;
  }
  return false;
}

bool ck_json_texts_any(const ck_json_texts *of, lua_State *L, ck_bytes json, ck_bytes label) {
  return any(of, L, json, label, 0);
}
