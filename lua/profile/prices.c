/* prices.c - what models cost by their providers' names: the table `prices` of a profile, or of the
 * file that it names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/names.h"
#include "lua/profile/reading.h"

enum { PATH_MAX_BYTES = 256, DOLLARS_MAX = 1000000 };

/* The first of them are prices; those of input and output must be there. */
enum { PRICES = 4, NEEDED = 2 };
static const char *const members[] = {"input", "output", "cache_read", "cache_write",
                                      "date",  "source", "long",       NULL};
static const char longer[] = "long";

/* Which table is being set. `base`: of the paths of its keys, "prices", or "" in a file of its
 * own. */
typedef struct table {
  ck_profile *profile;
  const ck_source *source;
  profile_sink *sink;
  const char *base;
} table;

static ck_status put_member(const table *of, const char *row, const char *member, ck_bytes value,
                            ck_error *err) {
  char path[PATH_MAX_BYTES];
  ck_value *copy;
  ck_status status = ck_value_copy(&copy, value.len > 0 ? value : ck_bytes_text("null"), err);
  if (status != CK_OK) return status;
  snprintf(path, sizeof path, "prices.%s.%s", row, member);
  status = ck_profile_put_origin(of->profile, path, of->source->name, copy, err);
  ck_value_free(copy);
  return status;
}

static ck_status check_member(const char *row, size_t index, ck_bytes value, ck_error *err) {
  double dollars;
  if (strcmp(members[index], longer) == 0) {
    char path[PATH_MAX_BYTES];
    ck_long_price ignored;
    snprintf(path, sizeof path, "prices[\"%s\"].long", row);
    return ck_profile_read_long(&ignored, path, value, err);
  }
  if (index >= PRICES)
    return ck_json_type_of(value) == CK_JSON_STRING
               ? CK_OK
               : ck_error_set(err, CK_E_PARSE, "prices[\"%s\"].%s: a text is expected", row,
                              members[index]);
  if (!ck_json_read_double(&dollars, value) || dollars < 0 || dollars > DOLLARS_MAX)
    return ck_error_set(err, CK_E_PARSE,
                        "prices[\"%s\"].%s: dollars for a million tokens are expected", row,
                        members[index]);
  return CK_OK;
}

static ck_status check_row(const char *row, ck_bytes given, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(given);
  if (ck_json_type_of(given) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "prices[\"%s\"]: { input = …, output = … } is expected",
                        row);
  while (ck_json_next(&it)) {
    size_t i = 0;
    while (members[i] && !ck_json_is_text(it.name, members[i])) i++;
    char hint[CK_NAMES_HINT_SIZE], *name = members[i] ? NULL : ck_json_dup_string(it.name);
    ck_names_hint(hint, name ? name : "", members);
    ck_status status = members[i]
                           ? check_member(row, i, it.value, err)
                           : ck_error_set(err, CK_E_PARSE, "prices[\"%s\"]: unknown key '%s'%s",
                                          row, name ? name : "", hint);
    free(name);
    if (status != CK_OK) return status;
  }
  for (size_t i = 0; i < NEEDED; i++)
    if (ck_json_get(given, members[i]).len == 0)
      return ck_error_set(err, CK_E_PARSE,
                          "prices[\"%s\"]: needs '%s', in dollars for a million "
                          "tokens",
                          row, members[i]);
  return CK_OK;
}

/* A row replaces the one of that name as a whole: no figure of the other is left beside it. */
static ck_status put_row(const table *of, const char *row, ck_bytes given, ck_error *err) {
  ck_status status = check_row(row, given, err);
  if (status == CK_OK && strlen(row) > PATH_MAX_BYTES / 2)
    status = ck_error_set(err, CK_E_PARSE, "prices: a model's name is too long");
  for (size_t i = 0; status == CK_OK && members[i]; i++)
    status = put_member(of, row, members[i], ck_json_get(given, members[i]), err);
  return status;
}

static ck_status put_rows(const table *of, ck_bytes rows, ck_error *err) {
  ck_status status = CK_OK;
  for (ck_json_iterator it = ck_json_iterate(rows); status == CK_OK && ck_json_next(&it);) {
    char path[PATH_MAX_BYTES];
    ck_error failure = CK_ERROR_INIT;
    char *name = ck_json_dup_string(it.name);
    snprintf(path, sizeof path, "%s%s%s", of->base, *of->base ? "." : "", name ? name : "");
    status = name ? put_row(of, name, it.value, &failure) : ck_error_no_memory(&failure);
    status = ck_profile_take(of->sink, of->source, path, status, &failure, err);
    free(name);
  }
  return status;
}

/* What the file says is part of what the profile says. */
static ck_status put_file(const table *of, const char *path, ck_error *err) {
  ck_source file = {0};
  ck_buffer json = {0};
  ck_status status = ck_source_read_for(&file, "profile", path, of->sink->scripts, err);
  if (status != CK_OK) return status;
  status = ck_profile_read_table(&json, &file, err);
  if (status == CK_OK) {
    ck_profile_add_digest(of->profile, ck_buffer_bytes(&json));
    status = put_rows(&(table){of->profile, &file, of->sink, ""}, ck_buffer_bytes(&json), err);
  }
  ck_buffer_clear(&json);
  ck_source_clear(&file);
  return status;
}

ck_status ck_profile_apply_prices(ck_profile *self, const ck_source *source, profile_sink *sink,
                                  ck_bytes json, ck_error *err) {
  table of = {self, source, sink, "prices"};
  ck_json_type type = ck_json_type_of(json);
  if (type == CK_JSON_OBJECT) return put_rows(&of, json, err);
  if (type == CK_JSON_ARRAY && ck_json_count(json) == 0) return CK_OK; /* Lua's {} */
  if (type != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE,
                        "prices: a table by the names of models is expected, or "
                        "the path of a file that returns one");
  char *name = ck_json_dup_string(json), *path = name ? ck_profile_resolve(source, name) : NULL;
  ck_status status = path ? CK_OK : ck_error_no_memory(err);
  if (path && !ck_source_is_path(path))
    status =
        ck_error_set(err, CK_E_PARSE, "prices: \"%s\" is no path, such as \"./prices.lua\"", path);
  if (status == CK_OK) status = put_file(&of, path, err);
  free(path);
  free(name);
  return status;
}

/* ---- which row is a model's ---- */

/* The row's name within the origin's path of its input; "": it is none. */
static void read_row(char name[PATH_MAX_BYTES], const ck_profile_origin *origin) {
  static const char head[] = "prices.", tail[] = ".input";
  size_t len = strlen(origin->path), ends = sizeof head + sizeof tail - 2;
  bool is_input = len > ends && strncmp(origin->path, head, sizeof head - 1) == 0 &&
                  strcmp(origin->path + len - (sizeof tail - 1), tail) == 0;
  snprintf(name, PATH_MAX_BYTES, "%.*s", is_input ? (int)(len - ends) : 0,
           origin->path + (is_input ? sizeof head - 1 : 0));
}

/* Its own, else that of the model without the date. False: it has none. */
static bool find_row(char row[PATH_MAX_BYTES], const ck_profile *self, const char *model) {
  bool found = false;
  for (size_t i = 0; i < self->origin_count; i++) {
    char name[PATH_MAX_BYTES];
    read_row(name, &self->origins[i]);
    bool same = strcmp(name, model) == 0;
    if (!*name || !(same || (!found && ck_model_is_named(model, name)))) continue;
    snprintf(row, PATH_MAX_BYTES, "%s", name);
    found = true;
    if (same) break;
  }
  return found;
}

static ck_status take_price(ck_profile *self, const ck_profile_model *model, const char *row,
                            const char *member, int64_t *price, ck_error *err) {
  char path[2 * PATH_MAX_BYTES];
  double dollars;
  snprintf(path, sizeof path, "prices.%s.%s", row, member);
  const ck_profile_origin *found = ck_profile_get_origin(self, path);
  if (*price >= 0 || !found || !ck_json_read_double(&dollars, ck_value_bytes(found->value)))
    return CK_OK;
  *price = llround(dollars * 1e6);
  ck_value *value = ck_value_share(found->value);
  char *source = strdup(found->source); /* the list may move */
  snprintf(path, sizeof path, "models.%s.price.%s", model->name, member);
  ck_status status =
      source ? ck_profile_put_origin(self, path, source, value, err) : ck_error_no_memory(err);
  free(source);
  ck_value_free(value);
  return status;
}

/* Of long requests; nothing where the model says it, or what input costs. */
static ck_status take_long(ck_profile *self, ck_profile_model *model, const char *row,
                           ck_error *err) {
  char path[2 * PATH_MAX_BYTES];
  snprintf(path, sizeof path, "prices.%s.%s", row, longer);
  const ck_profile_origin *found = ck_profile_get_origin(self, path);
  ck_bytes json = found ? ck_value_bytes(found->value) : (ck_bytes){0};
  if (model->price.longer.above >= 0 || !json.len || ck_json_type_of(json) == CK_JSON_NULL)
    return CK_OK;
  return ck_profile_read_long(&model->price.longer, path, json, err);
}

/* What the model's own `price` says comes first. Who says there what input costs has a price of his
 * own for what is cached, or none: that of the list is for who pays the list's. */
ck_status ck_profile_settle_prices(ck_profile *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->model_count; i++) {
    ck_profile_model *model = &self->models[i];
    ck_model_price *price = &model->price;
    int64_t *const fields[PRICES] = {&price->input, &price->output, &price->cache_read,
                                     &price->cache_write};
    char row[PATH_MAX_BYTES];
    if (!model->model || !find_row(row, self, model->model)) continue;
    size_t count = price->input >= 0 ? NEEDED : PRICES;
    if (count == PRICES) status = take_long(self, model, row, err);
    for (size_t k = 0; status == CK_OK && k < count; k++)
      status = take_price(self, model, row, members[k], fields[k], err);
  }
  return status;
}
