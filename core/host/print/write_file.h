/* write_file.h - writes an exported file: whole, or not at all. */
#ifndef CK_HOST_PRINT_WRITE_FILE_H
#define CK_HOST_PRINT_WRITE_FILE_H

#include "core/base/buffer.h"

/* Writes `text` beside `path`, syncs it, and renames it: a reader of `path` sees the old content or
 * the new one. The file is readable by its owner only. CK_E_IO names the path and the cause;
 * nothing is left behind then. CK_E_REFUSED: `path` is one that this process works with. */
CK_CHECKED ck_status ck_write_file(const char *path, ck_bytes text, ck_error *err);

#endif
