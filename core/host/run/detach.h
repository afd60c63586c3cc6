/* detach.h - gives a session that was just begun, or gone on with, to workers instead of executing
 * it here. */
#ifndef CK_HOST_RUN_DETACH_H
#define CK_HOST_RUN_DETACH_H

#include "core/host/cli/command.h"
#include "core/host/run/engine.h"

/* Leaves engine->session paused as queued, and prints its id. CK_E_IO: that could not be written;
 * the session can be resumed. */
CK_CHECKED ck_status ck_detach(const ck_host *host, ck_engine *engine, ck_error *err);

#endif
