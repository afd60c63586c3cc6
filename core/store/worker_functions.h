/* worker_functions.h - what a backend does for the workers of a queue. A part of backend.h. */
#ifndef CK_STORE_WORKER_FUNCTIONS_H
#define CK_STORE_WORKER_FUNCTIONS_H

#include "core/store/refusal.h"
#include "core/store/reservation.h"
#include "core/store/session_groups.h"

typedef struct ck_worker_functions {
  ck_reservation_functions reservation; /* NULL: each is the caller's */
  ck_refusal_functions refusals;        /* NULL: none are kept */
  ck_session_grouping group;
} ck_worker_functions;

#endif
