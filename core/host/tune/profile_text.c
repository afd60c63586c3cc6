/* profile_text.c - writes a profile's policies and options as Lua. */
#include "core/host/tune/profile_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Everything but plain characters as a decimal escape, so that no text can end the literal. */
static void append_text(ck_buffer *out, const char *text) {
  ck_buffer_append_char(out, '"');
  for (const char *at = text; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '"' || c == '\\' || c < ' ' || c == 127)
      ck_buffer_append_format(out, "\\%03u", c);
    else
      ck_buffer_append_char(out, *at);
  }
  ck_buffer_append_char(out, '"');
}

static void append_value(ck_buffer *out, ck_bytes json);

/* `{ a, b }` or `{ ["name"] = a }`. */
static void append_table(ck_buffer *out, ck_bytes json) {
  ck_json_iterator it = ck_json_iterate(json);
  bool object = ck_json_type_of(json) == CK_JSON_OBJECT, begun = false;
  ck_buffer_append_text(out, object || ck_json_count(json) ? "{" : "ck.array {");
  while (ck_json_next(&it)) {
    ck_buffer_append_text(out, begun ? ", " : " ");
    begun = true;
    if (object) {
      char *name = ck_json_dup_string(it.name);
      ck_buffer_append_char(out, '[');
      append_text(out, name ? name : "");
      ck_buffer_append_text(out, "] = ");
      out->failed = out->failed || !name;
      free(name);
    }
    append_value(out, it.value);
  }
  ck_buffer_append_text(out, begun ? " }" : "}");
}

static void append_value(ck_buffer *out, ck_bytes json) {
  ck_json_type type = ck_json_type_of(json);
  if (type == CK_JSON_STRING) {
    char *text = ck_json_dup_string(json);
    append_text(out, text ? text : "");
    out->failed = out->failed || !text;
    free(text);
  } else if (type == CK_JSON_OBJECT || type == CK_JSON_ARRAY) {
    append_table(out, json);
  } else if (type == CK_JSON_NULL) {
    ck_buffer_append_text(out, "ck.null");
  } else {
    ck_buffer_append_bytes(out, json); /* numbers and booleans are written alike */
  }
}

static bool is_file(const char *name) {
  size_t len = strlen(name);
  return strchr(name, '/') || (len > 4 && strcmp(name + len - 4, ".lua") == 0);
}

/* A file by its full path: the profile can be kept anywhere. */
static ck_status append_name(ck_buffer *out, const char *name, ck_error *err) {
  char *path = NULL;
  if (is_file(name)) {
    path = realpath(name, NULL);
    if (!path) return ck_error_set(err, CK_E_NOT_FOUND, "%s: %s", name, strerror(errno));
  }
  append_text(out, path ? path : name);
  free(path);
  return CK_OK;
}

static ck_status append_policy(ck_buffer *out, const ck_profile_policy *policy, ck_error *err) {
  ck_buffer_append_text(out, "    { ");
  ck_status status = append_name(out, policy->name, err);
  ck_json_iterator it =
      ck_json_iterate(policy->options ? ck_value_bytes(policy->options) : ck_bytes_text("{}"));
  while (status == CK_OK && ck_json_next(&it)) {
    char *name = ck_json_dup_string(it.name);
    ck_buffer_append_text(out, ",\n      [");
    append_text(out, name ? name : "");
    ck_buffer_append_text(out, "] = ");
    append_value(out, it.value);
    out->failed = out->failed || !name;
    free(name);
  }
  ck_buffer_append_text(out, " },\n");
  return status;
}

static void append_about(ck_buffer *out, ck_bytes about) {
  const char *at = about.data, *end = about.data + about.len;
  while (at < end) {
    const char *line = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((line ? line : end) - at);
    ck_buffer_append_text(out, len ? "-- " : "--");
    ck_buffer_append(out, at, len);
    ck_buffer_append_char(out, '\n');
    at += len + 1;
  }
}

ck_status ck_tune_profile_append(ck_buffer *out, const ck_profile *profile, const char *given,
                                 ck_bytes about, ck_error *err) {
  append_about(out, about);
  ck_buffer_append_text(out, "return {\n  name = ");
  ck_buffer name = {0};
  ck_buffer_append_format(&name, "%s_tuned", profile->name);
  append_text(out, name.data ? name.data : "");
  out->failed = out->failed || name.failed;
  ck_buffer_clear(&name);
  ck_buffer_append_text(out, ",\n  extends = ");
  ck_status status = append_name(out, given, err);
  ck_buffer_append_text(out, ",\n  policies = {\n");
  for (size_t i = 0; status == CK_OK && i < profile->policy_count; i++)
    status = append_policy(out, &profile->policies[i], err);
  ck_buffer_append_text(out, "  },\n}\n");
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
