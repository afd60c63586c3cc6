/* choose.h - which checkpoint a resume goes on from. */
#ifndef CK_RUNTIME_CHOOSE_H
#define CK_RUNTIME_CHOOSE_H

#include "core/store/store.h"

/* The one of that id; with `id` NULL the latest resumable one that the live timeline sees. `out->seq` 0: there is none, a resume
 * begins at the first event. Caller clears `out`. Whether a given one is resumable is for the caller to look at. */
CK_CHECKED ck_status ck_choose_checkpoint(ck_checkpoint_info *out, ck_store *store, const ck_head *head, const char *id,
                                          ck_error *err);

#endif
