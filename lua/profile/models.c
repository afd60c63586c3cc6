/* models.c - the models of a profile: where they are, their prices, and which secret
 * opens them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/id.h"
#include "lua/vm/names.h"
#include "lua/profile/reading.h"

enum {
  PATH_MAX_BYTES = 256,
  RETRIES_MAX = 20,
  SECONDS_MAX = 86400,
  DOLLARS_MAX = 1000000,
  TOKENS_MAX = 1000000000
};

/* `path` is the setting's, such as "models.default.key". */
typedef struct location {
  ck_profile *profile;
  ck_profile_model *model;
  const ck_source *source;
  profile_sink *sink;
  const char *path;
} location;

/* ---- values ---- */

static ck_status read_text(char **out, const location *at, ck_bytes value, ck_error *err) {
  char *text = ck_json_type_of(value) == CK_JSON_STRING ? ck_json_dup_string(value) : NULL;
  if (ck_json_type_of(value) != CK_JSON_STRING || (text && !*text)) {
    free(text);
    return ck_error_set(err, CK_E_PARSE, "%s: a text is expected", at->path);
  }
  if (!text) return ck_error_no_memory(err);
  free(*out);
  *out = text;
  return CK_OK;
}

static ck_status put_api(const location *at, ck_bytes value, ck_error *err) {
  char *text = NULL;
  ck_status status = read_text(&text, at, value, err);
  if (status != CK_OK) return status;
  at->model->has_api = ck_model_api_of(&at->model->api, text);
  free(text);
  if (at->model->has_api) return CK_OK;
  at->model->has_api = true; /* which one is told here: not once more, that there is none */
  return ck_error_set(err, CK_E_PARSE,
                      "%s: \"openai\" (chat completions, and all that speak like it), "
                      "\"responses\", \"anthropic\" or \"gemini\" is expected",
                      at->path);
}

static bool has_control(const char *text) {
  for (; *text; text++) {
    if ((unsigned char)*text < 0x20 || *text == 0x7f) return true;
  }
  return false;
}

/* Errors do not repeat the URL: it may contain a secret. */
static ck_status put_url(const location *at, ck_bytes value, ck_error *err) {
  ck_status status = read_text(&at->model->base_url, at, value, err);
  if (status != CK_OK) return status;
  const char *url = at->model->base_url;
  const char *host = strncmp(url, "https://", 8) == 0  ? url + 8
                     : strncmp(url, "http://", 7) == 0 ? url + 7
                                                       : NULL;
  if (!host || !*host || strchr("/?#:", *host) || has_control(url) || strpbrk(url, " #\"\\"))
    return ck_error_set(err, CK_E_PARSE, "%s: \"https://HOST/…\" or \"http://HOST/…\" is expected",
                        at->path);
  const char *query = strchr(host, '?');
  if (memchr(host, '@', strcspn(host, "/?")) ||
      (query && (strstr(query, "key=") || strstr(query, "token="))))
    return ck_error_set(err, CK_E_PARSE,
                        "%s: a credential has no place in it: give it as 'key' or in 'headers', by "
                        "the name of a secret",
                        at->path);
  return CK_OK;
}

static ck_status put_model(const location *at, ck_bytes value, ck_error *err) {
  return read_text(&at->model->model, at, value, err);
}

static bool is_reference(const char *text) {
  return strncmp(text, "env:", 4) == 0 || strncmp(text, "file:", 5) == 0 ||
         strncmp(text, "credential:", 11) == 0 || strncmp(text, "keyring:", 8) == 0;
}

/* Its name is looked up when all profiles are read. */
static ck_status put_key(const location *at, ck_bytes value, ck_error *err) {
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = read_text(&at->model->key, at, value, err);
  if (status != CK_OK) return status;
  if (is_reference(at->model->key))
    return ck_error_set(
        err, CK_E_PARSE,
        "%s: the name of a secret is expected: secrets = { mine = \"env:…\" }, key = \"mine\"",
        at->path);
  if (ck_id_check("key", at->model->key, &ignored) == CK_OK) return CK_OK;
  return ck_error_set(
      err, CK_E_PARSE,
      "%s: the name of a secret is expected, never the key itself: " CK_PROFILE_KEY_REMEDY,
      at->path, "key");
}

static ck_status put_stream(const location *at, ck_bytes value, ck_error *err) {
  bool truth;
  if (!ck_json_read_bool(&truth, value))
    return ck_error_set(err, CK_E_PARSE, "%s: true or false is expected", at->path);
  at->model->stream = truth;
  return CK_OK;
}

static ck_status put_value(ck_value **out, ck_bytes value, ck_error *err) {
  ck_value *copy;
  ck_status status = ck_value_copy(&copy, value, err);
  if (status != CK_OK) return status;
  ck_value_free(*out);
  *out = copy;
  return CK_OK;
}

static ck_status put_max_tokens(const location *at, ck_bytes value, ck_error *err) {
  int64_t number;
  if (!ck_json_read_int(&number, value) || number < 1)
    return ck_error_set(err, CK_E_PARSE, "%s: a whole number from 1 is expected", at->path);
  return put_value(&at->model->max_tokens, value, err);
}

static ck_status put_max_tokens_name(const location *at, ck_bytes value, ck_error *err) {
  if (ck_json_is_text(value, "max_tokens") || ck_json_is_text(value, "max_completion_tokens"))
    return read_text(&at->model->max_tokens_name, at, value, err);
  return ck_error_set(err, CK_E_PARSE,
                      "%s: \"max_tokens\" or \"max_completion_tokens\" is expected", at->path);
}

static ck_status put_temperature(const location *at, ck_bytes value, ck_error *err) {
  double number;
  if (!ck_json_read_double(&number, value) || number < 0)
    return ck_error_set(err, CK_E_PARSE, "%s: a number from 0 is expected", at->path);
  return put_value(&at->model->temperature, value, err);
}

/* Seconds, as milliseconds; false is no limit, 0. */
static ck_status put_seconds(int64_t *out, const location *at, ck_bytes value, ck_error *err) {
  bool truth;
  double seconds = 0;
  bool none = ck_json_read_bool(&truth, value) && !truth;
  if (!none && (!ck_json_read_double(&seconds, value) || !(seconds > 0) || seconds > SECONDS_MAX))
    return ck_error_set(err, CK_E_PARSE, "%s: seconds up to %d are expected, or false for no limit",
                        at->path, SECONDS_MAX);
  *out = none ? 0 : llround(ceil(seconds * 1000));
  return CK_OK;
}

static ck_status put_timeout(const location *at, ck_bytes value, ck_error *err) {
  return put_seconds(&at->model->timeout_ms, at, value, err);
}

static ck_status put_idle(const location *at, ck_bytes value, ck_error *err) {
  return put_seconds(&at->model->idle_timeout_ms, at, value, err);
}

static ck_status put_connect(const location *at, ck_bytes value, ck_error *err) {
  return put_seconds(&at->model->connect_timeout_ms, at, value, err);
}

static ck_status put_retries(const location *at, ck_bytes value, ck_error *err) {
  int64_t number;
  if (!ck_json_read_int(&number, value) || number < 0 || number > RETRIES_MAX)
    return ck_error_set(err, CK_E_PARSE, "%s: a whole number from 0 to %d is expected", at->path,
                        RETRIES_MAX);
  at->model->retries = number;
  return CK_OK;
}

static ck_status put_unmetered(const location *at, ck_bytes value, ck_error *err) {
  bool truth;
  if (!ck_json_read_bool(&truth, value))
    return ck_error_set(err, CK_E_PARSE, "%s: true or false is expected", at->path);
  at->model->unmetered = truth;
  return CK_OK;
}

static ck_status put_cache(const location *at, ck_bytes value, ck_error *err) {
  bool truth, hour = ck_json_is_text(value, "1h"),
              none = ck_json_read_bool(&truth, value) && !truth;
  if (!none && !hour && !ck_json_is_text(value, "5m"))
    return ck_error_set(err, CK_E_PARSE, "%s: \"5m\", \"1h\" or false is expected", at->path);
  at->model->cache_s = none ? 0 : hour ? 3600 : 300;
  return CK_OK;
}

static ck_status put_fallback(const location *at, ck_bytes value, ck_error *err) {
  return ck_profile_put_fallback(at->model, at->path, value, err);
}

static ck_status put_tokens(int64_t *out, const location *at, ck_bytes value, ck_error *err) {
  int64_t tokens;
  if (!ck_json_read_int(&tokens, value) || tokens < 1 || tokens > TOKENS_MAX)
    return ck_error_set(err, CK_E_PARSE, "%s: a whole number of tokens from 1 is expected",
                        at->path);
  *out = tokens;
  return CK_OK;
}

static ck_status put_context(const location *at, ck_bytes value, ck_error *err) {
  return put_tokens(&at->model->context, at, value, err);
}

static ck_status put_output_max(const location *at, ck_bytes value, ck_error *err) {
  return put_tokens(&at->model->output_max, at, value, err);
}

static bool add_taken(int *to, ck_bytes name) {
#define X(bit, number, text) \
  if (ck_json_is_text(name, text)) return *to |= bit, true;
  CK_MODEL_TAKES_TABLE(X)
#undef X
  return false;
}

static ck_status put_takes(const location *at, ck_bytes value, ck_error *err) {
  int takes = 0;
  bool known = ck_json_type_of(value) == CK_JSON_ARRAY;
  for (ck_json_iterator it = ck_json_iterate(value); known && ck_json_next(&it);)
    known = add_taken(&takes, it.value);
  if (!known)
    return ck_error_set(err, CK_E_PARSE,
                        "%s: a list of what it takes beside text is expected, of \"image\" and "
                        "\"file\"",
                        at->path);
  at->model->takes = takes;
  return CK_OK;
}

static ck_status put_options(const location *at, ck_bytes value, ck_error *err) {
  static const char *const own[] = {"model",  "tools",  "response_schema", "messages",
                                    "system", "stream", "stream_options"};
  bool none = ck_json_type_of(value) == CK_JSON_ARRAY && ck_json_count(value) == 0; /* Lua's {} */
  if (none) value = ck_bytes_text("{}");
  if (ck_json_type_of(value) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "%s: a table with names is expected", at->path);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (ck_json_get(value, own[i]).len > 0)
      return ck_error_set(err, CK_E_PARSE, "%s: '%s' is ckrun's own", at->path, own[i]);
  }
  return put_value(&at->model->options, value, err);
}

/* ---- tables within ---- */

typedef ck_status (*put_member)(const location *at, const char *name, ck_bytes value,
                                ck_error *err);

static ck_status put_origin(const location *at, ck_bytes json, ck_error *err) {
  ck_value *value;
  ck_status status = ck_value_copy(&value, json, err);
  if (status != CK_OK) return status;
  status = ck_profile_put_origin(at->profile, at->path, at->source->name, value, err);
  ck_value_free(value);
  return status;
}

/* Each member with its own path. */
static ck_status each_member(const location *at, ck_bytes object, put_member put, ck_error *err) {
  if (ck_json_type_of(object) == CK_JSON_ARRAY && ck_json_count(object) == 0)
    return CK_OK; /* Lua's {} */
  if (ck_json_type_of(object) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "%s: a table with names is expected", at->path);
  ck_json_iterator it = ck_json_iterate(object);
  ck_status status = CK_OK;
  while (status == CK_OK && ck_json_next(&it)) {
    char path[PATH_MAX_BYTES];
    ck_error failure = CK_ERROR_INIT;
    location below = *at;
    char *name = ck_json_dup_string(it.name);
    snprintf(path, sizeof path, "%s.%s", at->path, name ? name : "");
    below.path = path;
    status = name ? put(&below, name, it.value, &failure) : ck_error_no_memory(&failure);
    status = ck_profile_take(at->sink, at->source, path, status, &failure, err);
    free(name);
  }
  return status;
}

static ck_status put_price(const location *at, const char *name, ck_bytes value, ck_error *err) {
  static const char *const names[] = {"input", "output", "cache_read", "cache_write", "long", NULL};
  ck_model_price *price = &at->model->price;
  int64_t *const fields[] = {&price->input, &price->output, &price->cache_read,
                             &price->cache_write};
  char hint[CK_NAMES_HINT_SIZE];
  double dollars;
  size_t i = 0;
  while (names[i] && strcmp(names[i], name) != 0) i++;
  ck_names_hint(hint, name, names);
  if (names[i] && strcmp(name, "long") == 0) {
    ck_status status = ck_profile_read_long(&price->longer, at->path, value, err);
    return status == CK_OK ? put_origin(at, value, err) : status;
  }
  if (!names[i])
    return ck_error_set(err, CK_E_PARSE, "%s: unknown key '%s'%s", at->path, name, hint);
  if (!ck_json_read_double(&dollars, value) || dollars < 0 || dollars > DOLLARS_MAX)
    return ck_error_set(err, CK_E_PARSE, "%s: dollars for a million tokens are expected", at->path);
  *fields[i] = llround(dollars * 1e6);
  return put_origin(at, value, err);
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++) {
    if (strcasecmp(*names, name) == 0) return true;
  }
  return false;
}

static bool is_token(const char *name) {
  static const char letters[] =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return *name && name[strspn(name, letters)] == '\0';
}

static bool looks_secret(const char *name, const char *value) {
  static const char *const names[] = {"authorization",       "x-api-key",      "api-key", "cookie",
                                      "proxy-authorization", "x-goog-api-key", NULL};
  return is_one_of(name, names) || is_reference(value) || strncasecmp(value, "bearer ", 7) == 0 ||
         strncmp(value, "sk-", 3) == 0;
}

static ck_status read_header(ck_profile_header *out, const location *at, ck_bytes value,
                             ck_error *err) {
  ck_bytes secret = ck_json_get(value, "secret");
  out->secret = ck_json_type_of(value) == CK_JSON_OBJECT && ck_json_count(value) == 1 &&
                ck_json_type_of(secret) == CK_JSON_STRING;
  if (!out->secret && ck_json_type_of(value) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE, "%s: a text is expected, or { secret = \"NAME\" }",
                        at->path);
  out->value = ck_json_dup_string(out->secret ? secret : value);
  if (!out->value) return ck_error_no_memory(err);
  if (!out->secret && looks_secret(out->name, out->value))
    return ck_error_set(
        err, CK_E_PARSE,
        "%s: { secret = \"NAME\" } is expected, never the secret itself: " CK_PROFILE_KEY_REMEDY,
        at->path, "{ secret");
  return has_control(out->value)
             ? ck_error_set(err, CK_E_PARSE, "%s: a line without control characters is expected",
                            at->path)
             : CK_OK;
}

static ck_status put_header(const location *at, const char *name, ck_bytes value, ck_error *err) {
  static const char *const own[] = {"content-type", "content-length", "transfer-encoding",
                                    "idempotency-key", NULL};
  ck_profile_header header = {.name = (char *)name};
  if (!is_token(name))
    return ck_error_set(err, CK_E_PARSE, "%s: a header's name is expected", at->path);
  if (is_one_of(name, own))
    return ck_error_set(err, CK_E_PARSE, "%s: that header is ckrun's own", at->path);
  ck_status status = read_header(&header, at, value, err);
  if (status == CK_OK) status = ck_profile_model_put_header(at->model, &header, err);
  if (status == CK_OK) status = put_origin(at, value, err);
  free(header.value);
  return status;
}

static ck_status put_prices(const location *at, ck_bytes value, ck_error *err) {
  return each_member(at, value, put_price, err);
}
static ck_status put_headers(const location *at, ck_bytes value, ck_error *err) {
  return each_member(at, value, put_header, err);
}

static ck_status put_fallback_for(const location *at, ck_bytes value, ck_error *err) {
  return ck_profile_put_fallback_for(at->model, at->path, value, err);
}

/* ---- a model ---- */

/* `nested`: its members have origins of their own. */
static const struct {
  const char *name;
  ck_status (*put)(const location *at, ck_bytes value, ck_error *err);
  bool nested;
} keys[] = {
    {"api", put_api, false},
    {"base_url", put_url, false},
    {"model", put_model, false},
    {"key", put_key, false},
    {"headers", put_headers, true},
    {"stream", put_stream, false},
    {"max_tokens", put_max_tokens, false},
    {"max_tokens_name", put_max_tokens_name, false},
    {"temperature", put_temperature, false},
    {"options", put_options, false},
    {"timeout_s", put_timeout, false},
    {"idle_timeout_s", put_idle, false},
    {"connect_timeout_s", put_connect, false},
    {"retries", put_retries, false},
    {"price", put_prices, true},
    {"unmetered", put_unmetered, false},
    {"context", put_context, false},
    {"output_max", put_output_max, false},
    {"takes", put_takes, false},
    {"cache", put_cache, false},
    {"fallback", put_fallback, false},
    {"fallback_for", put_fallback_for, false},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static ck_status put_setting(const location *at, const char *name, ck_bytes value, ck_error *err) {
  const char *names[KEY_COUNT + 1] = {NULL};
  char hint[CK_NAMES_HINT_SIZE];
  for (size_t i = 0; i < KEY_COUNT; i++) {
    names[i] = keys[i].name;
    if (strcmp(keys[i].name, name) != 0) continue;
    ck_status status = keys[i].put(at, value, err);
    return status != CK_OK || keys[i].nested ? status : put_origin(at, value, err);
  }
  ck_names_hint(hint, name, names);
  return ck_error_set(err, CK_E_PARSE, "%s: unknown key '%s'%s", at->path, name, hint);
}

static ck_status put_one(const location *at, const char *name, ck_bytes value, ck_error *err) {
  location of = *at;
  ck_status status = ck_id_check("models: a name", name, err);
  if (status == CK_OK) status = ck_profile_put_model(&of.model, at->profile, name, err);
  return status == CK_OK ? each_member(&of, value, put_setting, err) : status;
}

ck_status ck_profile_apply_models(ck_profile *self, const ck_source *source, profile_sink *sink,
                                  ck_bytes json, ck_error *err) {
  return each_member(&(location){self, NULL, source, sink, "models"}, json, put_one, err);
}
