/* wrapped_vfs.h - an SQLite VFS in front of the system's, whose files pass each call on but those
 * that a test takes. */
#ifndef CK_TESTS_STORE_WRAPPED_VFS_H
#define CK_TESTS_STORE_WRAPPED_VFS_H

#include <sqlite3.h>

/* Makes `vfs`, with this name, the default one. `open` is its xOpen; what else it takes is set in
 * *vfs afterwards. Returns the system's. */
sqlite3_vfs *wrapped_install(sqlite3_vfs *vfs, const char *name,
                             int (*open)(sqlite3_vfs *, sqlite3_filename, sqlite3_file *, int,
                                         int *));
/* For that xOpen: opens the file below. The methods of `taken` that are not NULL are the file's. */
int wrapped_open(const sqlite3_io_methods *taken, int which, sqlite3_filename name,
                 sqlite3_file *file, int flags, int *out);
/* The number that it was opened with. */
int wrapped_which(sqlite3_file *file);
/* Passes a call on: wrapped_methods(file)->xWrite(wrapped_below(file), …). */
sqlite3_file *wrapped_below(sqlite3_file *file);
const sqlite3_io_methods *wrapped_methods(sqlite3_file *file);

#endif
