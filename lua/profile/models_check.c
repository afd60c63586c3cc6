/* models_check.c - when a profile and those that it extends are read: each model is complete, and
 * the secrets that it names exist. */
#include <stdio.h>
#include <string.h>

#include "lua/vm/names.h"
#include "lua/profile/reading.h"

enum { PATH_MAX_BYTES = 256, NAMES_MAX = 64 };

/* A text that is no name of a secret may be a secret: a long one, or one with the usual prefix of
 * keys, is not repeated. */
static bool looks_like_key(const char *text) {
  return strlen(text) > 20 || strncmp(text, "sk-", 3) == 0 || strncmp(text, "sk_", 3) == 0;
}

static ck_status check_secret(const ck_profile *self, const char *path, const char *name,
                              ck_error *err) {
  const char *names[NAMES_MAX] = {NULL};
  char hint[CK_NAMES_HINT_SIZE];
  if (ck_profile_get_secret(self, name)) return CK_OK;
  if (looks_like_key(name))
    return ck_error_set(
        err, CK_E_PARSE,
        "%s: the name of a secret is expected, never the key itself: " CK_PROFILE_KEY_REMEDY, path,
        "key");
  for (size_t i = 0; i < self->secret_count && i + 1 < NAMES_MAX; i++)
    names[i] = self->secrets[i].name;
  ck_names_hint(hint, name, names);
  return ck_error_set(err, CK_E_PARSE,
                      "%s: there is no secret '%s'%s; add secrets = { %s = \"env:VARIABLE\" }",
                      path, name, hint, name);
}

/* The file that sets `path` or something below it, for its line; else the profile's own. */
static ck_status take(const ck_profile *self, profile_sink *sink, const char *path,
                      ck_status status, ck_error *failure, ck_error *err) {
  const char *file = NULL;
  ck_source source = {0};
  ck_error unread = CK_ERROR_INIT;
  size_t len = strlen(path);
  if (status == CK_OK) return CK_OK;
  for (size_t i = 0; i < self->origin_count && !file; i++)
    if (strncmp(self->origins[i].path, path, len) == 0) file = self->origins[i].source;
  if (!file) file = self->path ? self->path : self->name;
  bool read = ck_source_read_for(&source, "profile", file, sink->scripts, &unread) == CK_OK;
  if (!read) ck_error_prefix(failure, "%s", file);
  status = ck_profile_take(sink, read ? &source : NULL, path, status, failure, err);
  ck_source_clear(&source);
  return status;
}

static ck_status check_secrets(const ck_profile *self, const ck_profile_model *model,
                               profile_sink *sink, ck_error *err) {
  char path[PATH_MAX_BYTES];
  ck_status status = CK_OK;
  snprintf(path, sizeof path, "models.%s.key", model->name);
  ck_error of_key = CK_ERROR_INIT;
  if (model->key)
    status = take(self, sink, path, check_secret(self, path, model->key, &of_key), &of_key, err);
  for (size_t i = 0; status == CK_OK && i < model->header_count; i++) {
    ck_error failure = CK_ERROR_INIT;
    if (!model->headers[i].secret) continue;
    snprintf(path, sizeof path, "models.%s.headers.%s", model->name, model->headers[i].name);
    status = check_secret(self, path, model->headers[i].value, &failure);
    status = take(self, sink, path, status, &failure, err);
  }
  return status;
}

/* A key without a value is told by the model's name, and at its line. */
static ck_status check_model(const ck_profile *self, const ck_profile_model *model,
                             profile_sink *sink, ck_error *err) {
  char path[PATH_MAX_BYTES];
  ck_error of_api = CK_ERROR_INIT, of_name = CK_ERROR_INIT;
  ck_status status = CK_OK;
  snprintf(path, sizeof path, "models.%s", model->name);
  if (!model->has_api)
    status = ck_error_set(&of_api, CK_E_PARSE,
                          "%s: needs 'api', \"openai\", \"responses\", \"anthropic\" or \"gemini\"",
                          path);
  else if (model->cache_s > 0 && model->api != CK_MODEL_ANTHROPIC)
    status = ck_error_set(
        &of_api, CK_E_PARSE,
        "%s: cache is of api \"anthropic\", and this one is \"%s\", which is not asked to "
        "keep anything: leave cache out, or set it to false",
        path, ck_model_api_name(model->api));
  status = take(self, sink, path, status, &of_api, err);
  if (status == CK_OK && !model->model)
    status = take(
        self, sink, path,
        ck_error_set(&of_name, CK_E_PARSE, "%s: needs 'model', the provider's name for it", path),
        &of_name, err);
  ck_error of_chain = CK_ERROR_INIT;
  snprintf(path, sizeof path, "models.%s.fallback", model->name);
  if (status == CK_OK)
    status =
        take(self, sink, path, ck_profile_check_fallbacks(self, model, &of_chain), &of_chain, err);
  return status == CK_OK ? check_secrets(self, model, sink, err) : status;
}

ck_status ck_profile_check_models(const ck_profile *self, profile_sink *sink, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->model_count; i++)
    status = check_model(self, &self->models[i], sink, err);
  return status;
}
