/* opening.h - the store of a worker: opened, or made; one on a server that is away is waited for.
 */
#ifndef CK_HOST_WORKER_OPENING_H
#define CK_HOST_WORKER_OPENING_H

#include "core/host/session/store_location.h"
#include "core/host/worker/worker.h"

/* Opens the store read-only; made first where there is none. A server that cannot be reached is
 * told and waited for, unless `options->until_idle`; one that refuses is not. *out NULL with CK_OK:
 * SIGINT, SIGTERM or SIGHUP came meanwhile. Behind a wait these are blocked. */
CK_CHECKED ck_status ck_worker_open_store(ck_store **out, const ck_worker_options *options,
                                          const ck_store_location *location, ck_error *err);

#endif
