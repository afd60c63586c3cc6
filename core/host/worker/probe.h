/* probe.h - asks a store again and again whether it answers, beside a worker that may be waiting
 * for it: how a worker is ready is then known at once. */
#ifndef CK_HOST_WORKER_PROBE_H
#define CK_HOST_WORKER_PROBE_H

#include "core/store/store.h"

/* A store that has answered nothing that was asked of it since is not ready. */
enum { CK_PROBE_AGE_MAX_MS = 2000 };

typedef struct ck_probe ck_probe;

/* Asks twice a second, in a thread of its own. Borrows `store`, which has just been opened. */
CK_CHECKED ck_status ck_probe_start(ck_probe **out, ck_store *store, ck_error *err);
/* Waits for the question under way, if there is one. */
void ck_probe_stop(ck_probe *self);

/* How long ago the last question was asked that was answered, in ms. `why`: what the last one
 * failed of; "": it was answered, or is not yet. */
int64_t ck_probe_age(char why[CK_ERROR_TEXT_MAX], ck_probe *self);

#endif
