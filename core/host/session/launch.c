/* launch.c - the parameters that a session was started with, and that a resume needs again; kept as
 * the session's input. */
#include "core/host/session/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"
#include "core/base/text.h"
#include "core/effect/cassette/cassette.h"
#include "core/model/media_form.h"

void ck_launch_clear(ck_launch *self) {
  free(self->flow);
  free(self->directory);
  free(self->cassette);
  free(self->profile);
  ck_value_free(self->policies);
  ck_value_free(self->input);
  ck_media_list_clear(&self->media);
  *self = (ck_launch){0};
}

ck_status ck_launch_write(ck_value **out, const ck_launch *self, ck_error *err) {
  *out = NULL;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "flow_digest", self->flow_digest);
  if (self->flow_version) ck_json_member_int(&w, "flow_version", self->flow_version);
  ck_json_member_text(&w, "directory", self->directory);
  ck_json_member_text(&w, "cassette", self->cassette);
  ck_json_member_text(&w, "profile", self->profile);
  if (self->policies) ck_json_member_raw(&w, "policies", ck_value_bytes(self->policies));
  if (self->document[0]) ck_json_member_text(&w, "document", self->document);
  if (self->input) ck_json_member_raw(&w, "input", ck_value_bytes(self->input));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

/* `*out` stays NULL without such a member. */
static ck_status read_text(char **out, ck_bytes document, const char *name, ck_error *err) {
  ck_bytes value = ck_json_get(document, name);
  if (ck_json_type_of(value) != CK_JSON_STRING) return CK_OK;
  *out = ck_json_dup_string(value);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static ck_status read_value(ck_value **out, ck_bytes document, const char *name, ck_error *err) {
  ck_bytes value = ck_json_get(document, name);
  return value.len ? ck_value_copy(out, value, err) : CK_OK;
}

ck_status ck_launch_read(ck_launch *out, const ck_session_record *record, ck_error *err) {
  *out = (ck_launch){0};
  char *digest = NULL;
  if (!record->flow || !record->input)
    return ck_error_set(
        err, CK_E_REFUSED,
        "session %s was not started from a flow file; the program that made it can go on with it",
        record->id);
  ck_bytes document = ck_value_bytes(record->input);
  ck_status status = ck_text_copy(&out->flow, record->flow, err);
  if (status == CK_OK) status = read_text(&digest, document, "flow_digest", err);
  if (status == CK_OK) status = read_text(&out->directory, document, "directory", err);
  if (status == CK_OK) status = read_text(&out->cassette, document, "cassette", err);
  if (status == CK_OK) status = read_text(&out->profile, document, "profile", err);
  if (status == CK_OK) status = read_value(&out->policies, document, "policies", err);
  if (status == CK_OK) status = read_value(&out->input, document, "input", err);
  if (digest) snprintf(out->flow_digest, sizeof out->flow_digest, "%s", digest);
  free(digest);
  if (status != CK_OK) ck_launch_clear(out);
  return status;
}

ck_status ck_launch_take_path(char **out, const char *path, ck_error *err) {
  *out = realpath(path, NULL);
  if (*out) return CK_OK;
  if (errno == ENOMEM) return ck_error_no_memory(err);
  char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
  int written = folder ? asprintf(out, "%s/%s", folder, path) : asprintf(out, "%s", path);
  free(folder);
  if (written >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

ck_status ck_launch_take_cassette(char **out, const char *spec, ck_error *err) {
  char *file = NULL, *path = NULL;
  const char *index;
  *out = NULL;
  ck_status status = ck_cassette_split(&file, &index, spec, err);
  if (status == CK_OK) status = ck_launch_take_path(&path, file, err);
  if (status == CK_OK && asprintf(out, "%s%s%s", path, index ? "#" : "", index ? index : "") < 0) {
    *out = NULL;
    status = ck_error_no_memory(err);
  }
  free(path);
  free(file);
  return status;
}

bool ck_launch_is_path(const char *name) {
  size_t len = strlen(name);
  return strchr(name, '/') || (len > 4 && strcmp(name + len - 4, ".lua") == 0);
}

ck_status ck_launch_take_profile(char **out, const char *profile, ck_error *err) {
  *out = NULL;
  if (ck_launch_is_path(profile)) return ck_launch_take_path(out, profile, err);
  return ck_text_copy(out, profile, err);
}

enum { JSON_FILE_MAX = 64 << 20 };

static ck_status read_file(ck_buffer *out, const char *what, const char *path, ck_error *err) {
  ck_status status = ck_own_file_check(path, err);
  if (status != CK_OK) return status;
  FILE *file = fopen(path, "re");
  if (!file)
    return ck_error_set(err, errno == ENOENT ? CK_E_NOT_FOUND : CK_E_USAGE, "%s: %s: %s", what,
                        path, ck_errno_text(errno));
  char chunk[1 << 14];
  size_t got;
  while (out->len <= JSON_FILE_MAX && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
    ck_buffer_append(out, chunk, got);
  int failed = ferror(file) ? errno : 0;
  fclose(file);
  if (failed) return ck_error_set(err, CK_E_USAGE, "%s: %s: %s", what, path, ck_errno_text(failed));
  if (out->len > JSON_FILE_MAX)
    return ck_error_set(err, CK_E_USAGE, "%s: %s is larger than %d bytes", what, path,
                        JSON_FILE_MAX);
  return ck_buffer_check(out, err);
}

/* In the place of an image or a PDF: a list of it as a part of a message, under the file's name. */
static ck_status put_in_list(ck_buffer *text, const char *path, ck_error *err) {
  const char *type = ck_media_sniff(ck_buffer_bytes(text)), *slash = strrchr(path, '/');
  ck_buffer list = {0};
  ck_json_writer w = {.out = &list};
  if (!type) return CK_OK;
  if (text->len > CK_MEDIA_BYTES_MAX)
    return ck_error_set(err, CK_E_OVERSIZE, "%s has %zu bytes, and %d are the most that are kept",
                        path, text->len, CK_MEDIA_BYTES_MAX);
  ck_json_begin(&w, '[');
  ck_media_write(&w, type, slash ? slash + 1 : path, ck_buffer_bytes(text));
  ck_json_end(&w, ']');
  ck_buffer_clear(text);
  *text = list;
  return CK_OK;
}

/* What is given on the command line is often meant as a text. */
static ck_status refuse_json(ck_bytes text, const char *what, ck_error *err) {
  static const char in_json[] = "{[\"-0123456789";
  bool is_text = text.len > 0 && text.data[0] && !strchr(in_json, text.data[0]);
  if (!err) return CK_E_PARSE;
  ck_error why = *err;
  return ck_error_set(err, CK_E_PARSE, "%s: %s%s", what, why.text,
                      is_text ? "; a text needs quotes: '\"hello\"'" : "");
}

static ck_status take_json(ck_value **out, const char *what, const char *given, bool media,
                           ck_error *err) {
  *out = NULL;
  ck_buffer text = {0};
  bool is_file = given[0] == '@';
  ck_status status = CK_OK;
  if (is_file)
    status = read_file(&text, what, given + 1, err);
  else
    ck_buffer_append_text(&text, given);
  if (status == CK_OK && is_file && media) status = put_in_list(&text, given + 1, err);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK) {
    status = ck_value_new(out, ck_buffer_bytes(&text), err);
    if (status == CK_E_PARSE)
      status = is_file ? ck_error_prefix(err, "%s: %s", what, given + 1)
                       : refuse_json(ck_buffer_bytes(&text), what, err);
  }
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_launch_take_json(ck_value **out, const char *what, const char *given, ck_error *err) {
  return take_json(out, what, given, false, err);
}

/* A model would refuse it, or be paid for what it cannot see. */
static ck_status check_images(const ck_media_list *media, ck_error *err) {
  for (size_t i = 0; i < media->count; i++) {
    const ck_media_bytes *of = &media->list[i];
    if (strcmp(of->kind, "image") != 0 || ck_media_sniff(ck_buffer_bytes(&of->bytes))) continue;
    return ck_error_set(err, CK_E_PARSE,
                        "the data of image %zu of it is no PNG, JPEG, GIF or WebP (%zu bytes)",
                        i + 1, of->bytes.len);
  }
  return CK_OK;
}

ck_status ck_launch_take_input(ck_launch *self, const char *given, ck_error *err) {
  ck_value *whole;
  ck_status status = take_json(&whole, "--input", given, true, err);
  if (status != CK_OK) return status;
  status = ck_media_take(&self->input, &self->media, whole, err);
  ck_value_free(whole);
  if (status == CK_OK) status = check_images(&self->media, err);
  return status == CK_E_PARSE ? ck_error_prefix(err, "--input") : status;
}
