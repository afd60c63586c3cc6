/* request.c - the members of a request that both APIs take from the flow and the profile
 * unchanged. */
#include <stdio.h>
#include <string.h>

#include "core/effect/model/private.h"

/* Members that the core makes: the first two tell the core what to do. */
static bool is_own(ck_bytes name) {
  static const char *const names[] = {"model",  "tools",  "messages",
                                      "system", "stream", "stream_options"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ck_json_is_text(name, names[i])) return true;
  }
  return false;
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

/* OpenAI itself has another name for max_tokens, which servers that imitate it need not know. */
static bool is_renamed(const ck_model_query *query, ck_bytes raw_name) {
  bool at_home = query->model->api == CK_MODEL_OPENAI && !query->model->base_url;
  return at_home && ck_json_is_text(raw_name, "max_tokens") &&
         ck_model_get_option(query, "max_completion_tokens").len == 0;
}

static const char *const output_names[] = {"max_completion_tokens", "max_tokens", NULL};

/* A limit of the answer in whose place another one is sent. */
static bool is_replaced(const ck_model_query *query, ck_bytes raw_name) {
  bool limits = false;
  for (const char *const *name = output_names; *name; name++)
    limits |= ck_json_is_text(raw_name, *name);
  return limits && query->output_max > 0;
}

static void write_member(ck_json_writer *w, const ck_model_query *query, ck_bytes raw_name,
                         ck_bytes value) {
  if (is_renamed(query, raw_name)) raw_name = ck_bytes_text("\"max_completion_tokens\"");
  if (w->comma) ck_buffer_append_char(w->out, ',');
  ck_buffer_append_bytes(w->out, raw_name);
  ck_buffer_append_char(w->out, ':');
  ck_buffer_append_bytes(w->out, value);
  w->comma = true;
}

static ck_status write_own(ck_json_writer *w, const ck_model_query *query, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(query->request);
  while (ck_json_next(&it)) {
    if (is_replaced(query, it.name)) continue;
    if (!is_own(it.name))
      write_member(w, query, it.name, it.value);
    else if (!ck_json_is_text(it.name, "model") && !ck_json_is_text(it.name, "tools"))
      return ck_error_set(err, CK_E_USAGE, "a model's request cannot set %.*s: that is ckrun's own",
                          (int)it.name.len, it.name.data);
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
  if (query->output_max > 0) write_output_max(w, query);
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
  for (const char *const *name = output_names; *name; name++) {
    if (ck_json_read_int(&tokens, ck_model_get_option(query, *name)) && tokens > 0) return tokens;
  }
  return 0;
}
