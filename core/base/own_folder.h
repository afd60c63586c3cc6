/* own_folder.h - what lies in a folder under names that begin with a prefix, and in the folders
 * among that, at any depth: remembered by identity, whatever it is called or wherever it is moved
 * later.
 *
 * Folders are read again when they have changed; no file is opened, and no link followed. */
#ifndef CK_BASE_OWN_FOLDER_H
#define CK_BASE_OWN_FOLDER_H

#include "core/base/file_identity.h"

enum { CK_OWN_FOLDER_DEPTH_MAX = 16 };

typedef struct ck_own_subfolder ck_own_subfolder;

/* Zero-initialise. */
typedef struct ck_own_folder {
  ck_own_subfolder *folders; /* the folder itself first */
  ck_identity_set seen;
} ck_own_folder;

void ck_own_folder_clear(ck_own_folder *self);
/* Remembers what `path`, an absolute path up to and with the prefix, names by now. A folder that
 * cannot be read is passed over. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_own_folder_look(ck_own_folder *self, const char *path, ck_error *err);

#endif
