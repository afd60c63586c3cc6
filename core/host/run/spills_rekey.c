/* spills_rekey.c - seals files of long outputs with the store's next key, in two steps.
 *
 * Before the store's rows change, each file is written anew under another name; when they have
 * changed, that takes the file's place. Killed in between, the files of the key that the store has
 * are there, and the same command goes on. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/shortage.h"
#include "core/effect/process/spill.h"
#include "core/host/run/spill_file.h"
#include "core/host/run/spills.h"

#define DRAFT ".rekey"

typedef struct change {
  const char *folder;
  const uint8_t *from, *to;
  ck_error *err;
  ck_status status;
} change;

/* "NAME.rekey": the file's name in the caller's `name`; false: it is none. */
static bool read_draft(char name[NAME_MAX + 1], const char *file) {
  size_t len = strlen(file), end = sizeof DRAFT - 1;
  if (len <= end || len > NAME_MAX || strcmp(file + len - end, DRAFT) != 0) return false;
  memcpy(name, file, len - end);
  name[len - end] = '\0';
  return true;
}

/* Opened with either key, or not sealed yet. */
static ck_status read_either(ck_buffer *out, bool *is_new, const change *self, const char *name) {
  ck_spill_file file = {.folder = self->folder, .name = name, .key = self->to};
  ck_error other = CK_ERROR_INIT;
  bool sealed;
  ck_status status = ck_spill_file_read(out, &sealed, &file, &other);
  *is_new = status == CK_OK && sealed;
  if (status != CK_E_CORRUPT) {
    if (status != CK_OK && self->err) *self->err = other;
    return status;
  }
  file.key = self->from;
  return ck_spill_file_read(out, &sealed, &file, self->err);
}

static bool write_draft(void *to, const char *name, int64_t bytes) {
  change *self = to;
  char draft[NAME_MAX + 1], ignored[NAME_MAX + 1];
  ck_spill_file file = {.folder = self->folder, .name = name, .key = self->to};
  ck_buffer text = {0};
  bool is_new;
  (void)bytes;
  if (self->status != CK_OK || name[0] == '.' || read_draft(ignored, name)) return false;
  if (snprintf(draft, sizeof draft, "%s" DRAFT, name) >= (int)sizeof draft) {
    self->status = ck_error_set(self->err, CK_E_RANGE, "%s: the name is too long", name);
    return false;
  }
  self->status = read_either(&text, &is_new, self, name);
  if (self->status == CK_OK && !is_new)
    self->status = ck_spill_file_put(&file, draft, draft, ck_buffer_bytes(&text), self->err);
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  return false;
}

ck_status ck_spills_begin_rekey(const char *folder, const uint8_t *from, const uint8_t *to,
                                ck_error *err) {
  change self = {.folder = folder, .from = from, .to = to, .err = err};
  if (!folder) return CK_OK;
  ck_status status = ck_spill_sweep(folder, NULL, write_draft, &self, err);
  return self.status != CK_OK ? self.status : status;
}

/* One of an earlier change that was given up, or of a file that an effect has made anew, goes. */
static bool take_place(void *to, const char *file, int64_t bytes) {
  change *self = to;
  char name[NAME_MAX + 1], *path = NULL, *place = NULL;
  ck_buffer text = {0};
  ck_error ignored = CK_ERROR_INIT;
  bool sealed;
  (void)bytes;
  if (self->status != CK_OK || !read_draft(name, file)) return false;
  ck_spill_file there = {.folder = self->folder, .name = name, .key = self->to};
  ck_status opened = ck_spill_file_read(&text, &sealed, &there, &ignored);
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  if ((opened == CK_OK && sealed) || opened == CK_E_IO) return true;
  if (asprintf(&path, "%s/%s", self->folder, file) < 0 ||
      asprintf(&place, "%s/%s", self->folder, name) < 0)
    self->status = ck_error_no_memory(self->err);
  else if (rename(path, place) != 0)
    self->status =
        ck_error_set(self->err, CK_E_IO, "cannot replace %s: %s", place, ck_errno_text(errno));
  free(path);
  free(place);
  return false;
}

ck_status ck_spills_end_rekey(const char *folder, const uint8_t *to, ck_error *err) {
  change self = {.folder = folder, .to = to, .err = err};
  if (!folder) return CK_OK;
  ck_status status = ck_spill_sweep(folder, NULL, take_place, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && access(folder, F_OK) == 0) status = ck_spill_file_sync_folder(folder, err);
  return status;
}
