/* spill.c - writes masked windows of a long output to a file. */
#include "core/effect/process/spill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sealed_text.h"

enum { KEY_HEX = 16 };

struct ck_spill {
  const ck_shelf *shelf;
  ck_shelf_item *item;
  char *name;
  ck_redactor *redactor;
  ck_buffer window;
  ck_sealed_text *seal; /* NULL: it is not sealed */
  ck_buffer sealed;     /* what is written next */
  ck_error failure;
};

/* Each window is masked as one text. Where a window's end cuts a secret in two, one side has at
 * least half of it, which is enough for the redactor; a line's end is seldom inside of a secret. */
static size_t find_cut(const ck_buffer *window) {
  const char *line = memrchr(window->data + window->len / 2, '\n', window->len - window->len / 2);
  return line ? (size_t)(line - window->data) + 1 : window->len;
}

static void write_all(ck_spill *self, ck_bytes bytes) {
  if (bytes.len == 0 || self->failure.status != CK_OK) return;
  (void)!ck_shelf_write(self->item, bytes, &self->failure);
}

static void write_masked(ck_spill *self, ck_bytes text, bool last) {
  if (!self->seal) {
    write_all(self, text);
    return;
  }
  if (self->failure.status == CK_OK &&
      ck_sealed_text_append(&self->sealed, self->seal, text, last, &self->failure) == CK_OK)
    write_all(self, ck_buffer_bytes(&self->sealed));
  ck_buffer_reset(&self->sealed);
}

static void write_window(ck_spill *self, size_t len) {
  if (self->failure.status != CK_OK || len == 0) return;
  ck_buffer masked = {0};
  ck_bytes text = {self->window.data, len};
  ck_status status =
      ck_redactor_apply_text(&masked, self->redactor, CK_SINK_EXPORT, text, &self->failure);
  if (status == CK_OK) status = ck_buffer_check(&masked, &self->failure);
  if (status == CK_OK) write_masked(self, ck_buffer_bytes(&masked), false);
  ck_buffer_clear(&masked);
  self->window.len -= len;
  memmove(self->window.data, self->window.data + len, self->window.len);
}

void ck_spill_append(ck_spill *self, ck_bytes bytes) {
  if (self->failure.status != CK_OK) return;
  ck_buffer_append_bytes(&self->window, bytes);
  if (ck_buffer_check(&self->window, &self->failure) != CK_OK) return;
  if (self->window.len >= CK_SPILL_WINDOW) write_window(self, find_cut(&self->window));
}

void ck_spill_derive_key(uint8_t out[CK_SPILL_KEY], const uint8_t *fingerprint_key) {
  ck_sealed_text_derive(out, fingerprint_key, "ckspills");
}

ck_status ck_spill_name(char **out, const char *session, const char *key, ck_error *err) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest digest = ck_digest_of(ck_bytes_text(key));
  ck_digest_hex(hex, &digest);
  if (asprintf(out, "%s-%.*s-", session, KEY_HEX, hex) >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

static ck_status make_name(char **out, const ck_spill_location *place, const ck_effect *effect,
                           const char *name, ck_error *err) {
  char *begin;
  *out = NULL;
  ck_status status = ck_spill_name(&begin, place->session, effect->key, err);
  if (status != CK_OK) return status;
  if (asprintf(out, "%s%u.%s", begin, effect->attempt, name) < 0) {
    *out = NULL;
    status = ck_error_no_memory(err);
  }
  free(begin);
  return status;
}

static ck_status begin_seal(ck_spill *self, const uint8_t *fingerprint_key, ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  if (!fingerprint_key) return CK_OK;
  ck_spill_derive_key(key, fingerprint_key);
  ck_status status = ck_sealed_text_new(&self->seal, &self->sealed, key, self->name, err);
  explicit_bzero(key, sizeof key);
  return status;
}

static void free_spill(ck_spill *self) {
  ck_shelf_free(self->item);
  ck_buffer_clear(&self->window);
  ck_buffer_clear(&self->sealed);
  ck_sealed_text_free(self->seal);
  free(self->name);
  free(self);
}

ck_status ck_spill_open(ck_spill **out, const ck_spill_location *place, const ck_effect *effect,
                        const char *name, ck_error *err) {
  *out = NULL;
  ck_spill *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->shelf = place->shelf;
  self->redactor = place->redactor;
  ck_status status = make_name(&self->name, place, effect, name, err);
  if (status == CK_OK) status = begin_seal(self, place->key, err);
  if (status == CK_OK) status = ck_shelf_make(&self->item, place->shelf, self->name, err);
  if (status == CK_OK)
    *out = self;
  else
    free_spill(self);
  return status;
}

void ck_spill_drop(ck_spill *self) {
  if (!self) return;
  (void)!ck_shelf_remove(self->shelf, self->name, NULL);
  free_spill(self);
}

/* A file's path, or its name in the store. */
static ck_status find_place(char **out, const ck_spill *self, ck_error *err) {
  const char *folder = self->shelf->folder;
  if (asprintf(out, "%s%s%s", folder ? folder : "", folder ? "/" : "", self->name) >= 0)
    return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

ck_status ck_spill_close(char **path, ck_spill *self, ck_error *err) {
  *path = NULL;
  write_window(self, self->window.len);
  if (self->seal) write_masked(self, (ck_bytes){NULL, 0}, true);
  /* The outcome that names it may become durable with any commit from now on. */
  if (self->failure.status == CK_OK) (void)!ck_shelf_end(self->item, true, &self->failure);
  if (self->failure.status == CK_OK) (void)!ck_shelf_sync(self->shelf, &self->failure);
  if (self->failure.status == CK_OK) (void)!find_place(path, self, &self->failure);
  ck_status status = self->failure.status;
  if (status == CK_OK) {
    free_spill(self);
    return CK_OK;
  }
  ck_error_set(err, status, "%s", self->failure.text);
  ck_spill_drop(self);
  return status;
}

/* Session "s" must not match the files of a session "s-1". */
bool ck_spill_belongs(const char *file, const char *session) {
  size_t len = strlen(session);
  if (strncmp(file, session, len) != 0 || file[len] != '-') return false;
  const char *key = file + len + 1;
  return strspn(key, "0123456789abcdef") == KEY_HEX && key[KEY_HEX] == '-' &&
         strspn(key + KEY_HEX + 1, "0123456789") > 0 && strchr(key + KEY_HEX + 1, '-') == NULL;
}

bool ck_spill_session(char out[CK_ID_SIZE], const char *file) {
  const char *attempt = strrchr(file, '-');
  size_t len = attempt ? (size_t)(attempt - file) : 0;
  if (len < KEY_HEX + 2 || len - KEY_HEX - 1 >= CK_ID_SIZE) return false;
  len -= KEY_HEX + 1;
  memcpy(out, file, len);
  out[len] = '\0';
  return ck_spill_belongs(file, out);
}

typedef struct sweep {
  const char *session; /* NULL: all */
  ck_spill_visit visit;
  void *to;
} sweep;

static bool visit_own(void *to, const char *name, int64_t bytes) {
  const sweep *self = to;
  if (self->session && !ck_spill_belongs(name, self->session)) return false;
  return self->visit(self->to, name, bytes);
}

ck_status ck_spill_sweep(const ck_shelf *shelf, const char *session, ck_spill_visit visit, void *to,
                         ck_error *err) {
  sweep self = {session, visit, to};
  return ck_shelf_list(shelf, session, visit_own, &self, err);
}
