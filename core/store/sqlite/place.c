/* place.c - whether the files that the writer has open are still what their paths name. A commit
 * into a file that was removed, renamed or replaced is one that nobody finds. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

static ck_place find(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return (ck_place){0, 0};
  return (ck_place){found.st_dev, found.st_ino};
}

static const char *path_of(const ck_sqlite *self, int which) {
  return which == CK_PLACE_LOG ? self->wal_path : self->path;
}

void ck_place_note(ck_sqlite *self) {
  for (int i = 0; i < CK_PLACES; i++) self->places[i] = find(path_of(self, i));
}

ck_status ck_place_check(const ck_sqlite *self, ck_error *err) {
  for (int i = 0; i < CK_PLACES; i++) {
    const ck_place *was = &self->places[i];
    ck_place is = find(path_of(self, i));
    if (was->inode == 0 || (is.device == was->device && is.inode == was->inode)) continue;
    return ck_error_set(
        err, CK_E_IO,
        "store %s: %s was %s while the store was open: nothing more is written; put "
        "the same file back",
        self->path, path_of(self, i),
        is.inode == 0 ? "removed or renamed" : "replaced by another file");
  }
  return CK_OK;
}
