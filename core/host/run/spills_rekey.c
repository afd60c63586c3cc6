/* spills_rekey.c - seals files of long outputs with the store's next key, in two steps.
 *
 * Before the store's rows change, each file is written anew under another name; when they have
 * changed, that takes the file's place. Killed in between, the files of the key that the store has
 * are there, and the same command goes on. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spill_file.h"
#include "core/host/run/spills.h"

#define DRAFT ".rekey"

typedef struct change {
  const ck_shelf *shelf;
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
  ck_spill_file file = {.shelf = self->shelf, .name = name, .key = self->to};
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
  ck_spill_file from = {.shelf = self->shelf, .name = name, .key = with};
  ck_spill_file to = {.shelf = self->shelf, .name = name, .key = self->to};
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

ck_status ck_spills_begin_rekey(const ck_shelf *shelf, const uint8_t *from, const uint8_t *to,
                                ck_error *err) {
  change self = {.shelf = shelf, .from = from, .to = to, .err = err};
  ck_status status = ck_spill_sweep(shelf, NULL, write_draft, &self, err);
  return self.status != CK_OK ? self.status : status;
}

/* One of an earlier change that was given up, or of a file that an effect has made anew, goes. */
static bool take_place(void *to, const char *file, int64_t bytes) {
  change *self = to;
  char name[NAME_MAX + 1];
  ck_error ignored = CK_ERROR_INIT;
  bool sealed;
  (void)bytes;
  if (self->status != CK_OK || !read_draft(name, file)) return false;
  ck_spill_file there = {.shelf = self->shelf, .name = name, .key = self->to};
  ck_status opened = ck_spill_file_check(&sealed, &there, &ignored);
  if ((opened == CK_OK && sealed) || opened == CK_E_IO || opened == CK_E_NOT_FOUND) return true;
  self->status = ck_shelf_move(self->shelf, file, name, self->err);
  return false;
}

ck_status ck_spills_end_rekey(const ck_shelf *shelf, const uint8_t *to, ck_error *err) {
  change self = {.shelf = shelf, .to = to, .err = err};
  ck_status status = ck_spill_sweep(shelf, NULL, take_place, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK) status = ck_shelf_sync(shelf, err);
  return status;
}
