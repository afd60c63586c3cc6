/* fallback.c - the chain of models that are asked when one has failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/profile/reading.h"

enum { SECONDS_MAX = 86400 };

static ck_status expected(const char *path, ck_error *err) {
  return ck_error_set(
      err, CK_E_PARSE,
      "%s: the name of a model, a list of names and of { model = NAME, on = { … } }, "
      "or false is expected; on lists \"unavailable\", \"credentials\", "
      "\"request\", \"context\"",
      path);
}

static bool add_class(unsigned *to, ck_bytes name) {
#define X(bit, text, status) \
  if (ck_json_is_text(name, text)) return *to |= bit, true;
  CK_MODEL_FAILS_TABLE(X)
#undef X
  return false;
}

/* Without a word of it: what passes. */
static bool read_classes(unsigned *out, ck_bytes list) {
  *out = ck_model_fails_bit(CK_E_UNAVAILABLE);
  if (list.len == 0) return true;
  *out = 0;
  bool known = ck_json_type_of(list) == CK_JSON_ARRAY && ck_json_count(list) > 0;
  for (ck_json_iterator it = ck_json_iterate(list); known && ck_json_next(&it);)
    known = add_class(out, it.value);
  return known;
}

static bool has_others(ck_bytes entry) {
  size_t known = (ck_json_get(entry, "model").len > 0) + (ck_json_get(entry, "on").len > 0);
  return ck_json_count(entry) != known;
}

static ck_status add(ck_profile_model *model, const char *path, ck_bytes entry, ck_error *err) {
  bool table = ck_json_type_of(entry) == CK_JSON_OBJECT;
  ck_bytes given = table ? ck_json_get(entry, "model") : entry;
  unsigned on;
  if (ck_json_type_of(given) != CK_JSON_STRING || (table && has_others(entry)) ||
      !read_classes(&on, table ? ck_json_get(entry, "on") : (ck_bytes){0}))
    return expected(path, err);
  char *name = ck_json_dup_string(given);
  if (!name) return ck_error_no_memory(err);
  ck_status status = ck_profile_model_add_fallback(model, name, on, err);
  free(name);
  return status;
}

ck_status ck_profile_put_fallback(ck_profile_model *model, const char *path, ck_bytes value,
                                  ck_error *err) {
  bool truth, list = ck_json_type_of(value) == CK_JSON_ARRAY,
              none = ck_json_read_bool(&truth, value) && !truth;
  ck_status status = CK_OK;
  ck_profile_model_clear_fallbacks(model);
  if (none) return CK_OK;
  if (!list) return add(model, path, value, err);
  for (ck_json_iterator it = ck_json_iterate(value); status == CK_OK && ck_json_next(&it);)
    status = add(model, path, it.value, err);
  return status;
}

ck_status ck_profile_put_fallback_for(ck_profile_model *model, const char *path, ck_bytes value,
                                      ck_error *err) {
  int64_t seconds;
  bool truth, none = ck_json_read_bool(&truth, value) && !truth;
  bool counted = ck_json_read_int(&seconds, value) && seconds >= 1 && seconds <= SECONDS_MAX;
  if (!none && !counted && !ck_json_is_text(value, "session"))
    return ck_error_set(err, CK_E_PARSE,
                        "%s: whole seconds from 1 to %d, \"session\", or false is expected", path,
                        SECONDS_MAX);
  model->fallback_for_ms = none ? 0 : counted ? seconds * 1000 : CK_MODEL_FOR_GOOD;
  return CK_OK;
}

/* Each is another model of the profile, once. */
ck_status ck_profile_check_fallbacks(const ck_profile *self, const ck_profile_model *model,
                                     ck_error *err) {
  for (size_t i = 0; i < model->fallback_count; i++) {
    const char *name = model->fallbacks[i].model;
    bool twice = strcmp(name, model->name) == 0;
    for (size_t k = 0; k < i; k++) twice |= strcmp(name, model->fallbacks[k].model) == 0;
    if (!ck_profile_get_model(self, name))
      return ck_error_set(err, CK_E_PARSE,
                          "models.%s.fallback: there is no model \"%s\" in the profile",
                          model->name, name);
    if (twice)
      return ck_error_set(err, CK_E_PARSE,
                          "models.%s.fallback: \"%s\" would be asked a second time", model->name,
                          name);
  }
  return CK_OK;
}
