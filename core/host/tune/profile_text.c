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

/* Bytes of the folders that both real paths begin with, the slash behind them included: 1 is /
 * alone. */
static size_t common_length(const char *folder, const char *path) {
  size_t common = 0;
  for (size_t i = 0; path[i] == folder[i] || (path[i] == '/' && !folder[i]); i++) {
    if (path[i] == '/') common = i + 1;
    if (!folder[i]) break;
  }
  return common;
}

/* "./a/b.lua", "../b.lua": `path` as seen from `folder`, both real. */
static void append_seen_from(ck_buffer *out, const char *folder, const char *path) {
  size_t common = common_length(folder, path), len = strlen(folder);
  if (common <= 1 && len > 1) {
    ck_buffer_append_text(out, path);
    return;
  }
  bool below = common > len || len == 1;
  ck_buffer_append_text(out, below ? "./" : "../");
  for (const char *at = below ? "" : strchr(folder + common, '/'); at && *at;
       at = strchr(at + 1, '/'))
    ck_buffer_append_text(out, "../");
  ck_buffer_append_text(out, path + common);
}

/* A file by its path from the folder of the one that is written, so that both can be moved. */
static ck_status append_name(ck_buffer *out, const char *name, const char *folder, ck_error *err) {
  ck_buffer seen = {0};
  if (!is_file(name)) {
    append_text(out, name);
    return CK_OK;
  }
  char *path = realpath(name, NULL);
  if (!path) return ck_error_set(err, CK_E_NOT_FOUND, "%s: %s", name, strerror(errno));
  append_seen_from(&seen, folder, path);
  append_text(out, seen.data ? seen.data : "");
  out->failed = out->failed || seen.failed;
  ck_buffer_clear(&seen);
  free(path);
  return CK_OK;
}

static ck_status append_policy(ck_buffer *out, const ck_profile_policy *policy, const char *folder,
                               ck_error *err) {
  ck_buffer_append_text(out, "    { ");
  ck_status status = append_name(out, policy->name, folder, err);
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

/* One that was tuned already keeps its name. */
static void append_tuned(ck_buffer *out, const char *name) {
  static const char end[] = "_tuned";
  ck_buffer text = {0};
  size_t len = strlen(name), end_len = sizeof end - 1;
  bool tuned = len > end_len && strcmp(name + len - end_len, end) == 0;
  ck_buffer_append_format(&text, "%s%s", name, tuned ? "" : end);
  append_text(out, text.data ? text.data : "");
  out->failed = out->failed || text.failed;
  ck_buffer_clear(&text);
}

ck_status ck_tune_profile_append(ck_buffer *out, const ck_profile *profile, const char *given,
                                 const char *folder, ck_bytes about, ck_error *err) {
  append_about(out, about);
  ck_buffer_append_text(out, "return {\n  name = ");
  append_tuned(out, profile->name);
  ck_buffer_append_text(out, ",\n  extends = ");
  ck_status status = append_name(out, given, folder, err);
  ck_buffer_append_text(out, ",\n  policies = {\n");
  for (size_t i = 0; status == CK_OK && i < profile->policy_count; i++)
    status = append_policy(out, &profile->policies[i], folder, err);
  ck_buffer_append_text(out, "  },\n}\n");
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
