/* census.h - how the sessions of a store stand, in numbers. */
#ifndef CK_HOST_WORKER_CENSUS_H
#define CK_HOST_WORKER_CENSUS_H

#include "core/host/session/standing.h"

typedef struct ck_census {
  int64_t sessions[CK_STANDING_END]; /* by ck_standing */
  int64_t due;                       /* that a worker could begin now: queued, or a wait is over */
  int64_t oldest_ms;                 /* for how long the first of these is due; 0: there is none */
} ck_census;
CK_CHECKED ck_status ck_census_take(ck_census *out, ck_store *store, int64_t now_ms, ck_error *err);

#endif
