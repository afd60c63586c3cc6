/* scrub_rules.c - reads the secrets that a scrub is to find. */
#include "core/host/session/scrub_rules.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/secret.h"

static const char kind[] = "scrubbed";

static ck_status read_file(ck_buffer *out, const char *path, ck_error *err) {
  ck_buffer ref = {0};
  ck_buffer_append_format(&ref, "file:%s", path);
  ck_status status = ck_buffer_check(&ref, err);
  if (status == CK_OK) status = ck_secret_read(out, ref.data, err);
  ck_buffer_clear(&ref);
  return status;
}

static ck_bytes take_line(ck_bytes *rest) {
  const char *end = memchr(rest->data, '\n', rest->len);
  size_t len = end ? (size_t)(end - rest->data) : rest->len;
  ck_bytes line = {rest->data, len};
  size_t gap = end ? len + 1 : len;
  *rest = (ck_bytes){rest->data + gap, rest->len - gap};
  while (line.len && strchr(" \t\r", line.data[line.len - 1])) line.len--;
  return line;
}

static ck_status add(ck_scrub_means *self, const char *path, ck_bytes secret, ck_error *err) {
  ck_status status = ck_redactor_add_secret(self->redactor, kind, secret, err);
  if (status == CK_E_RANGE)
    return ck_error_set(err, status, "%s holds a secret of %zu bytes: one has %d to %d", path,
                        secret.len, CK_SECRET_MIN, CK_SECRET_MAX);
  return status;
}

/* Each line is a secret of its own. */
static ck_status add_lines(ck_scrub_means *self, const char *path, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = read_file(&text, path, err);
  ck_bytes rest = ck_buffer_bytes(&text);
  while (status == CK_OK && rest.len) {
    ck_bytes line = take_line(&rest);
    if (line.len) status = add(self, path, line, err);
  }
  ck_secret_wipe(&text);
  return status;
}

/* The text as a whole, and by themselves its long lines. */
static ck_status add_whole(ck_scrub_means *self, const char *path, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = read_file(&text, path, err);
  if (status == CK_OK) status = add(self, path, ck_buffer_bytes(&text), err);
  ck_secret_wipe(&text);
  return status;
}

static ck_status make_redactor(ck_scrub_means *self, const ck_words *names, ck_error *err) {
  const char **list = calloc(names->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  for (size_t i = 0; i < names->count && status == CK_OK; i++) {
    list[i] = names->list[i];
    bool letters = strpbrk(list[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
    if (!letters) status = ck_error_set(err, CK_E_USAGE, "--key %s: a name has letters", list[i]);
  }
  if (status == CK_OK) status = ck_redactor_new_scrubber(&self->redactor, list, err);
  free(list);
  return status;
}

static ck_status describe(ck_scrub_means *self, const ck_scrub_words *words, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  if (words->secret_files.count) ck_json_put_text(&w, "secret-file");
  if (words->files.count) ck_json_put_text(&w, "file");
  if (words->pattern) ck_json_put_text(&w, "pattern");
  if (words->names.count) ck_json_put_text(&w, "key");
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(&self->rules, &text, err);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_scrub_means_take(ck_scrub_means *out, const ck_scrub_words *words, ck_output *output,
                              ck_error *err) {
  *out = (ck_scrub_means){0};
  if (!words->secret_files.count && !words->files.count && !words->names.count && !words->pattern)
    return ck_error_set(err, CK_E_USAGE,
                        "say what is secret: --secret-file, --file, --key or --pattern");
  ck_status status = make_redactor(out, &words->names, err);
  for (size_t i = 0; i < words->secret_files.count && status == CK_OK; i++)
    status = add_lines(out, words->secret_files.list[i], err);
  for (size_t i = 0; i < words->files.count && status == CK_OK; i++)
    status = add_whole(out, words->files.list[i], err);
  if (status == CK_OK && words->pattern)
    status = ck_expression_new(&out->expression, words->pattern, err);
  if (status == CK_OK) status = describe(out, words, err);
  return status == CK_OK ? ck_redactor_copy_secrets(output->redactor, out->redactor, err) : status;
}

void ck_scrub_means_clear(ck_scrub_means *self) {
  ck_redactor_free(self->redactor);
  ck_expression_free(self->expression);
  ck_value_free(self->rules);
  *self = (ck_scrub_means){0};
}
