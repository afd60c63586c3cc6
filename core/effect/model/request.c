/* request.c - the members of a request that both APIs take from the flow and the profile
 * unchanged. */
#include <stdio.h>
#include <string.h>

#include "core/effect/model/private.h"

static bool is_one_of(ck_bytes name, const char *const *names) {
  while (*names && !ck_json_is_text(name, *names)) names++;
  return *names != NULL;
}

/* Members that the core makes: the first five tell the core what to do. */
static const char *const own_names[] = {"model",    "tools",          "response_schema",
                                        "messages", "asked_by",       "system",
                                        "stream",   "stream_options", NULL};
static const char *const orders[] = {"model",    "tools",    "response_schema",
                                     "messages", "asked_by", NULL};
/* A conversation is the session's: no server keeps it. */
static const char *const own_of_responses[] = {
    "input", "store", "previous_response_id", "conversation", "background", "include", NULL};
static const char *const own_of_gemini[] = {"contents", "systemInstruction", NULL};

static bool is_own(const ck_model_query *query, ck_bytes name) {
  return is_one_of(name, own_names) ||
         (query->model->api == CK_MODEL_GEMINI && is_one_of(name, own_of_gemini)) ||
         (query->model->api == CK_MODEL_RESPONSES && is_one_of(name, own_of_responses));
}

bool ck_model_streams(const ck_profile_model *model) { return model->stream != 0; }

static ck_bytes bytes_of(const ck_value *value) {
  return value ? ck_value_bytes(value) : (ck_bytes){NULL, 0};
}

/* True when `object` has a member spelt like `raw_name`, or with the same meaning. */
static bool has_member(ck_bytes object, ck_bytes raw_name) {
  ck_json_iterator it = ck_json_iterate(object);
  while (object.len > 0 && ck_json_next(&it)) {
    if (ck_bytes_equal(it.name, raw_name)) return true;
  }
  return false;
}

bool ck_model_thinks(const char *model) {
  static const char *const names[] = {"o1", "o3", "o4", "gpt-5", "codex"};
  const char *vendor = strrchr(model, '/');
  if (vendor) model = vendor + 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(model, names[i], strlen(names[i])) == 0) return true;
  return false;
}

/* OpenAI itself has other names for max_tokens, which servers that imitate its chat completions
 * need not know; its models that think refuse the old one, whoever passes it on
 * (platform.openai.com/docs/api-reference/chat/create: max_tokens). */
static const char *name_of_output(const ck_model_query *query) {
  const ck_profile_model *model = query->model;
  bool at_home = !model->base_url;
  if (model->api == CK_MODEL_RESPONSES) return "max_output_tokens";
  if (model->api != CK_MODEL_OPENAI) return "max_tokens";
  if (model->max_tokens_name) return model->max_tokens_name;
  return at_home || ck_model_thinks(model->model) ? "max_completion_tokens" : "max_tokens";
}

static const char *const output_names[] = {"max_completion_tokens", "max_output_tokens",
                                           "max_tokens", NULL};

/* What has the answer's schema in it is written with it. */
static bool has_schema(const ck_model_query *query, ck_bytes raw_name) {
  static const char *const names[] = {[CK_MODEL_OPENAI] = "response_format",
                                      [CK_MODEL_ANTHROPIC] = "tool_choice",
                                      [CK_MODEL_RESPONSES] = "text",
                                      [CK_MODEL_GEMINI] = "toolConfig"};
  return ck_model_get_schema(query).len > 0 && ck_json_is_text(raw_name, names[query->model->api]);
}

/* What Gemini takes in its generationConfig. */
static bool is_nested(const ck_model_query *query, ck_bytes raw_name) {
  static const char *const others[] = {"temperature", "generationConfig", NULL};
  return query->model->api == CK_MODEL_GEMINI &&
         (is_one_of(raw_name, output_names) || is_one_of(raw_name, others));
}

/* A limit of the answer in whose place another one is sent, or what is sent elsewhere. */
static bool is_replaced(const ck_model_query *query, ck_bytes raw_name) {
  if (is_nested(query, raw_name) || has_schema(query, raw_name)) return true;
  if (!is_one_of(raw_name, output_names)) return false;
  bool newer = query->model->api == CK_MODEL_RESPONSES &&
               !ck_json_is_text(raw_name, "max_output_tokens") &&
               ck_model_get_option(query, "max_output_tokens").len > 0;
  return query->output_max > 0 || newer;
}

static bool is_renamed(const ck_model_query *query, ck_bytes raw_name) {
  const char *name = name_of_output(query);
  return ck_json_is_text(raw_name, "max_tokens") && strcmp(name, "max_tokens") != 0 &&
         ck_model_get_option(query, name).len == 0;
}

static void write_member(ck_json_writer *w, const ck_model_query *query, ck_bytes raw_name,
                         ck_bytes value) {
  if (is_renamed(query, raw_name))
    ck_json_name(w, name_of_output(query));
  else
    ck_json_raw_name(w, raw_name);
  ck_json_put_raw(w, value);
}

static ck_status refuse(const char *whose, ck_bytes name, ck_error *err) {
  return ck_error_set(err, CK_E_USAGE, "%s cannot set %.*s: that is ckrun's own", whose,
                      (int)name.len, name.data);
}

static ck_status write_own(ck_json_writer *w, const ck_model_query *query, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(query->request);
  while (ck_json_next(&it)) {
    if (is_replaced(query, it.name)) continue;
    if (!is_own(query, it.name))
      write_member(w, query, it.name, it.value);
    else if (!is_one_of(it.name, orders))
      return refuse("a model's request", it.name, err);
  }
  return CK_OK;
}

/* Under the name that the request or the profile uses. */
static void write_output_max(ck_json_writer *w, const ck_model_query *query) {
  char number[24];
  bool newer = ck_model_get_option(query, "max_completion_tokens").len > 0;
  snprintf(number, sizeof number, "%lld", (long long)query->output_max);
  write_member(w, query, ck_bytes_text(newer ? "\"max_completion_tokens\"" : "\"max_tokens\""),
               ck_bytes_text(number));
}

ck_status ck_model_write_options(ck_json_writer *w, const ck_model_query *query, ck_error *err) {
  ck_status status = write_own(w, query, err);
  if (status) return status;
  ck_bytes options = bytes_of(query->model->options);
  ck_json_iterator it = ck_json_iterate(options);
  while (options.len > 0 && ck_json_next(&it)) {
    if (is_own(query, it.name)) return refuse("a model's options", it.name, err);
    if (!has_member(query->request, it.name) && !is_replaced(query, it.name))
      write_member(w, query, it.name, it.value);
  }
  static const char *const names[] = {"max_tokens", "temperature"}, *const raw[] = {
                                                                        "\"max_tokens\"",
                                                                        "\"temperature\""};
  const ck_value *values[] = {query->model->max_tokens, query->model->temperature};
  for (size_t i = 0; i < 2; i++) {
    bool is_given =
        ck_json_get(query->request, names[i]).len > 0 || ck_json_get(options, names[i]).len > 0;
    if (values[i] && !is_given && !is_replaced(query, ck_bytes_text(raw[i])))
      write_member(w, query, ck_bytes_text(raw[i]), ck_value_bytes(values[i]));
  }
  if (query->output_max > 0 && query->model->api != CK_MODEL_GEMINI) write_output_max(w, query);
  return CK_OK;
}

ck_bytes ck_model_get_option(const ck_model_query *query, const char *name) {
  ck_bytes found = ck_json_get(query->request, name);
  if (found.len == 0) found = ck_json_get(bytes_of(query->model->options), name);
  if (found.len == 0 && strcmp(name, "max_tokens") == 0) found = bytes_of(query->model->max_tokens);
  return found;
}

int64_t ck_model_asked_output(const ck_model_query *query) {
  int64_t tokens;
  ck_bytes config = ck_model_get_option(query, "generationConfig");
  if (ck_json_read_int(&tokens, ck_json_get(config, "maxOutputTokens")) && tokens > 0)
    return tokens;
  for (const char *const *name = output_names; *name; name++) {
    if (ck_json_read_int(&tokens, ck_model_get_option(query, *name)) && tokens > 0) return tokens;
  }
  return 0;
}

/* ---- marks of a cache ---- */

/* In a text the quotes would be escaped: who speaks of marks sets none. */
static bool mentions_cache(ck_bytes text) {
  static const char mark[] = "\"cache_control\"";
  return text.len > 0 && memmem(text.data, text.len, mark, sizeof mark - 1);
}

bool ck_model_has_marks(const ck_model_query *query) {
  bool found = mentions_cache(query->request) ||
               (query->model->options && mentions_cache(ck_value_bytes(query->model->options)));
  size_t count = query->conversation ? ck_conversation_count(query->conversation) : 0;
  for (size_t i = 0; i < count && !found; i++) {
    found = mentions_cache(ck_value_bytes(ck_conversation_get_seen(query->conversation, i)));
  }
  return found;
}
