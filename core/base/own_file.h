/* own_file.h - the files that this process works with, kept from those for whom it opens others.
 *
 * A file of an open store must not be opened beside SQLite: whichever descriptor of it is closed
 * first drops all of the process's POSIX locks on it. And an agent that may write files gets none
 * that decides what this process does. Each part registers its files where it opens them. The list
 * belongs to the process, as POSIX locks do; any thread may use it. */
#ifndef CK_BASE_OWN_FILE_H
#define CK_BASE_OWN_FILE_H

#include <sys/stat.h>

#include "core/base/error.h"

typedef enum {
  CK_OWN_STORE,  /* with -wal, -shm, -journal, .lock and whatever begins with its name */
  CK_OWN_SECRET, /* a key, or a file that holds a secret */
  CK_OWN_SOURCE, /* a flow, a profile, a policy, a recording */
  CK_OWN_LOCK    /* of a session */
} ck_own_kind;

/* `path` is copied, and need not exist; a store's is absolute and without links, others are
 * resolved. As many removes as adds forget it.
 *
 * What is at the path is remembered by device and inode, now and whenever the list is asked, and
 * stays an own file when it is renamed or replaced there. (An inode that the file system gives to
 * another file meanwhile is refused too.) Nothing is opened. */
CK_CHECKED ck_status ck_own_file_add(ck_own_kind kind, const char *path, ck_error *err);
void ck_own_file_remove(ck_own_kind kind, const char *path);

/* Remembers what is at the paths by now: files that were created since. */
CK_CHECKED ck_status ck_own_file_look(ck_error *err);

/* Before this process opens or replaces a file that somebody named: CK_E_REFUSED when it is, under
 * whatever name, a file of a store that is open here. Opens nothing. */
CK_CHECKED ck_status ck_own_file_check(const char *path, ck_error *err);

/* What an own file is, for people: "a file of the store"; NULL: it is none. `real` is an absolute
 * path without links; `found` is its stat, NULL when it does not exist. A store has everything
 * beside it whose name begins with its own, under whatever other name. */
const char *ck_own_file_find(const char *real, const struct stat *found);

#endif
