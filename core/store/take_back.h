/* take_back.h - sessions of a file that another store was copied into, taken back row by row into a
 * store that is no file. Private to core/store/. */
#ifndef CK_STORE_TAKE_BACK_H
#define CK_STORE_TAKE_BACK_H

#include "core/store/backup.h"

bool ck_take_back_can(const ck_store *self);
/* As ck_store_restore, under the store's mutex. */
CK_CHECKED ck_status ck_take_back(ck_store *self, const char *path, ck_restored_visit visit,
                                  void *to, ck_error *err);

#endif
