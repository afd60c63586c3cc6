/* lapse.h - a run that cannot renew its session's lease stops what it does before another host can
 * take the session. */
#ifndef CK_HOST_RUN_LAPSE_H
#define CK_HOST_RUN_LAPSE_H

#include "core/host/run/engine.h"

/* From now on, when the lease lapses: every process below this one is ended at once, by a thread
 * that waits for no server, and the loop is woken. */
void ck_lapse_begin(ck_engine *engine);
void ck_lapse_end(ck_engine *engine);
/* CK_E_LAPSED in the place of `status` when the lease has lapsed: what a store says that was cut
 * off for that is no reason. */
CK_CHECKED ck_status ck_lapse_check(const ck_engine *engine, ck_status status, ck_error *err);

#endif
