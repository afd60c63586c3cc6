/* clear_log.h - behind a command that takes something away: nothing of it stays in the log. */
#ifndef CK_HOST_SESSION_CLEAR_LOG_H
#define CK_HOST_SESSION_CLEAR_LOG_H

#include "core/host/print/output.h"
#include "core/store/store.h"

/* Cuts the log of the store. One that another process reads stays, and that is told: what was asked
 * for is done all the same. */
CK_CHECKED ck_status ck_clear_log(ck_store *store, ck_output *output, ck_error *err);

#endif
