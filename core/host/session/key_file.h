/* key_file.h - a new file of a key, that its owner alone can read. */
#ifndef CK_HOST_SESSION_KEY_FILE_H
#define CK_HOST_SESSION_KEY_FILE_H

#include "core/base/buffer.h"

/* Whole and synced, or not at all. CK_E_EXISTS: there is one already, which is not touched. */
CK_CHECKED ck_status ck_key_file_write(const char *path, ck_bytes text, ck_error *err);

#endif
