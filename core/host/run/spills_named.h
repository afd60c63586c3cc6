/* spills_named.h - which files of long outputs the recorded outcomes of a session name. */
#ifndef CK_HOST_RUN_SPILLS_NAMED_H
#define CK_HOST_RUN_SPILLS_NAMED_H

#include "core/base/shelf.h"
#include "core/store/store.h"

typedef struct ck_spills_unnamed {
  char **names;
  size_t count, cap;
  bool failed; /* for lack of memory */
} ck_spills_unnamed;
void ck_spills_unnamed_clear(ck_spills_unnamed *self);

/* Finds the long outputs of a session; calls `named` (NULL: nothing) with each that an outcome
 * names, once; *out: those that none names, for the caller to clear, whatever is returned. */
typedef void (*ck_spills_visit_named)(void *to, const char *name);
CK_CHECKED ck_status ck_spills_find_named(ck_spills_unnamed *out, const ck_shelf *shelf,
                                          ck_store *store, const ck_session_record *session,
                                          ck_spills_visit_named named, void *to, ck_error *err);

#endif
