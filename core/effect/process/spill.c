/* spill.c - writes masked windows of a long output to a file. */
#include "core/effect/process/spill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/sealed_text.h"
#include "core/base/shortage.h"

enum { KEY_HEX = 16 };

struct ck_spill {
  int fd;
  char *path;
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
  while (bytes.len > 0 && self->failure.status == CK_OK) {
    ssize_t len = write(self->fd, bytes.data, bytes.len);
    if (len < 0 && errno == EINTR) continue;
    if (len < 0) {
      ck_error_set(&self->failure, CK_E_IO, "cannot write %s: %s", self->path,
                   ck_errno_text(errno));
      return;
    }
    bytes.data += len;
    bytes.len -= (size_t)len;
  }
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

static ck_status make_path(char **out, const ck_spill_location *place, const ck_effect *effect,
                           const char *name, ck_error *err) {
  char *begin;
  *out = NULL;
  ck_status status = ck_spill_name(&begin, place->session, effect->key, err);
  if (status != CK_OK) return status;
  if (asprintf(out, "%s/%s%u.%s", place->directory, begin, effect->attempt, name) < 0) {
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
  ck_status status =
      ck_sealed_text_new(&self->seal, &self->sealed, key, strrchr(self->path, '/') + 1, err);
  explicit_bzero(key, sizeof key);
  return status;
}

static ck_status open_file(ck_spill *self, const char *directory, ck_error *err) {
  if (mkdir(directory, 0700) != 0 && errno != EEXIST)
    return ck_error_set(err, CK_E_IO, "cannot make the folder %s: %s", directory,
                        ck_errno_text(errno));
  unlink(self->path);
  self->fd = open(self->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (self->fd >= 0) return ck_own_file_note(self->path, err);
  return ck_error_set(err, CK_E_IO, "cannot make %s: %s", self->path, ck_errno_text(errno));
}

static void free_spill(ck_spill *self) {
  if (self->fd >= 0) close(self->fd);
  ck_buffer_clear(&self->window);
  ck_buffer_clear(&self->sealed);
  ck_sealed_text_free(self->seal);
  free(self->path);
  free(self);
}

ck_status ck_spill_open(ck_spill **out, const ck_spill_location *place, const ck_effect *effect,
                        const char *name, ck_error *err) {
  *out = NULL;
  ck_spill *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->fd = -1;
  self->redactor = place->redactor;
  ck_status status = make_path(&self->path, place, effect, name, err);
  if (status == CK_OK) status = begin_seal(self, place->key, err);
  if (status == CK_OK) status = open_file(self, place->directory, err);
  if (status == CK_OK)
    *out = self;
  else
    free_spill(self);
  return status;
}

void ck_spill_drop(ck_spill *self) {
  if (!self) return;
  unlink(self->path);
  free_spill(self);
}

ck_status ck_spill_close(char **path, ck_spill *self, ck_error *err) {
  *path = NULL;
  write_window(self, self->window.len);
  if (self->seal) write_masked(self, (ck_bytes){NULL, 0}, true);
  int fd = self->fd;
  self->fd = -1;
  if (close(fd) != 0 && self->failure.status == CK_OK)
    ck_error_set(&self->failure, CK_E_IO, "cannot write %s: %s", self->path, ck_errno_text(errno));
  ck_status status = self->failure.status;
  if (status != CK_OK) {
    ck_error_set(err, status, "%s", self->failure.text);
    ck_spill_drop(self);
    return status;
  }
  *path = self->path;
  self->path = NULL;
  free_spill(self);
  return CK_OK;
}

/* Session "s" must not match the files of a session "s-1". */
bool ck_spill_belongs(const char *file, const char *session) {
  size_t len = strlen(session);
  if (strncmp(file, session, len) != 0 || file[len] != '-') return false;
  const char *key = file + len + 1;
  return strspn(key, "0123456789abcdef") == KEY_HEX && key[KEY_HEX] == '-' &&
         strspn(key + KEY_HEX + 1, "0123456789") > 0 && strchr(key + KEY_HEX + 1, '-') == NULL;
}

static ck_status visit_file(int folder, const char *name, ck_spill_visit visit, void *to,
                            ck_error *err) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode))
    return CK_OK;
  if (!visit(to, name, found.st_size) || unlinkat(folder, name, 0) == 0 || errno == ENOENT)
    return CK_OK;
  return ck_error_set(err, CK_E_IO, "cannot remove %s: %s", name, ck_errno_text(errno));
}

ck_status ck_spill_sweep(const char *directory, const char *session, ck_spill_visit visit, void *to,
                         ck_error *err) {
  DIR *list = opendir(directory);
  if (!list)
    return errno == ENOENT ? CK_OK
                           : ck_error_set(err, CK_E_IO, "cannot read the folder %s: %s", directory,
                                          ck_errno_text(errno));
  ck_status first = CK_OK;
  for (struct dirent *entry; (entry = readdir(list));) {
    if (session && !ck_spill_belongs(entry->d_name, session)) continue;
    ck_status status =
        visit_file(dirfd(list), entry->d_name, visit, to, first == CK_OK ? err : NULL);
    if (first == CK_OK) first = status;
  }
  closedir(list);
  if (first != CK_OK) ck_error_prefix(err, "%s", directory);
  return first;
}
