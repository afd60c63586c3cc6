/* profile_model.c - makes and frees the settings of one model. */
#include "core/model/profile_model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char *name, *url;
  int64_t max_tokens;
} apis[] = {
#define X(api, name, url, max_tokens) {name, url, max_tokens},
    CK_MODEL_API_TABLE(X)
#undef X
};

const char *ck_model_api_name(ck_model_api api) {
  return (size_t)api < CK_MODEL_API_COUNT ? apis[api].name : NULL;
}
const char *ck_model_api_url(ck_model_api api) {
  return (size_t)api < CK_MODEL_API_COUNT ? apis[api].url : NULL;
}

int64_t ck_model_api_max_tokens(ck_model_api api) {
  return (size_t)api < CK_MODEL_API_COUNT ? apis[api].max_tokens : 0;
}

bool ck_model_api_of(ck_model_api *out, const char *name) {
  for (int i = 0; i < CK_MODEL_API_COUNT; i++) {
    *out = (ck_model_api)i;
    if (strcmp(apis[i].name, name) == 0) return true;
  }
  *out = 0;
  return false;
}

unsigned ck_model_fails_bit(ck_status status) {
#define X(bit, name, of) \
  if (status == of) return bit;
  CK_MODEL_FAILS_TABLE(X)
#undef X
  return 0;
}

ck_status ck_profile_model_init(ck_profile_model *self, const char *name, ck_error *err) {
  *self = (ck_profile_model){
      .name = strdup(name),
      .stream = -1,
      .timeout_ms = -1,
      .idle_timeout_ms = -1,
      .connect_timeout_ms = -1,
      .retries = -1,
      .price = {-1, -1, -1, -1, {-1, -1, -1, -1, -1}},
      .unmetered = -1,
      .context = -1,
      .output_max = -1,
      .takes = -1,
  };
  return self->name ? CK_OK : ck_error_no_memory(err);
}

static void clear_header(ck_profile_header *self) {
  free(self->name);
  free(self->value);
}

void ck_profile_model_clear(ck_profile_model *self) {
  for (size_t i = 0; i < self->header_count; i++) clear_header(&self->headers[i]);
  free(self->headers);
  ck_profile_model_clear_fallbacks(self);
  free(self->name);
  free(self->base_url);
  free(self->model);
  free(self->key);
  free(self->max_tokens_name);
  ck_value_free(self->max_tokens);
  ck_value_free(self->temperature);
  ck_value_free(self->options);
  *self = (ck_profile_model){0};
}

static ck_profile_header *find_header(const ck_profile_model *self, const char *name) {
  for (size_t i = 0; i < self->header_count; i++) {
    if (strcasecmp(self->headers[i].name, name) == 0) return &self->headers[i];
  }
  return NULL;
}

ck_status ck_profile_model_put_header(ck_profile_model *self, const ck_profile_header *header,
                                      ck_error *err) {
  ck_profile_header made = {strdup(header->name), strdup(header->value), header->secret};
  ck_profile_header *place = find_header(self, header->name);
  bool copied = made.name && made.value;
  if (copied && !place) {
    ck_profile_header *headers =
        reallocarray(self->headers, self->header_count + 1, sizeof *headers);
    if (headers) {
      self->headers = headers;
      place = &headers[self->header_count++];
      *place = (ck_profile_header){0};
    }
  }
  if (!copied || !place) {
    clear_header(&made);
    return ck_error_no_memory(err);
  }
  clear_header(place);
  *place = made;
  return CK_OK;
}

void ck_profile_model_clear_fallbacks(ck_profile_model *self) {
  for (size_t i = 0; i < self->fallback_count; i++) free(self->fallbacks[i].model);
  free(self->fallbacks);
  self->fallbacks = NULL;
  self->fallback_count = 0;
}

ck_status ck_profile_model_add_fallback(ck_profile_model *self, const char *model, unsigned on,
                                        ck_error *err) {
  ck_profile_fallback *list = reallocarray(self->fallbacks, self->fallback_count + 1, sizeof *list);
  char *copy = strdup(model);
  if (list) self->fallbacks = list;
  if (!list || !copy) {
    free(copy);
    return ck_error_no_memory(err);
  }
  list[self->fallback_count++] = (ck_profile_fallback){copy, on};
  return CK_OK;
}

/* `shape` has a '0' for each digit. */
static bool has_shape(const char *text, const char *shape) {
  for (; *shape; text++, shape++) {
    if (*shape == '0' ? *text < '0' || *text > '9' : *text != *shape) return false;
  }
  return !*text;
}

bool ck_model_is_named(const char *given, const char *known) {
  size_t len = strlen(known);
  if (strncmp(given, known, len) != 0) return false;
  const char *rest = given + len;
  return !*rest || strcmp(rest, "-latest") == 0 || has_shape(rest, "-00000000") ||
         has_shape(rest, "-0000-00-00");
}
