/* spill_file.c - opens what is sealed, and writes beside before it replaces. */
#include "core/host/run/spill_file.h"

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
#include "core/effect/process/spill.h"

static ck_status failed(ck_error *err, const char *doing, const char *path) {
  int cause = errno;
  return ck_error_set(err, cause == ENOSPC || cause == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot %s %s: %s", doing, path, ck_errno_text(cause));
}

static ck_status make_path(char **out, const char *folder, const char *name, ck_error *err) {
  if (asprintf(out, "%s/%s", folder, name) >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

/* ---- reading ---- */

enum { PART = CK_SEALED_TEXT_PIECE, ROOM = PART + 64 };

typedef struct walk {
  const ck_spill_file *file;
  const char *path;
  int fd;
  char *room; /* of ROOM bytes */
  ck_spill_file_visit visit;
  void *to;
} walk;

/* As many as there are, up to `len`; *got. */
static ck_status take(size_t *got, const walk *self, size_t len, ck_error *err) {
  *got = 0;
  while (*got < len) {
    ssize_t more = read(self->fd, self->room + *got, len - *got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return failed(err, "read", self->path);
    if (more == 0) break;
    *got += (size_t)more;
  }
  return CK_OK;
}

static ck_status walk_plain(const walk *self, size_t got, ck_error *err) {
  ck_status status = CK_OK;
  while (status == CK_OK && got > 0) {
    status = self->visit(self->to, (ck_bytes){self->room, got}, err);
    if (status == CK_OK) status = take(&got, self, PART, err);
  }
  return status;
}

/* *got: of the next piece; 0: it is not one that was written. */
static ck_status take_piece(size_t *got, const walk *self, ck_error *err) {
  ck_status status = take(got, self, CK_SEALED_TEXT_LENGTH, err);
  if (status != CK_OK) return status;
  size_t len = *got == CK_SEALED_TEXT_LENGTH ? ck_sealed_text_next(self->room) : 0;
  status = take(got, self, len, err);
  if (*got != len) *got = 0;
  return status;
}

static ck_status walk_pieces(bool *whole, const walk *self, ck_sealed_text *seal, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  bool last = false;
  size_t got = 1;
  while (status == CK_OK && !last) {
    ck_buffer_reset(&text);
    status = take_piece(&got, self, err);
    if (status != CK_OK || !got ||
        !ck_sealed_text_take(&text, &last, seal, (ck_bytes){self->room, got}))
      break;
    if (text.len) status = self->visit(self->to, ck_buffer_bytes(&text), err);
  }
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK && last) status = take(&got, self, 1, err);
  *whole = last && got == 0;
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  return status;
}

static ck_status walk_sealed(const walk *self, ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  ck_sealed_text *seal;
  bool whole = false;
  const ck_spill_file *file = self->file;
  if (!file->key)
    return ck_error_set(err, CK_E_CORRUPT,
                        "%s/%s is sealed, and lies beside a store without a key: it is of another "
                        "store",
                        file->folder, file->name);
  ck_spill_derive_key(key, file->key);
  bool is =
      ck_sealed_text_begin(&seal, key, file->name, (ck_bytes){self->room, CK_SEALED_TEXT_HEAD});
  explicit_bzero(key, sizeof key);
  if (is && !seal) return ck_error_no_memory(err);
  ck_status status = is ? walk_pieces(&whole, self, seal, err) : CK_OK;
  ck_sealed_text_free(seal);
  if (status != CK_OK || whole) return status;
  status = ck_sealed_text_refuse(file->name, err);
  ck_error_prefix(err, "%s", file->folder);
  return status;
}

static ck_status walk_open(bool *sealed, const walk *self, ck_error *err) {
  size_t got;
  ck_status status = take(&got, self, CK_SEALED_TEXT_HEAD, err);
  if (status != CK_OK) return status;
  *sealed = ck_sealed_text_is((ck_bytes){self->room, got});
  if (*sealed && got == CK_SEALED_TEXT_HEAD) return walk_sealed(self, err);
  if (*sealed) return ck_sealed_text_refuse(self->path, err);
  return walk_plain(self, got, err);
}

ck_status ck_spill_file_walk(bool *sealed, const ck_spill_file *file, ck_spill_file_visit visit,
                             void *to, ck_error *err) {
  char *path;
  *sealed = false;
  ck_status status = make_path(&path, file->folder, file->name, err);
  if (status != CK_OK) return status;
  walk self = {.file = file, .path = path, .visit = visit, .to = to, .room = malloc(ROOM)};
  self.fd = self.room ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (!self.room)
    status = ck_error_no_memory(err);
  else
    status = self.fd < 0 ? failed(err, "read", path) : walk_open(sealed, &self, err);
  if (self.fd >= 0) close(self.fd);
  if (self.room) explicit_bzero(self.room, ROOM);
  free(self.room);
  free(path);
  return status;
}

static ck_status pass(void *to, ck_bytes part, ck_error *err) {
  (void)to;
  (void)part;
  (void)err;
  return CK_OK;
}

ck_status ck_spill_file_check(bool *sealed, const ck_spill_file *self, ck_error *err) {
  return ck_spill_file_walk(sealed, self, pass, NULL, err);
}

static ck_status append(void *to, ck_bytes part, ck_error *err) {
  ck_buffer *out = to;
  ck_buffer_append_bytes(out, part);
  return ck_buffer_check(out, err);
}

ck_status ck_spill_file_read(ck_buffer *out, bool *sealed, const ck_spill_file *self,
                             ck_error *err) {
  return ck_spill_file_walk(sealed, self, append, out, err);
}

/* ---- writing ---- */

struct ck_spill_draft {
  const ck_spill_file *file; /* borrowed */
  char *path;
  int fd;
  ck_sealed_text *seal; /* NULL: it is not sealed */
  ck_buffer space;
};

static ck_status write_all(int fd, ck_bytes bytes, const char *path, ck_error *err) {
  while (bytes.len > 0) {
    ssize_t len = write(fd, bytes.data, bytes.len);
    if (len < 0 && errno != EINTR) return failed(err, "write", path);
    if (len < 0) continue;
    bytes.data += len;
    bytes.len -= (size_t)len;
  }
  return CK_OK;
}

ck_status ck_spill_file_sync_folder(const char *folder, ck_error *err) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ck_status status = fd >= 0 && fsync(fd) == 0 ? CK_OK : failed(err, "sync", folder);
  if (fd >= 0) close(fd);
  return status;
}

static void free_draft(ck_spill_draft *self) {
  if (self->fd >= 0) close(self->fd);
  ck_sealed_text_free(self->seal);
  ck_buffer_clear(&self->space);
  free(self->path);
  free(self);
}

void ck_spill_draft_drop(ck_spill_draft *self) {
  if (!self) return;
  if (self->fd >= 0) unlink(self->path);
  free_draft(self);
}

static ck_status begin_seal(ck_spill_draft *self, ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  if (!self->file->key) return CK_OK;
  ck_spill_derive_key(key, self->file->key);
  ck_status status = ck_sealed_text_new(&self->seal, &self->space, key, self->file->name, err);
  explicit_bzero(key, sizeof key);
  return status;
}

static ck_status open_draft(ck_spill_draft *self, ck_error *err) {
  unlink(self->path);
  self->fd = open(self->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return self->fd >= 0 ? ck_own_file_note(self->path, err) : failed(err, "make", self->path);
}

ck_status ck_spill_draft_open(ck_spill_draft **out, const ck_spill_file *file, const char *draft,
                              ck_error *err) {
  *out = NULL;
  ck_spill_draft *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->file = file;
  self->fd = -1;
  ck_status status = make_path(&self->path, file->folder, draft, err);
  if (status == CK_OK) status = begin_seal(self, err);
  if (status == CK_OK) status = open_draft(self, err);
  if (status == CK_OK)
    *out = self;
  else
    ck_spill_draft_drop(self);
  return status;
}

static ck_status put(ck_spill_draft *self, ck_bytes part, bool last, ck_error *err) {
  if (!self->seal) return write_all(self->fd, part, self->path, err);
  ck_status status = ck_sealed_text_append(&self->space, self->seal, part, last, err);
  if (status == CK_OK) status = write_all(self->fd, ck_buffer_bytes(&self->space), self->path, err);
  ck_buffer_reset(&self->space);
  return status;
}

ck_status ck_spill_draft_append(ck_spill_draft *self, ck_bytes part, ck_error *err) {
  return put(self, part, false, err);
}

ck_status ck_spill_draft_end(ck_spill_draft *self, const char *as, ck_error *err) {
  char *path;
  const char *folder = self->file->folder;
  ck_status status = make_path(&path, folder, as, err);
  if (status == CK_OK) status = put(self, (ck_bytes){NULL, 0}, true, err);
  if (status == CK_OK && fsync(self->fd) != 0) status = failed(err, "sync", self->path);
  if (status == CK_OK && rename(self->path, path) != 0) status = failed(err, "replace", path);
  if (status == CK_OK)
    free_draft(self);
  else
    ck_spill_draft_drop(self);
  free(path);
  return status == CK_OK ? ck_spill_file_sync_folder(folder, err) : status;
}
