/* long_price.c - reads what long requests cost, of a model or of a row of prices. */
#include <math.h>
#include <stdlib.h>

#include "lua/profile/reading.h"
#include "lua/vm/names.h"

enum { DOLLARS_MAX = 1000000, FIGURES = 5, NEEDED = 3 };
static const char *const names[] = {"above", "input", "output", "cache_read", "cache_write", NULL};

static ck_status read_figure(int64_t *out, size_t index, const char *path, ck_bytes value,
                             ck_error *err) {
  double dollars;
  if (index == 0)
    return ck_json_read_int(out, value) && *out > 0
               ? CK_OK
               : ck_error_set(err, CK_E_PARSE, "%s.above: a number of tokens is expected", path);
  if (!ck_json_read_double(&dollars, value) || dollars < 0 || dollars > DOLLARS_MAX)
    return ck_error_set(err, CK_E_PARSE, "%s.%s: dollars for a million tokens are expected", path,
                        names[index]);
  *out = llround(dollars * 1e6);
  return CK_OK;
}

static ck_status check_names(const char *path, ck_bytes json, ck_error *err) {
  for (ck_json_iterator it = ck_json_iterate(json); ck_json_next(&it);) {
    size_t i = 0;
    while (names[i] && !ck_json_is_text(it.name, names[i])) i++;
    if (names[i]) continue;
    char hint[CK_NAMES_HINT_SIZE], *name = ck_json_dup_string(it.name);
    ck_names_hint(hint, name ? name : "", names);
    ck_status status =
        ck_error_set(err, CK_E_PARSE, "%s: unknown key '%s'%s", path, name ? name : "", hint);
    free(name);
    return status;
  }
  return CK_OK;
}

ck_status ck_profile_read_long(ck_long_price *out, const char *path, ck_bytes json, ck_error *err) {
  int64_t figures[FIGURES] = {-1, -1, -1, -1, -1};
  bool truth = true, none = ck_json_read_bool(&truth, json) && !truth;
  *out = (ck_long_price){0, -1, -1, -1, -1};
  if (none) return CK_OK;
  if (ck_json_type_of(json) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE,
                        "%s: { above = TOKENS, input = …, output = … } is expected, or false",
                        path);
  ck_status status = check_names(path, json, err);
  for (size_t i = 0; status == CK_OK && i < FIGURES; i++) {
    ck_bytes value = ck_json_get(json, names[i]);
    if (value.len)
      status = read_figure(&figures[i], i, path, value, err);
    else if (i < NEEDED)
      status = ck_error_set(err, CK_E_PARSE, "%s: needs '%s'", path, names[i]);
  }
  if (status == CK_OK)
    *out = (ck_long_price){figures[0], figures[1], figures[2], figures[3], figures[4]};
  return status;
}
