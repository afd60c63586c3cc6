/* read.c - answers reads of clock, randomness and files at once. */
#include "core/effect/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"
#include "core/base/utf8.h"
#include "core/effect/reply.h"
#include "core/model/media_form.h"

enum { RANDOM_BITS = 53 }; /* a double holds whole numbers of that many bits */

typedef struct read_driver {
  ck_effect_driver driver;
  ck_clock clock;
  const char *directory;
  ck_replies replies;
} read_driver;

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_READ;
}

static ck_status read_random(int64_t *out, ck_error *err) {
  uint64_t bits;
  ssize_t len;
  do len = getrandom(&bits, sizeof bits, 0);
  while (len < 0 && errno == EINTR);
  if (len != sizeof bits)
    return ck_error_set(err, CK_E_FAILED, "the kernel gives no random number: %s", strerror(errno));
  *out = (int64_t)(bits >> (64 - RANDOM_BITS));
  return CK_OK;
}

static ck_status read_number(int64_t *out, const read_driver *self, ck_bytes request,
                             ck_error *err) {
  ck_bytes what = ck_json_get(request, "what");
  *out = 0;
  if (ck_json_is_text(what, "random")) return read_random(out, err);
  if (!ck_json_is_text(what, "clock"))
    return ck_error_set(err, CK_E_FLOW,
                        "a read takes what = \"clock\", \"random\" or \"file\", not %.*s",
                        what.len ? (int)what.len : 7, what.len ? what.data : "nothing");
  *out = self->clock.wall_ms(self->clock.self);
  return CK_OK;
}

static ck_status make_number(ck_value **out, int64_t number, ck_error *err) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)number);
  return ck_value_copy(out, ck_bytes_text(text), err);
}

/* ---- files ---- */

static ck_status cannot(const char *path, int code, ck_error *err) {
  return ck_error_set(err, code == ENOENT ? CK_E_NOT_FOUND : CK_E_USAGE, "%s: %s", path,
                      ck_errno_text(code));
}

/* Neither a pipe nor a device: they need not end. */
static ck_status open_file(FILE **out, const char *path, ck_error *err) {
  struct stat found;
  ck_status status = ck_own_file_check(path, err);
  *out = NULL;
  if (status != CK_OK) return status;
  if (stat(path, &found) != 0) return cannot(path, errno, err);
  if (!S_ISREG(found.st_mode)) return ck_error_set(err, CK_E_USAGE, "%s is no file", path);
  *out = fopen(path, "re");
  return *out ? CK_OK : cannot(path, errno, err);
}

static ck_status read_bytes(ck_buffer *out, const char *path, ck_error *err) {
  FILE *file;
  char chunk[1 << 14];
  size_t got;
  ck_status status = open_file(&file, path, err);
  if (status != CK_OK) return status;
  while (out->len <= CK_MEDIA_BYTES_MAX && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
    ck_buffer_append(out, chunk, got);
  int code = ferror(file) ? errno : 0;
  fclose(file);
  if (code) return cannot(path, code, err);
  if (out->len > CK_MEDIA_BYTES_MAX)
    return ck_error_set(err, CK_E_OVERSIZE, "%s is larger than %d bytes, the most that are kept",
                        path, CK_MEDIA_BYTES_MAX);
  return ck_buffer_check(out, err);
}

static bool is_text(ck_bytes bytes) {
  size_t at = 0, len = 1;
  while (at < bytes.len && len && bytes.data[at]) {
    len = ck_utf8_length(bytes.data + at, bytes.len - at);
    at += len;
  }
  return at == bytes.len;
}

static ck_status write_part(ck_json_writer *w, const char *path, ck_bytes bytes, ck_error *err) {
  const char *type = ck_media_sniff(bytes), *slash = strrchr(path, '/');
  if (type) {
    ck_media_write(w, type, slash ? slash + 1 : path, bytes);
    return CK_OK;
  }
  if (!is_text(bytes))
    return ck_error_set(err, CK_E_USAGE,
                        "%s is neither an image that models take (PNG, JPEG, GIF, WebP) nor a PDF "
                        "nor a text of UTF-8",
                        path);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "text");
  ck_json_member_string(w, "text", bytes);
  ck_json_end(w, '}');
  return CK_OK;
}

static ck_status make_part(ck_value **out, const char *path, ck_error *err) {
  ck_buffer bytes = {0}, part = {0};
  ck_json_writer w = {.out = &part};
  ck_status status = read_bytes(&bytes, path, err);
  if (status == CK_OK) status = write_part(&w, path, ck_buffer_bytes(&bytes), err);
  if (status == CK_OK) status = ck_value_from(out, &part, err);
  ck_buffer_clear(&part);
  ck_buffer_clear(&bytes);
  return status;
}

static ck_status read_file(ck_value **out, const read_driver *self, ck_bytes request,
                           ck_error *err) {
  char *path = ck_json_dup_string(ck_json_get(request, "path")), *whole = NULL;
  bool below = path && *path != '/' && self->directory;
  ck_status status = CK_OK;
  if (!path || !*path) status = ck_error_set(err, CK_E_FLOW, "a read of a file needs its path");
  if (status == CK_OK && below && asprintf(&whole, "%s/%s", self->directory, path) < 0) {
    whole = NULL;
    status = ck_error_no_memory(err);
  }
  if (status == CK_OK) status = make_part(out, below ? whole : path, err);
  free(whole);
  free(path);
  return status;
}

/* ---- the driver ---- */

static ck_status answer(ck_value **out, const read_driver *self, ck_bytes request, ck_error *err) {
  int64_t number;
  *out = NULL;
  if (ck_json_is_text(ck_json_get(request, "what"), "file"))
    return read_file(out, self, request, err);
  ck_status status = read_number(&number, self, request, err);
  return status == CK_OK ? make_number(out, number, err) : status;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  read_driver *self = to;
  ck_error failure = CK_ERROR_INIT;
  ck_outcome *outcome = NULL;
  ck_value *value;
  *out = NULL;
  if (answer(&value, self, effect->request, &failure) != CK_OK)
    return ck_reply_failed(out, &self->replies, &failure, sink, err);
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_OK, value, NULL, err);
  ck_value_free(value);
  return status == CK_OK ? ck_reply(out, &self->replies, outcome, sink, err) : status;
}

/* Nothing to do: the outcome is already on its way. */
static void cancel(void *self, ck_effect_run *run) { (void)self, (void)run; }

static void free_driver(void *to) {
  read_driver *self = to;
  ck_replies_clear(&self->replies);
  free(self);
}

ck_status ck_read_driver_new(ck_effect_driver **out, ck_loop *loop, ck_clock clock,
                             const char *directory, ck_error *err) {
  *out = NULL;
  read_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->clock = clock;
  self->directory = directory;
  self->replies.loop = loop;
  self->driver = (ck_effect_driver){.name = "read",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
