/* counters.h - the counters of a folder (rollback.h), and whose they are. */
#ifndef CK_STORE_COUNTERS_H
#define CK_STORE_COUNTERS_H

#include "core/base/error.h"

/* `path`: of the counter; `store`: of the store's file, as it was when it was written. */
typedef void (*ck_counter_visit)(void *to, const char *path, const char *store);
/* Visits those whose store is not there. A folder that is not there has none; other files in it are
 * none. CK_E_IO, CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_counters_list_orphans(const char *folder, ck_counter_visit visit, void *to,
                                              ck_error *err);

#endif
