/* backup.h - a copy of a store, made while sessions may run in it: of all of it, or of one session;
 * and the way back. */
#ifndef CK_STORE_BACKUP_H
#define CK_STORE_BACKUP_H

#include "core/store/store.h"

typedef struct ck_backup_report {
  int64_t sessions; /* in the copy */
  int64_t bytes;    /* of the copy's file */
} ck_backup_report;

typedef struct ck_backup_order {
  const char *file;    /* the copy's path */
  const char *session; /* only this one, and those that it was forked from; NULL: all */
  /* Called when the copy is complete, before it has its name, which is `path`: what belongs beside
   * it is made first. A failure is the backup's. NULL: nothing does */
  ck_status (*before)(void *to, const char *path, ck_error *err);
  void *to;
} ck_backup_order;

/* Copies the store, as it is at one moment, into a new store at rest, the given file: everything
 * that was committed before the call, whole commits only. The copy has the same key. It is written
 * under another name, synced, and renamed: the file is absent or whole, whenever this is
 * killed.
 * Neither writers nor readers of the store wait for it. CK_E_EXISTS: the file, or a file that would
 * belong to it, is there. CK_E_OTHER_KEY: the store's key was changed since it was opened.
 * CK_E_UNSUPPORTED: not a store in a file. CK_E_NOT_FOUND: no such folder. CK_E_USAGE: no name of
 * a file; CK_E_FULL, CK_E_IO, CK_E_CORRUPT. */
CK_CHECKED ck_status ck_store_backup(ck_backup_report *out, ck_store *self,
                                     const ck_backup_order *order, ck_error *err);

/* A session that was taken back. */
typedef struct ck_restored {
  char id[CK_ID_SIZE];
  bool made;           /* it was not in the store */
  int64_t checkpoints; /* of one that was: how many that had been pruned can be loaded again */
} ck_restored;
/* A failure is the restore's. */
typedef ck_status (*ck_restored_visit)(void *to, const ck_restored *one, ck_error *err);

/* Takes back what ck_store_backup wrote, the store in the file `path`, which has the same key and
 * was verified by the caller; in one transaction, power-durable. Sessions that are not here are
 * made, with their ids; those that are, and have no forks in the file, get back the payloads of
 * checkpoints that were pruned since, and nothing else of them changes: the caller holds the leases
 * of these. Facts and requests stay in the file. CK_E_EXISTS: another session has the id, or its
 * checkpoints are others; CK_E_OTHER_KEY, CK_E_NEWER, CK_E_CORRUPT, CK_E_FULL, …: nothing was
 * changed. */
CK_CHECKED ck_status ck_store_restore(ck_store *self, const char *path, ck_restored_visit visit,
                                      void *to, ck_error *err);

#endif
