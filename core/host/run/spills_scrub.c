/* spills_scrub.c - takes secrets out of the files of long outputs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"
#include "core/effect/process/spill.h"
#include "core/host/run/spills.h"

/* What is written before it takes a file's place; one that a kill left is removed. */
#define DRAFT ".scrub"

typedef struct scrub {
  const char *folder;
  const ck_spills_scrub_order *order;
  int64_t changed;
  ck_error *err;
  ck_status status;
} scrub;

static bool is_draft(const char *name) {
  size_t len = strlen(name), end = sizeof DRAFT - 1;
  return len > end && strcmp(name + len - end, DRAFT) == 0;
}

static ck_status failed(ck_error *err, const char *doing, const char *path) {
  int cause = errno;
  return ck_error_set(err, cause == ENOSPC || cause == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot %s %s: %s", doing, path, ck_errno_text(cause));
}

static ck_status read_all(ck_buffer *out, const char *path, int64_t size, ck_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return failed(err, "read", path);
  char *to = ck_buffer_extend(out, (size_t)size);
  size_t len = 0;
  ssize_t more = 1;
  while (to && len < (size_t)size && more > 0) {
    more = read(fd, to + len, (size_t)size - len);
    if (more > 0) len += (size_t)more;
    if (more < 0 && errno == EINTR) more = 1;
  }
  ck_status status = !to ? ck_error_no_memory(err) : more < 0 ? failed(err, "read", path) : CK_OK;
  out->len = to ? len : 0;
  close(fd);
  return status;
}

static ck_status write_all(int fd, ck_bytes bytes, const char *path, ck_error *err) {
  while (bytes.len > 0) {
    ssize_t len = write(fd, bytes.data, bytes.len);
    if (len < 0 && errno != EINTR) return failed(err, "write", path);
    if (len < 0) continue;
    bytes.data += len;
    bytes.len -= (size_t)len;
  }
  return fsync(fd) == 0 ? CK_OK : failed(err, "sync", path);
}

static ck_status sync_folder(const char *folder, ck_error *err) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ck_status status = fd >= 0 && fsync(fd) == 0 ? CK_OK : failed(err, "sync", folder);
  if (fd >= 0) close(fd);
  return status;
}

static ck_status replace(const scrub *self, const char *path, ck_bytes text, ck_error *err) {
  char *draft;
  if (asprintf(&draft, "%s" DRAFT, path) < 0) return ck_error_no_memory(err);
  unlink(draft);
  int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  ck_status status = fd >= 0 ? ck_own_file_note(draft, err) : failed(err, "make", draft);
  if (status == CK_OK) status = write_all(fd, text, draft, err);
  if (fd >= 0) close(fd);
  if (status == CK_OK && rename(draft, path) != 0) status = failed(err, "replace", path);
  if (status != CK_OK) unlink(draft);
  free(draft);
  return status == CK_OK ? sync_folder(self->folder, err) : status;
}

static ck_status scrub_text(scrub *self, const char *path, ck_bytes text) {
  const ck_spills_scrub_order *order = self->order;
  ck_buffer kept = {0};
  if (order->expression)
    return ck_expression_learn(order->expression, order->redactor, text, self->err);
  ck_status status = ck_redactor_apply_text(&kept, order->redactor, CK_SINK_EVENT, text, self->err);
  bool changed = status == CK_OK && !ck_bytes_equal(ck_buffer_bytes(&kept), text);
  self->changed += changed;
  if (changed && !order->dry_run) status = replace(self, path, ck_buffer_bytes(&kept), self->err);
  ck_buffer_clear(&kept);
  return status;
}

static bool visit(void *to, const char *name, int64_t bytes) {
  scrub *self = to;
  ck_buffer text = {0};
  char *path = NULL;
  if (self->status != CK_OK) return false;
  if (is_draft(name)) return !self->order->dry_run && !self->order->expression;
  if (asprintf(&path, "%s/%s", self->folder, name) < 0) {
    self->status = ck_error_no_memory(self->err);
    return false;
  }
  self->status = read_all(&text, path, bytes, self->err);
  if (self->status == CK_OK) self->status = scrub_text(self, path, ck_buffer_bytes(&text));
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  free(path);
  return false;
}

ck_status ck_spills_scrub(int64_t *changed, const char *folder, const char *session,
                          const ck_spills_scrub_order *order, ck_error *err) {
  scrub self = {.folder = folder, .order = order, .err = err};
  *changed = 0;
  if (!folder) return CK_OK;
  ck_status status = ck_spill_sweep(folder, session, visit, &self, err);
  *changed = self.changed;
  return self.status != CK_OK ? self.status : status;
}
