/* archive.h - a session is kept in a file of its own, such as before something of it is removed,
 * and taken back from it.
 *
 * The file is a store at rest (core/store/backup.h) that holds this session as it was, and those
 * that it was forked from: the same rows, sealed as they are, under the same key; its long outputs
 * are in FILE.spill. So every command reads it where it is, with --store FILE. */
#ifndef CK_HOST_RUN_ARCHIVE_H
#define CK_HOST_RUN_ARCHIVE_H

#include "core/host/cli/command.h"
#include "core/host/session/store_location.h"

/* What is to be written, and what was. */
typedef struct ck_archive {
  const char *option; /* that names the file, for messages */
  const char *file;   /* NULL: nothing is kept */
  const char *path;   /* of it, borrowed from `file`, which may be a URL */
  int64_t bytes;      /* of the file; 0: it was not written */
} ck_archive;
/* Before anything is opened. CK_E_USAGE: it names no file. */
CK_CHECKED ck_status ck_archive_check(ck_archive *self, const char *option, const char *file,
                                      ck_error *err);
/* With the store open. CK_E_REFUSED: a file of the store's. */
CK_CHECKED ck_status ck_archive_check_place(const ck_archive *self, ck_error *err);
/* Writes the file, whole and synced. CK_E_EXISTS: it is there; CK_E_NOT_FOUND: its folder is not;
 * CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_archive_write(ck_archive *self, ck_store *store, const char *session,
                                      ck_error *err);
/* In front of its failure, where something was to be removed then. */
#define CK_ARCHIVE_FAILED "nothing was removed, as --archive cannot be written"
/* The long outputs of a session (NULL: of all) of the store at `url` beside the new store in the
 * file `path`. `store` as for ck_spills_open. */
CK_CHECKED ck_status ck_archive_copy_spills(const char *url, ck_store *store, const char *session,
                                            const char *path, ck_error *err);

/* Whether the file begins as a store does. */
bool ck_archive_is(const char *path);
/* Takes back what is in the file, and prints what that was: all or nothing of it. The whole file is
 * verified first. */
CK_CHECKED ck_status ck_archive_import(ck_host *host, const char *path, ck_error *err);

#endif
