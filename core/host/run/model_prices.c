/* model_prices.c - a model's prices are the profile's, those of its list, or those that ship. */
#include "core/host/run/model_prices.h"

#include <stdio.h>
#include <string.h>

#include "core/base/json.h"
#include "core/effect/model/catalog.h"
#include "core/effect/model/price.h"
#include "core/model/effect.h"

enum { PRICES = 4, PATH_MAX_BYTES = 512 };
static const char *const names[PRICES] = {"input", "output", "cache_read", "cache_write"};

static ck_model_price find(const ck_profile_model *model) {
  int64_t ignored;
  return ck_price_find(&ignored, model->model, &model->price);
}

static const ck_profile_origin *origin_of(const ck_profile *profile, const ck_profile_model *model,
                                          const char *name) {
  char path[PATH_MAX_BYTES];
  snprintf(path, sizeof path, "models.%s.price.%s", model->name, name);
  return ck_profile_get_origin(profile, path);
}

/* ---- rows ---- */

static void write_shipped(ck_json_writer *w, const ck_profile_model *model, size_t index,
                          int64_t micros) {
  char key[PATH_MAX_BYTES], dollars[CK_MICROS_TEXT_SIZE], origin[PATH_MAX_BYTES];
  const ck_model_entry *known = ck_catalog_find(model->model);
  snprintf(key, sizeof key, "models.%s.price.%s", model->name, names[index]);
  snprintf(origin, sizeof origin, "%s: %s", known->date, known->source);
  ck_micros_write(dollars, micros);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "key", key);
  ck_json_member_raw(w, "value", ck_bytes_text(dollars));
  ck_json_member_text(w, "from", "default");
  ck_json_member_text(w, "origin", origin);
  ck_json_end(w, '}');
}

static void write_model(ck_json_writer *w, const ck_profile *profile,
                        const ck_profile_model *model) {
  ck_model_price price = find(model);
  const int64_t figures[PRICES] = {price.input, price.output, price.cache_read, price.cache_write};
  for (size_t i = 0; i < PRICES; i++)
    if (figures[i] >= 0 && !origin_of(profile, model, names[i]))
      write_shipped(w, model, i, figures[i]);
}

ck_status ck_model_prices_describe(ck_value **rows, const ck_profile *profile, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_value *all = NULL;
  ck_json_begin(&w, '[');
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(*rows)); ck_json_next(&it);)
    ck_json_put_raw(&w, it.value);
  for (size_t i = 0; i < profile->model_count; i++) write_model(&w, profile, &profile->models[i]);
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(&all, &text, err);
  ck_buffer_clear(&text);
  if (status != CK_OK) return status;
  ck_value_free(*rows);
  *rows = all;
  return CK_OK;
}

/* ---- notes ---- */

static void append_amounts(ck_buffer *to, const ck_model_price *price) {
  char input[CK_MICROS_TEXT_SIZE], output[CK_MICROS_TEXT_SIZE];
  ck_micros_write(input, price->input);
  ck_micros_write(output, price->output);
  ck_buffer_append_format(to, "$%s for a million tokens of input, $%s of output, ", input, output);
}

/* Of a request above so many tokens. */
static void append_long(ck_buffer *to, const ck_profile_model *model, const ck_long_price *price) {
  char input[CK_MICROS_TEXT_SIZE], output[CK_MICROS_TEXT_SIZE];
  const ck_long_entry *known = ck_catalog_find_long(model->model);
  if (price->above <= 0) return;
  ck_micros_write(input, price->input);
  ck_micros_write(output, price->output);
  ck_buffer_append_format(to, "; above %lld tokens of input $%s and $%s", (long long)price->above,
                          input, output);
  if (known && model->price.longer.above < 0)
    ck_buffer_append_format(to, ", as it ships, of %s (%s)", known->date, known->source);
}

/* The files that say it; one of the two may be the list's, or what ships. */
static void append_origin(ck_buffer *to, const ck_profile *profile, const ck_profile_model *model) {
  const ck_profile_origin *input = origin_of(profile, model, "input"),
                          *output = origin_of(profile, model, "output");
  const ck_model_entry *known = ck_catalog_find(model->model);
  if (input) ck_buffer_append_format(to, "by %s", input->source);
  if (output && (!input || strcmp(input->source, output->source) != 0))
    ck_buffer_append_format(to, "%sby %s", input ? " and " : "", output->source);
  if (known && (!input || !output))
    ck_buffer_append_format(to, "%sas it ships, of %s (%s)", input || output ? " and " : "",
                            known->date, known->source);
}

static void note_one(ck_buffer *to, const ck_profile *profile, const ck_profile_model *model) {
  ck_model_price price = find(model);
  ck_buffer_append_format(to, "model \"%s\" (%s) ", model->name, model->model);
  if (ck_price_is_known(&price)) {
    ck_buffer_append_text(to, "costs ");
    append_amounts(to, &price);
    append_origin(to, profile, model);
    append_long(to, model, &price.longer);
    if (price.cache_read < 0)
      ck_buffer_append_text(to, "; what is cached has no price, and counts as input");
  } else {
    ck_buffer_append_format(to, "has no price: %s",
                            model->unmetered == 1
                                ? "what it costs is not known, and no budget_usd holds it back"
                                : "under a budget_usd it is refused");
  }
  ck_buffer_append_char(to, '\0');
}

void ck_model_prices_note(ck_buffer *to, const ck_profile *profile) {
  for (size_t i = 0; i < profile->model_count; i++)
    if (profile->models[i].model) note_one(to, profile, &profile->models[i]);
}
