/* place.h - which event of a session is to be explained. */
#ifndef CK_HOST_EXPLAIN_PLACE_H
#define CK_HOST_EXPLAIN_PLACE_H

#include "core/host/inspect/inspect.h"

/* `word`: the number of an event, or a checkpoint as ck_resolve_checkpoint takes it, of one that
 * was pruned its whole id; NULL: *out is 0. CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_explained_place(int64_t *out, const ck_inspection *of, const char *word,
                                        ck_error *err);

#endif
