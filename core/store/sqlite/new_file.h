/* new_file.h - a new store in a file, which is absent or whole, whenever this is killed. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_NEW_FILE_H
#define CK_STORE_SQLITE_NEW_FILE_H

#include "core/store/sqlite/sqlite.h"

typedef struct ck_new_file {
  const char *path; /* of the store, as ck_sqlite_resolve gives it */
  /* Fills the empty file, which then is a store at rest, synced. */
  ck_status (*write)(void *self, char *draft, ck_error *err);
  void *self;
  /* As in ck_backup_order. */
  ck_status (*before)(void *to, const char *path, ck_error *err);
  void *to;
} ck_new_file;
/* Under another name, which is replaced at the end; a failure leaves nothing. CK_E_EXISTS: the
 * file, or one that would belong to it, is there. */
CK_CHECKED ck_status ck_new_file_make(const ck_new_file *self, ck_error *err);

#endif
