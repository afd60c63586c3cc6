/* session_ids.h - the sessions that a command is about: those that were named, or all of the
 * store. */
#ifndef CK_HOST_INSPECT_SESSION_IDS_H
#define CK_HOST_INSPECT_SESSION_IDS_H

#include "core/host/inspect/inspect.h"

/* Zero-initialise. */
typedef struct ck_session_ids {
  char (*list)[CK_ID_SIZE];
  size_t count, cap;
} ck_session_ids;
/* `given` as ck_resolve_session takes them, in their order; none: all, oldest first.
 * CK_E_NOT_FOUND: one is not there, or the store has none at all. */
CK_CHECKED ck_status ck_session_ids_find(ck_session_ids *out, const ck_inspection *of,
                                         const ck_words *given, ck_error *err);
void ck_session_ids_clear(ck_session_ids *self);

#endif
