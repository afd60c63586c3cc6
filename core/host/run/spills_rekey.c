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

/* Which key it has: the new one, as *is_new says, or *key, where NULL stands for none. */
static ck_status find_key(bool *is_new, const uint8_t **key, const change *self, const char *name) {
  ck_spill_file file = {.folder = self->folder, .name = name, .key = self->to};
  ck_error other = CK_ERROR_INIT;
  bool sealed;
  ck_status status = ck_spill_file_check(&sealed, &file, &other);
  *is_new = status == CK_OK && sealed;
  *key = self->from;
  if (status != CK_OK && status != CK_E_CORRUPT && self->err) *self->err = other;
  return status == CK_E_CORRUPT ? CK_OK : status;
}

static ck_status append(void *to, ck_bytes part, ck_error *err) {
  return ck_spill_draft_append(to, part, err);
}

static ck_status seal(const change *self, const char *name, const char *as, const uint8_t *with) {
  ck_spill_file from = {.folder = self->folder, .name = name, .key = with};
  ck_spill_file to = {.folder = self->folder, .name = name, .key = self->to};
  ck_spill_draft *draft;
  bool sealed;
  ck_status status = ck_spill_draft_open(&draft, &to, as, self->err);
  if (status != CK_OK) return status;
  status = ck_spill_file_walk(&sealed, &from, append, draft, self->err);
  if (status == CK_OK) return ck_spill_draft_end(draft, as, self->err);
  ck_spill_draft_drop(draft);
  return status;
}

static bool write_draft(void *to, const char *name, int64_t bytes) {
  change *self = to;
  char draft[NAME_MAX + 1], ignored[NAME_MAX + 1];
  const uint8_t *key;
  bool is_new;
  (void)bytes;
  if (self->status != CK_OK || name[0] == '.' || read_draft(ignored, name)) return false;
  if (snprintf(draft, sizeof draft, "%s" DRAFT, name) >= (int)sizeof draft) {
    self->status = ck_error_set(self->err, CK_E_RANGE, "%s: the name is too long", name);
    return false;
  }
  self->status = find_key(&is_new, &key, self, name);
  if (self->status == CK_OK && !is_new) self->status = seal(self, name, draft, key);
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
  ck_error ignored = CK_ERROR_INIT;
  bool sealed;
  (void)bytes;
  if (self->status != CK_OK || !read_draft(name, file)) return false;
  ck_spill_file there = {.folder = self->folder, .name = name, .key = self->to};
  ck_status opened = ck_spill_file_check(&sealed, &there, &ignored);
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
