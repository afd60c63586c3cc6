/* counters.h - what the counters outside of stores tell. */
#ifndef CK_HOST_DOCTOR_COUNTERS_H
#define CK_HOST_DOCTOR_COUNTERS_H

#include "core/host/doctor/findings.h"

/* Of a store that was set back: `text` as ck_store_watch tells it. */
void ck_doctor_add_rollback(ck_findings *to, const ck_host *host, const char *store,
                            const char *text);
/* Counters of stores that are gone, in `folder` (NULL: there are none). They are only to be known:
 * the store can be on a disk that is not there today. */
CK_CHECKED ck_status ck_doctor_check_counters(ck_findings *to, const char *folder, ck_error *err);

#endif
