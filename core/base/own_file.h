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
  CK_OWN_SOURCE, /* a flow, a profile, a policy */
  CK_OWN_LOCK,   /* of a session */
  CK_OWN_TAPE    /* a recording, which was read as a whole: this process may replace it */
} ck_own_kind;

/* `path` is copied, and need not exist; a store's is absolute and without links, others are
 * resolved. As many removes as adds forget it.
 *
 * What is at the path is remembered by its identity, now and whenever the list is asked, and stays
 * an own file when it is renamed or replaced there; so is all that lies beside a store under its
 * name. (Where the file system does not say when a file was born, another one that is given its
 * inode is refused too.) Nothing is opened but the folders beside a store, when they have
 * changed. */
CK_CHECKED ck_status ck_own_file_add(ck_own_kind kind, const char *path, ck_error *err);
void ck_own_file_remove(ck_own_kind kind, const char *path);

/* Remembers what is at `path` now as a file of the store that it lies beside, if it lies beside
 * one: whoever makes such a file calls this before somebody else can rename it. */
CK_CHECKED ck_status ck_own_file_note(const char *path, ck_error *err);

/* Remembers what is at the paths by now: files that were created since. */
CK_CHECKED ck_status ck_own_file_look(ck_error *err);

/* Before this process opens a file that somebody named: CK_E_REFUSED when it is, under whatever
 * name, a file of a store that is open here. Opens nothing. */
CK_CHECKED ck_status ck_own_file_check(const char *path, ck_error *err);
/* Before it makes or replaces one: CK_E_REFUSED when it is any own file but a recording, or lies in
 * a store's folders. */
CK_CHECKED ck_status ck_own_file_check_written(const char *path, ck_error *err);

/* What an own file is, for people: "a file of the store"; NULL: it is none. `real` is an absolute
 * path without links; `found` is its stat, NULL when it does not exist. A store has everything
 * beside it whose name begins with its own, under whatever other name. */
const char *ck_own_file_find(const char *real, const struct stat *found);

#endif
