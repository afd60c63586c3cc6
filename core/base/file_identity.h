/* file_identity.h - which file it is, whatever its name: device, inode and time of birth; and sets
 * of them. */
#ifndef CK_BASE_FILE_IDENTITY_H
#define CK_BASE_FILE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

typedef struct ck_file_identity {
  uint64_t device, inode;
  int64_t born_ns; /* a file system gives an inode to another file later; 0: it does not say when */
  bool is_folder;
  int64_t size; /* bytes, when it was read; no part of who it is */
} ck_file_identity;

/* Of the file itself, should it be a link. Opens nothing, and does not ask for its times: a file
 * that was asked for them gets a time of its own with its next write, and whatever is written
 * behind it anywhere a later one (Linux from 6.13 on, Documentation/filesystems/multigrain-ts.rst),
 * so that a sync of its data writes its inode, too. False: there is none at `path`, which is
 * relative to `folder` as for openat(2). */
bool ck_file_identity_read(ck_file_identity *out, int folder, const char *path, bool follow);
/* Equal, as far as births are known. */
bool ck_file_identity_equal(const ck_file_identity *a, const ck_file_identity *b);

/* Zero-initialise. Not thread-safe. */
typedef struct ck_identity_set {
  ck_file_identity *slots; /* inode 0: free */
  size_t cap, count;
} ck_identity_set;

void ck_identity_set_clear(ck_identity_set *self);
/* One that has its inode from another in the set takes its place. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_identity_set_add(ck_identity_set *self, const ck_file_identity *one,
                                         ck_error *err);
bool ck_identity_set_has(const ck_identity_set *self, const ck_file_identity *one);

#endif
