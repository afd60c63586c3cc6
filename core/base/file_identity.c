/* file_identity.c - reads a file's identity by statx(2); sets of them are hash tables. */
#include "core/base/file_identity.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

bool ck_file_identity_read(ck_file_identity *out, int folder, const char *path, bool follow) {
  struct statx found;
  int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
  if (statx(folder, path, flags, STATX_TYPE | STATX_INO | STATX_BTIME | STATX_SIZE, &found) != 0)
    return false;
  bool born = found.stx_mask & STATX_BTIME;
  *out = (ck_file_identity){
      .device = makedev(found.stx_dev_major, found.stx_dev_minor),
      .inode = found.stx_ino,
      .born_ns = born ? found.stx_btime.tv_sec * INT64_C(1000000000) + found.stx_btime.tv_nsec : 0,
      .is_folder = S_ISDIR(found.stx_mode),
      .size = (int64_t)found.stx_size,
  };
  return true;
}

bool ck_file_identity_equal(const ck_file_identity *a, const ck_file_identity *b) {
  return a->inode == b->inode && a->device == b->device &&
         (a->born_ns == b->born_ns || !a->born_ns || !b->born_ns);
}

/* ---- sets ---- */

/* Where one with this inode is, or would be. */
static ck_file_identity *find_slot(const ck_identity_set *self, uint64_t device, uint64_t inode) {
  size_t at = (size_t)((inode ^ device << 32) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
  ck_file_identity *slot = &self->slots[at & (self->cap - 1)];
  while (slot->inode && (slot->inode != inode || slot->device != device)) {
    at++;
    slot = &self->slots[at & (self->cap - 1)];
  }
  return slot;
}

static ck_status grow(ck_identity_set *self, ck_error *err) {
  ck_identity_set larger = {.cap = self->cap ? 2 * self->cap : 16, .count = self->count};
  larger.slots = calloc(larger.cap, sizeof *larger.slots);
  if (!larger.slots) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->cap; i++) {
    const ck_file_identity *one = &self->slots[i];
    if (one->inode) *find_slot(&larger, one->device, one->inode) = *one;
  }
  free(self->slots);
  *self = larger;
  return CK_OK;
}

void ck_identity_set_clear(ck_identity_set *self) {
  free(self->slots);
  *self = (ck_identity_set){0};
}

ck_status ck_identity_set_add(ck_identity_set *self, const ck_file_identity *one, ck_error *err) {
  if (2 * (self->count + 1) > self->cap) {
    ck_status status = grow(self, err);
    if (status != CK_OK) return status;
  }
  ck_file_identity *slot = find_slot(self, one->device, one->inode);
  if (!slot->inode) self->count++;
  *slot = *one;
  return CK_OK;
}

bool ck_identity_set_has(const ck_identity_set *self, const ck_file_identity *one) {
  return self->cap && ck_file_identity_equal(find_slot(self, one->device, one->inode), one);
}
