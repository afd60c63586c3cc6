/* claim.h - resume --queued: a worker takes a session out of the queue as whoever put it there
 * meant it to run. */
#ifndef CK_HOST_RUN_CLAIM_H
#define CK_HOST_RUN_CLAIM_H

#include "core/host/run/settings.h"
#include "core/store/store.h"

/* What its last run was given for itself, for the next one. Zero-initialise. */
typedef struct ck_claim {
  ck_value *mark;             /* of the queue, see queued.h */
  char *profile;              /* in the place of the session's; NULL */
  ck_settings_words settings; /* the lists and their texts are owned */
} ck_claim;
void ck_claim_clear(ck_claim *self);

/* `folders` (none: any place) are where the flow, the profile, policies that are files, the
 * recording and the working folder must lie: whoever can write the store names them. CK_E_REFUSED:
 * the session is not queued or not due, one of them lies elsewhere, or the value of an option is
 * masked where it is stored. CK_E_NOT_FOUND, CK_E_USAGE: no such folder. */
CK_CHECKED ck_status ck_claim_read(ck_claim *out, ck_store *store, const char *session,
                                   const ck_words *folders, ck_error *err);

#endif
