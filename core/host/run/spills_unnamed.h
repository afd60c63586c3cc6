/* spills_unnamed.h - which files of long outputs no recorded outcome of a session names. */
#ifndef CK_HOST_RUN_SPILLS_UNNAMED_H
#define CK_HOST_RUN_SPILLS_UNNAMED_H

#include "core/base/shelf.h"
#include "core/store/store.h"

typedef struct ck_spills_unnamed {
  char **names;
  size_t count, cap;
  bool failed; /* for lack of memory */
} ck_spills_unnamed;
void ck_spills_unnamed_clear(ck_spills_unnamed *self);

/* Finds the long outputs of a session that no outcome names; *out is for the caller to clear,
 * whatever is returned. */
CK_CHECKED ck_status ck_spills_find_unnamed(ck_spills_unnamed *out, const ck_shelf *shelf,
                                            ck_store *store, const ck_session_record *session,
                                            ck_error *err);

#endif
